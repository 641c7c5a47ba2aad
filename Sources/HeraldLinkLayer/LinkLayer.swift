import HeraldBluetooth
import HeraldHAL

/// A Bluetooth LE link layer (Core Specification, Vol 6, Part B) over a radio: all legacy advertising events,
/// passive and active scanning, initiating, and `connections` connections in either role.
///
/// It implements Bluetooth 4.0 without encryption. Control procedures of later versions are answered with
/// LL_UNKNOWN_RSP.
///
/// **Execution levels.** `radioInterrupt` is called by the radio's interrupt handler. It performs what is
/// required within 150 µs: address checks, acknowledgement, and selection of the response. `procedures` is
/// called below it, by an interrupt of lower priority or a loop, when `radioInterrupt` returns `true`: it
/// processes the result of an event and received control PDUs, and starts the next event. All other methods
/// are for the host and are called on the level of `procedures`, or below it with `procedures` held off.
///
/// **Shared state.** The levels share `exchange`, and the event is the boundary of its ownership. The radio
/// interrupt owns it from `radio.start` to the last outcome, which sets `isDone`; no other code accesses it
/// during this time, with the exceptions stated at `LinkLayerConnection`. Before and after, `procedures` owns
/// it, because there is no interrupt without an operation. No access therefore has to be atomic. Two rules
/// ensure this:
/// `radio.start` is the last action of `procedures` and of the host's calls, because the interrupt may occur
/// before it returns; and the schedule is changed during an event only after `radio.cancel` has returned
/// `true`, which it does not when the event has ended.
///
/// **Memory.** All state is in this value: 304 bytes for each connection and some 1,280 for the rest. No call
/// blocks: what exceeds a capacity is refused, by the flow control of the link layer where it applies, or is
/// discarded and counted.
public struct LinkLayer<Peripheral: RadioPeripheral & ~Copyable, let connections: Int>: ~Copyable {
  /// The state that the radio interrupt uses and owns during an event.
  var exchange: EventExchange<Peripheral, connections>

  var advertising: AdvertisingSettings
  var advertisingTimes: AdvertisingTimes
  var isAdvertising: Bool
  /// The event in progress is the repetition of one that was late.
  var repeatsAdvertising: Bool
  var owesDirectedTimeout: Bool
  /// The start of the event in progress, or of the scheduled event.
  var eventStart: RadioTime
  var scanning: ScanSettings
  var backoff: ScanBackoff
  var scanInterval: ScanInterval
  var initiating: Initiating
  /// The data channels for connections in which this device is the central.
  var channels: ChannelMap
  var reports: RingBuffer<ReceivedPDU, 4>
  var reservation: Reservation
  var random: XorShift
  /// The statistics counters.
  public internal(set) var counters: LinkLayerCounters

  /// Creates an idle link layer over `radio`. `seed` initialises the random numbers for delays and access
  /// addresses. It should differ between devices and between starts.
  public init(radio: consuming Peripheral, seed: UInt32) {
    let zero = RadioTime(microseconds: 0)
    exchange = EventExchange(radio: radio)
    advertising = AdvertisingSettings()
    advertisingTimes = AdvertisingTimes()
    isAdvertising = false
    eventStart = zero
    repeatsAdvertising = false
    scanning = ScanSettings()
    backoff = ScanBackoff()
    scanInterval = ScanInterval()
    initiating = Initiating()
    channels = .all
    owesDirectedTimeout = false
    reports = RingBuffer(filler: ReceivedPDU())
    reservation = Reservation()
    random = XorShift(seed: seed)
    counters = LinkLayerCounters()
  }

  /// Handles the interrupt of the radio: an operation has ended. Returns whether `procedures` is to be
  /// called.
  public mutating func radioInterrupt() -> Bool { exchange.radioInterrupt() }

  /// Performs what is not required within 150 µs: processes the result of an event and starts the next one.
  /// During an event it lets the radio interrupt use what the host has appended and taken.
  public mutating func procedures() {
    guard exchange.isDone else {
      exchange.shareDuringEvent()
      return
    }
    exchange.isDone = false
    let ended = exchange.activity
    exchange.endEvent(&counters)
    switch ended {
    case .none: break
    case .advertising: advertisingEnded()
    case .scanning: scanningEnded()
    case .connection: connectionEnded(Int(exchange.connectionEvent.connection))
    }
    schedule()
  }

  /// Ends all activities and connections without notifying host or peers, and sets the initial state. Returns
  /// `false` if an event is in progress that cannot be cancelled; the call is then repeated after it.
  mutating func reset() -> Bool {
    if exchange.activity != .none, !exchange.isDone, !exchange.cancel(&counters) { return false }
    exchange.activity = .none
    exchange.isDone = false
    exchange.acceptList.clear()
    exchange.received.count = 0
    exchange.receivedResponse.count = 0
    var index = 0
    while index < connections {
      exchange.table[index] = LinkLayerConnection()
      index &+= 1
    }
    advertising = AdvertisingSettings()
    isAdvertising = false
    repeatsAdvertising = false
    scanning = ScanSettings()
    initiating = Initiating()
    channels = .all
    owesDirectedTimeout = false
    reports.removeAll()
    exchange.payloads.removeAll()
    return true
  }

  /// Whether an event is scheduled or in progress that uses the filter accept list.
  var usesAcceptList: Bool {
    switch exchange.activity {
    case .advertising:
      exchange.advertisingEvent.filtersScans || exchange.advertisingEvent.filtersConnections
    case .scanning:
      exchange.scanningEvent.filters
        || exchange.scanningEvent.connects && exchange.scanningEvent.connectsListed
    case .none, .connection: false
    }
  }

  /// Schedules again after a command of the host, unless an event has begun, at whose end scheduling takes
  /// place. A scanner that has not begun to receive a packet is interrupted. Another event that begins before
  /// `time` microseconds from now is not cancelled: it might be too late for it afterwards.
  mutating func reschedule(after time: UInt32? = nil) {
    guard !exchange.isDone else { return }
    if exchange.activity != .none {
      let soonest =
        exchange.radio.now() + (time ?? (exchange.activity == .connection ? Self.restartTime : Self.gap))
      guard exchange.activity == .scanning || !eventStart.isBefore(soonest), exchange.cancel(&counters) else {
        return
      }
    }
    schedule()
  }

  /// The time after which the radio can certainly begin an event that is planned now, in microseconds: its
  /// oscillator may have to be started.
  static var restartTime: UInt32 {
    Peripheral.startUpTime &+ gap
  }
}
