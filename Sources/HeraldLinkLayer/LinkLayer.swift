import HeraldBluetooth
import HeraldHAL

/// A link layer of Bluetooth LE (Core Specification, Vol 6, Part B) over a radio: all legacy advertising,
/// passive and active scanning, initiating, and `connections` connections in either role.
///
/// It has the features of Bluetooth 4.0 but for encryption. What later versions ask for is answered as
/// unknown.
///
/// **Two levels.** `radioInterrupt` is called by the radio's interrupt handler. It does what must be done
/// within 150 µs: whom a packet is for, acknowledgement, and what is sent in answer. `procedures` is called
/// below it, by an interrupt of lower priority or a loop, when `radioInterrupt` returns `true`: it takes in
/// what an event brought, reads control PDUs, and begins the next event. All other methods are for the host
/// and run on the level of `procedures`, or below it with `procedures` held off.
///
/// **What they share.** Events are the border. Between `radio.start` and the last outcome, which sets
/// `isDone`, the radio interrupt owns what is listed below as its own, and nobody else looks at it. Before
/// and after, it all belongs to `procedures`, as without an operation there is no interrupt. So nothing is
/// ever in two hands, and no access needs to be atomic. Two things make that hold: `radio.start` is the last
/// that `procedures` and the host's calls do, as the interrupt may come before it returns; and who wants to
/// plan anew while an event is under way asks `radio.cancel`, which the end of the event makes `false`.
///
/// **Memory.** All of it is in this value, about 200 bytes for each connection and 900 for the rest. Nothing
/// is waited for: what has no room is refused, by the flow control of the link layer where there is one, or
/// counted.
public struct LinkLayer<Peripheral: RadioPeripheral & ~Copyable, let connections: Int>: ~Copyable {
  /// What the radio is at.
  enum Activity: UInt8, BitwiseCopyable {
    case none = 0
    case advertising = 1
    case scanning = 2
    case connection = 3
  }

  // The radio interrupt's while an event is under way.
  var radio: Peripheral
  var activity: Activity
  /// The event is over: all is the lower level's.
  var isDone: Bool
  var arrivedCount: UInt8
  var connectionEvent: ConnectionEvent
  var advertisingEvent: AdvertisingEvent
  var scanningEvent: ScanningEvent
  /// The PDU that is advertised, and that which answers scan requests.
  var advertisement: [39 of UInt8]
  var response: [39 of UInt8]
  /// The CONNECT_IND that came.
  var request: HeardPDU
  /// The CONNECT_IND that is sent.
  var initiation: [39 of UInt8]
  /// The advertisement of a scanning event, and the scan response to it.
  var heard: HeardPDU
  var heardResponse: HeardPDU
  /// Payloads of a connection event.
  var arrived: [3 of Fragment]
  /// Partly: see `Link`.
  var links: [connections of Link]

  // The lower level's at all times.
  var advertising: AdvertisingSettings
  var isAdvertising: Bool
  /// When the event that is under way, or planned, begins.
  var eventStart: RadioTime
  /// Since when the next advertising event is due, and when high duty cycle ends.
  var advertisingDue: RadioTime
  var advertisingEnd: RadioTime
  var scanning: ScanSettings
  var backoff: ScanBackoff
  /// When the current scan interval began, and the channel of its window less 37.
  var scanStart: RadioTime
  var scanOffset: UInt8
  var connecting: ConnectRequest
  var isConnecting: Bool
  /// The attempt is to be given up when the event that is under way is over.
  var cancelsConnect: Bool
  var connectFailure: DisconnectReason
  var owesConnectFailure: Bool
  var owesDirectedTimeout: Bool
  var reports: RingBuffer<HeardPDU, 4>
  var fragments: RingBuffer<Fragment, 6>
  var random: XorShift
  /// What happened.
  public internal(set) var counters: LinkLayerCounters

  /// A link layer over `radio`, at rest. `seed` makes its random numbers: delays, access addresses. It should
  /// be another with each device and each start.
  public init(radio: consuming Peripheral, seed: UInt32) {
    self.radio = radio
    let zero = RadioTime(microseconds: 0)
    activity = .none
    isDone = false
    arrivedCount = 0
    connectionEvent = ConnectionEvent()
    advertisingEvent = AdvertisingEvent()
    scanningEvent = ScanningEvent()
    advertisement = .init(repeating: 0)
    response = .init(repeating: 0)
    request = HeardPDU()
    initiation = .init(repeating: 0)
    heard = HeardPDU()
    heardResponse = HeardPDU()
    arrived = .init { _ in Fragment() }
    links = .init { _ in Link() }
    advertising = AdvertisingSettings()
    isAdvertising = false
    eventStart = zero
    advertisingDue = zero
    advertisingEnd = zero
    scanning = ScanSettings()
    backoff = ScanBackoff()
    scanStart = zero
    scanOffset = 0
    connecting = .none
    isConnecting = false
    cancelsConnect = false
    connectFailure = DisconnectReason(rawValue: 0)
    owesConnectFailure = false
    owesDirectedTimeout = false
    reports = RingBuffer(filler: HeardPDU())
    fragments = RingBuffer(filler: Fragment())
    random = XorShift(seed: seed)
    counters = LinkLayerCounters()
  }

  /// The radio's interrupt: an operation has ended. Returns whether `procedures` is to be called.
  public mutating func radioInterrupt() -> Bool {
    guard let outcome = radio.takeOutcome() else { return isDone }
    if outcome.kind == .late { counters.late &+= 1 }
    switch activity {
    case .none: radio.proceed(.stop)
    case .advertising: advertisingOutcome(outcome)
    case .scanning: scanningOutcome(outcome)
    case .connection: connectionOutcome(outcome)
    }
    return isDone
  }

  /// The radio interrupt has done with an event.
  mutating func finish() {
    radio.proceed(.stop)
    isDone = true
  }

  /// What need not be done within 150 µs: takes in what an event brought, and begins the next.
  public mutating func procedures() {
    guard isDone else { return }
    isDone = false
    let ended = activity
    activity = .none
    switch ended {
    case .none: break
    case .advertising: advertisingEnded()
    case .scanning: scanningEnded()
    case .connection: connectionEnded(Int(connectionEvent.link))
    }
    schedule()
  }

  /// The host wants something else: plans anew, unless an event has begun, whose end will do that. A scanner
  /// that hears nothing is interrupted.
  mutating func reschedule() {
    guard !isDone else { return }
    if activity != .none {
      let soonest = radio.now() + Peripheral.leadTime + Peripheral.planningTime
      guard activity == .scanning || !eventStart.isBefore(soonest), radio.cancel() else { return }
      activity = .none
    }
    schedule()
  }
}

/// Random numbers for delays and access addresses: not for secrets.
struct XorShift: RandomSource, BitwiseCopyable {
  private var state: UInt32

  init(seed: UInt32) { state = seed }

  mutating func next() -> UInt32 {
    if state == 0 { state = 0x9E37_79B9 }
    state ^= state &<< 13
    state ^= state &>> 17
    state ^= state &<< 5
    return state
  }
}
