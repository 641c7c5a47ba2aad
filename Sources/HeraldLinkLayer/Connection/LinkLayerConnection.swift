import HeraldBluetooth
import HeraldHAL

/// One connection.
///
/// **Ownership.** During an event of this connection the radio interrupt owns `acknowledgement`, `inbox` and
/// `controlAcknowledged`, and reads `control` and `wantsReady`. `data` is shared, as stated there: the host
/// appends to it also during an event. The level below owns everything else, and between events the whole
/// value.
struct LinkLayerConnection: BitwiseCopyable {
  /// The state of a connection.
  enum Life: UInt8, BitwiseCopyable {
    /// There is no connection.
    case free = 0
    /// The connection is active.
    case open = 1
    /// The connection has ended and the host has not been notified yet.
    case closed = 2
  }

  var life = Life.free
  var role = ConnectionRole.central
  var peer = DeviceAddress.zero
  var accessAddress = UInt32(0)
  var crcInit = UInt32(0)
  var timing = EventTiming()

  // Owned by the radio interrupt during an event.
  var acknowledgement = Acknowledgement()
  /// A received control PDU that has not been processed; `count` is 0 if there is none.
  var inbox = DataPayload()
  var controlAcknowledged = false

  // Read by the radio interrupt during an event.
  /// The control PDU to be transmitted; `count` is 0 if there is none.
  var control = DataPayload()
  /// The payloads to be transmitted.
  var data = OutgoingPayloads()
  /// A payload of the host was refused; the host is to be notified when there is room. Another payload will
  /// therefore follow.
  var wantsReady = false

  // Never accessed by the radio interrupt.
  /// The reason for which the connection has ended or is about to end.
  var reason = DisconnectReason(rawValue: 0)
  /// The peer has sent LL_TERMINATE_IND: the connection is closed when it has been acknowledged.
  var isTerminating = false
  /// LL_TERMINATE_IND is to be transmitted.
  var wantsTermination = false
  /// The reason that it contains.
  var terminationReason = UInt8(0)
  var owesOpened = false
  var sentVersion = false
  /// The number of consecutive events that were skipped in favour of other activities.
  var skipped = UInt8(0)
  /// The RSSI of the last packet of the peer.
  var rssi = Int8(0)
  /// The deadline for the acknowledgement of LL_TERMINATE_IND.
  var deadline = RadioTime(microseconds: 0)
  var hasDeadline = false
  /// The procedures that this device starts.
  var own = OwnProcedures()

  /// No connection: all bits are zero.
  init() {}

  /// Opens a connection with the parameters of `request`, whose last bit was on the air at `end`. `deviation`
  /// is the sum of the maximum deviations of both clocks in ppm.
  @inline(never)
  mutating func open(_ request: ConnectRequest, _ role: ConnectionRole, end: RadioTime, deviation: UInt16) {
    self = LinkLayerConnection()
    life = .open
    self.role = role
    peer = role == .central ? request.advertiser : request.initiator
    accessAddress = request.accessAddress.rawValue
    crcInit = request.crcInit
    timing.begin(request, end: end, deviation: deviation)
    owesOpened = true
    rssi = 127
  }

  /// Ends the connection. If there are several reasons, the first is kept.
  mutating func close(_ why: DisconnectReason) {
    guard life == .open else { return }
    life = .closed
    reason = why
  }

  /// Whether any data or procedure is pending, so that no event may be skipped.
  var isBusy: Bool {
    data.count > 0 || own.wanted != .none || own.awaited != .none || control.count > 0 || inbox.count > 0
      || wantsTermination || isTerminating
      || timing.awaitsInstant || acknowledgement.inFlight == .data || acknowledgement.inFlight == .control
  }
}
