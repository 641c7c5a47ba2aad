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
/// **What they share.** It is `exchange`, and events are the border. Between `radio.start` and the last
/// outcome, which sets `isDone`, the radio interrupt owns it, and nobody else looks at it, but for what
/// `Link` says. Before and after, it all belongs to `procedures`, as without an operation there is no
/// interrupt. So nothing is ever in two hands, and no access needs to be atomic. Two things make that hold:
/// `radio.start` is the last that `procedures` and the host's calls do, as the interrupt may come before it
/// returns; and who wants to plan anew while an event is under way asks `radio.cancel`, which the end of the
/// event makes `false`.
///
/// **Memory.** All of it is in this value, about 200 bytes for each connection and 900 for the rest. Nothing
/// is waited for: what has no room is refused, by the flow control of the link layer where there is one, or
/// counted.
public struct LinkLayer<Peripheral: RadioPeripheral & ~Copyable, let connections: Int>: ~Copyable {
  /// The part that the radio interrupt runs, with what it owns.
  var exchange: EventExchange<Peripheral, connections>

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
    let zero = RadioTime(microseconds: 0)
    exchange = EventExchange(radio: radio)
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
  public mutating func radioInterrupt() -> Bool { exchange.radioInterrupt() }

  /// What need not be done within 150 µs: takes in what an event brought, and begins the next.
  public mutating func procedures() {
    guard exchange.isDone else { return }
    exchange.isDone = false
    let ended = exchange.activity
    counters.late = exchange.late
    exchange.activity = .none
    switch ended {
    case .none: break
    case .advertising: advertisingEnded()
    case .scanning: scanningEnded()
    case .connection: connectionEnded(Int(exchange.connectionEvent.link))
    }
    schedule()
  }

  /// The host wants something else: plans anew, unless an event has begun, whose end will do that. A scanner
  /// that hears nothing is interrupted.
  mutating func reschedule() {
    guard !exchange.isDone else { return }
    if exchange.activity != .none {
      let soonest = exchange.radio.now() + Peripheral.leadTime + Peripheral.planningTime
      guard exchange.activity == .scanning || !eventStart.isBefore(soonest), exchange.radio.cancel() else {
        return
      }
      exchange.activity = .none
    }
    schedule()
  }
}
