import HeraldBluetooth
import HeraldHAL

/// One connection.
///
/// **Ownership.** During an event of this connection the radio interrupt owns `acknowledgement`, `inbox`,
/// `controlAcknowledged` and `dataAcknowledged`, and reads `control` and the first `offered` elements of
/// `data`. The level below owns everything else, and between events the whole value. The host appends data
/// behind the elements offered.
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

  /// The maximum number of fragments waiting to be transmitted.
  static var queueLength: UInt8 { 2 }

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
  var dataAcknowledged = UInt8(0)

  // Read by the radio interrupt during an event.
  /// The control PDU to be transmitted; `count` is 0 if there is none.
  var control = DataPayload()
  var data: [2 of DataPayload] = .init(repeating: DataPayload())
  /// The index of the oldest element of the data.
  var head = UInt8(0)
  /// The number of elements of the data that the current event may transmit.
  var offered = UInt8(0)

  // Never accessed by the radio interrupt.
  /// The number of elements of the data.
  var queued = UInt8(0)
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
  /// A payload of the host was refused; the host is to be notified when there is room.
  var wantsReady = false
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

  /// Queues a payload for transmission; `false` if there is no room.
  mutating func queue(_ payload: Span<UInt8>, isStart: Bool) -> Bool {
    guard queued < Self.queueLength else { return false }
    let place = Int((head &+ queued) & 1)
    data[place].isStart = isStart
    data[place].copy(payload)
    queued &+= 1
    return true
  }

  /// Whether any data or procedure is pending, so that no event may be skipped.
  var isBusy: Bool {
    queued > 0 || own.wanted != .none || own.awaited != .none || control.count > 0 || inbox.count > 0
      || wantsTermination || isTerminating
      || timing.awaitsInstant || acknowledgement.inFlight == .data || acknowledgement.inFlight == .control
  }
}
