import HeraldBluetooth
import HeraldHAL

/// The exchange of packets in an event: what the radio interrupt runs, and what it owns.
///
/// Between `radio.start` and the outcome that sets `isDone` all of this is the radio interrupt's, except what
/// `Link` says. Before and after it is the link layer's, which fills in an event and reads what came of it.
struct EventExchange<Peripheral: RadioPeripheral & ~Copyable, let connections: Int>: ~Copyable {
  /// What the radio is at.
  enum Activity: UInt8, BitwiseCopyable {
    case none = 0
    case advertising = 1
    case scanning = 2
    case connection = 3
  }

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
  /// How many operations missed their moment.
  var late: UInt32

  /// At rest.
  init(radio: consuming Peripheral) {
    self.radio = radio
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
    arrived = .init(repeating: Fragment())
    links = .init(repeating: Link())
    late = 0
  }

  /// The radio's interrupt: an operation has ended. Returns whether `procedures` is to be called.
  mutating func radioInterrupt() -> Bool {
    guard let outcome = radio.takeOutcome() else { return isDone }
    if outcome.kind == .late { late &+= 1 }
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
}
