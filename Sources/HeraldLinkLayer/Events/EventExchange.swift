import HeraldBluetooth
import HeraldHAL

/// The packet exchange of an event: the code that the radio interrupt executes and the state that it owns.
///
/// Between `radio.start` and the outcome that sets `isDone` the radio interrupt owns all of this state, with
/// the exceptions stated at `LinkLayerConnection` and `IncomingPayloads`. Before and after, the link layer
/// owns it: it prepares an event and evaluates its result. Beside these, only `isPauseRequested` is written
/// during an event, below the interrupt: it is one byte, and both values are valid at any time.
struct EventExchange<Peripheral: RadioPeripheral & ~Copyable, let connections: Int>: ~Copyable {
  /// The type of the event in progress.
  enum Activity: UInt8, BitwiseCopyable {
    case none = 0
    case advertising = 1
    case scanning = 2
    case connection = 3
  }

  var radio: Peripheral
  var activity: Activity
  /// The event has ended: the level below owns the state.
  var isDone: Bool
  /// A request for time without events waits (`Reservation`): connection events end after their next
  /// exchange.
  var isPauseRequested: Bool
  /// The level below has something to do before the end of the event: it can append a payload, or take one.
  var hasNews: Bool
  var connectionEvent: ConnectionEvent
  var advertisingEvent: AdvertisingEvent
  var scanningEvent: ScanningEvent
  /// The advertising PDU, and the scan response PDU.
  var advertisement: [39 of UInt8]
  var response: [39 of UInt8]
  /// The received CONNECT_IND.
  var request: ReceivedPDU
  /// The CONNECT_IND to be transmitted.
  var initiation: [39 of UInt8]
  /// The advertisement received in a scanning event, and the scan response to it.
  var received: ReceivedPDU
  var receivedResponse: ReceivedPDU
  /// The filter accept list.
  var acceptList: FilterAcceptList
  /// Received payloads. Shared with the level below, as stated there.
  var payloads: IncomingPayloads
  /// Owned in part by the radio interrupt: see `LinkLayerConnection`.
  var table: LinkLayerConnectionTable<connections>
  /// The use of the radio in the event in progress.
  var times: EventTimes
  /// The part of `RadioPeripheral.crystalTime` that is in the counters.
  var countedCrystal: UInt32

  /// The initial state: no event is in progress.
  init(radio: consuming Peripheral) {
    self.radio = radio
    activity = .none
    isDone = false
    isPauseRequested = false
    hasNews = false
    connectionEvent = ConnectionEvent()
    advertisingEvent = AdvertisingEvent()
    scanningEvent = ScanningEvent()
    advertisement = .init(repeating: 0)
    response = .init(repeating: 0)
    request = ReceivedPDU()
    initiation = .init(repeating: 0)
    received = ReceivedPDU()
    receivedResponse = ReceivedPDU()
    acceptList = FilterAcceptList()
    payloads = IncomingPayloads()
    table = LinkLayerConnectionTable()
    times = EventTimes()
    countedCrystal = 0
  }

  /// Handles the interrupt of the radio: an operation has ended. Returns whether `procedures` is to be
  /// called.
  mutating func radioInterrupt() -> Bool {
    guard let outcome = radio.takeOutcome() else { return isDone }
    switch activity {
    case .none: radio.proceed(.stop)
    case .advertising: advertisingOutcome(outcome)
    case .scanning: scanningOutcome(outcome)
    case .connection: connectionOutcome(outcome)
    }
    // After the next step, for which the time is limited.
    times.add(
      outcome, transmitRampUp: Peripheral.transmitRampUp, receiveRampUp: Peripheral.receiveRampUp)
    let isNoted = isDone || hasNews
    hasNews = false
    return isNoted
  }

  /// Passes payloads between the levels during an event, on the level below: lets the radio interrupt use
  /// what the host has appended and taken.
  mutating func shareDuringEvent() {
    payloads.release()
    if activity == .connection { table[Int(connectionEvent.connection)].data.publish() }
  }

  /// Ends an event.
  mutating func finish() {
    radio.proceed(.stop)
    isDone = true
  }
}
