import HeraldBluetooth
import HeraldHAL

/// A payload of a data channel PDU, with room for the longest one.
struct Fragment: BitwiseCopyable {
  /// Whose it is.
  var link: UInt8
  /// Whether an L2CAP PDU starts with it.
  var isStart: Bool
  /// How many bytes it has: 1…27.
  var count: UInt8
  var bytes: [27 of UInt8]

  /// An empty buffer.
  init() {
    link = 0
    isStart = false
    count = 0
    bytes = .init(repeating: 0)
  }

  /// A control PDU.
  mutating func write(_ pdu: ControlPDU) {
    var writer = ByteWriter(bytes.mutableSpan)
    pdu.write(to: &writer)
    count = UInt8(truncatingIfNeeded: writer.count)
  }

  /// Copies the payload to behind the header of a PDU.
  mutating func write(into pdu: consuming MutableSpan<UInt8>) {
    let payload = bytes.span
    let size = min(min(Int(count), payload.count), pdu.count &- 2)
    var index = 0
    while index < size {
      pdu[unchecked: index &+ 2] = payload[unchecked: index]
      index &+= 1
    }
  }

  /// A copy of at most 27 bytes.
  mutating func copy(_ source: Span<UInt8>, from start: Int = 0) {
    var index = 0
    while index < 27, start &+ index < source.count {
      bytes[index] = source[unchecked: start &+ index]
      index &+= 1
    }
    count = UInt8(truncatingIfNeeded: index)
  }
}

/// One connection.
///
/// **Who may touch what.** While an event of this connection is under way, the radio interrupt owns
/// `acknowledgement`, `inbox`, `controlAcknowledged` and `dataAcknowledged`, and reads `control` and the
/// first `offered` of `data`. All else, and all of it between events, belongs to the level below. The host
/// adds data behind what was offered.
struct Link: BitwiseCopyable {
  /// Where a connection is in its life.
  enum Life: UInt8, BitwiseCopyable {
    /// The place is free.
    case free = 0
    /// There are events.
    case open = 1
    /// It has ended; the host is still to be told.
    case closed = 2
  }

  /// How many fragments wait to be sent, at most.
  static var queueLength: UInt8 { 2 }

  var life = Life.free
  var role = ConnectionRole.central
  var peer = DeviceAddress.zero
  var accessAddress = UInt32(0)
  var crcInit = UInt32(0)
  var timing = ConnectionTiming()

  // The radio interrupt's during an event.
  var acknowledgement = Acknowledgement()
  /// A control PDU that came and was not looked at yet; `count` is 0 without one.
  var inbox = Fragment()
  var controlAcknowledged = false
  var dataAcknowledged = UInt8(0)

  // Read by the radio interrupt during an event.
  /// The control PDU that is to be sent; `count` is 0 without one.
  var control = Fragment()
  var data: [2 of Fragment] = .init(repeating: Fragment())
  /// The place of the oldest of the data.
  var head = UInt8(0)
  /// How many of the data the current event may send.
  var offered = UInt8(0)

  // Never the radio interrupt's.
  /// How many of the data there are.
  var queued = UInt8(0)
  /// Why it ended, or is about to.
  var reason = DisconnectReason(rawValue: 0)
  /// The peer ended it: the connection closes when that is acknowledged.
  var isTerminating = false
  /// We are to end it.
  var wantsTermination = false
  var owesOpened = false
  var sentVersion = false
  /// The host was refused and is to be told when there is room.
  var wantsReady = false
  /// How many events in a row gave way to something else.
  var skipped = UInt8(0)
  /// How strong the peer was last.
  var rssi = Int8(0)
  /// When the response to a procedure of ours must have come, or LL_TERMINATE_IND must have been
  /// acknowledged.
  var deadline = RadioTime(microseconds: 0)
  var hasDeadline = false

  /// A free place: all zero bits.
  init() {}

  /// Becomes a connection that begins with `request`, whose last bit was on the air at `end`. Both clocks
  /// together may be `deviation` ppm off.
  mutating func open(_ request: ConnectRequest, _ role: ConnectionRole, end: RadioTime, deviation: UInt16) {
    self = Link()
    life = .open
    self.role = role
    peer = role == .central ? request.advertiser : request.initiator
    accessAddress = request.accessAddress.rawValue
    crcInit = request.crcInit
    timing = ConnectionTiming(request, end: end, deviation: deviation)
    owesOpened = true
    rssi = 127
  }

  /// Ends it, for the first reason that there was.
  mutating func close(_ why: DisconnectReason) {
    guard life == .open else { return }
    life = .closed
    reason = why
  }

  /// Queues a payload to be sent; `false` if there is no room.
  mutating func queue(_ payload: Span<UInt8>, isStart: Bool) -> Bool {
    guard queued < Self.queueLength else { return false }
    let place = Int((head &+ queued) & 1)
    data[place].isStart = isStart
    data[place].copy(payload)
    queued &+= 1
    return true
  }

  /// Whether there is anything to be said or done, so that no event may be passed over.
  var isBusy: Bool {
    queued > 0 || control.count > 0 || inbox.count > 0 || wantsTermination || isTerminating
      || timing.awaitsInstant || acknowledgement.inFlight == .data || acknowledgement.inFlight == .control
  }
}
