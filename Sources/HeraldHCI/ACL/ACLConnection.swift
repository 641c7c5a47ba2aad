import HeraldBluetooth

/// The host's side of one connection: what is being put together, what is on its way out, what is owed.
///
/// It has two slots for an L2CAP PDU each, of up to 251 bytes: header of four bytes and an ATT PDU of up to
/// 247. Either one receives, is answered in place and sends the answer; the other takes our own PDU or the
/// next that arrives. Slot 0 has a buffer of its own. That of slot 1 is shared by all connections
/// (`ACLBuffers`): mostly a PDU leaves in the moment it is made, and a connection that waits for the
/// controller's room keeps to its own buffer, if that is free. Without a second one our PDU takes the first,
/// and what arrives beside it is dropped. While we wait for an answer a peer's second request is dropped
/// rather than take the buffer that answer needs; an indication beside a request, neither of whose answers
/// could leave yet, still takes it, and our procedure then ends with its deadline.
@usableFromInline
struct ACLConnection: BitwiseCopyable {
  /// Where a connection is in its life.
  @usableFromInline
  enum Life: UInt8, BitwiseCopyable {
    /// The place is free.
    case free = 0
    /// Open.
    case open = 1
    /// To be disconnected, by a command not yet sent.
    case closing = 2
    /// To be disconnected, by a command that was sent.
    case closed = 3
  }

  /// What a slot is doing.
  @usableFromInline
  enum Use: UInt8, BitwiseCopyable {
    /// Neither receiving nor sending.
    case free = 0
    /// Taking in fragments.
    case receiving = 1
    /// Waiting to be sent or being sent: an answer.
    case answer = 2
    /// The same: a PDU of our own.
    case request = 3
  }

  /// One of the two slots.
  @usableFromInline
  struct Slot: BitwiseCopyable {
    @usableFromInline var use: Use
    /// Sending: how many bytes the L2CAP PDU has, header included. Received: how many the ATT PDU in it has.
    @usableFromInline var length: UInt8
    /// How many bytes of the L2CAP PDU have arrived, or have been sent.
    @usableFromInline var done: UInt8

    static var free: Slot { Slot(use: .free, length: 0, done: 0) }
    @inlinable var isSending: Bool { use.rawValue >= 2 }
    @inlinable
    init(use: Use, length: UInt8, done: UInt8) {
      self.use = use
      self.length = length
      self.done = done
    }
  }

  /// The longest L2CAP PDU: all lengths of one fit in a byte.
  @usableFromInline static var slotSize: Int { 251 }
  /// The longest ATT PDU.
  @usableFromInline static var longestPDU: Int { 247 }
  /// Header of an L2CAP PDU: length and channel.
  @usableFromInline static var headerSize: Int { 4 }
  /// H4 type byte and ACL header, which go in front of every fragment.
  @usableFromInline static var packetHeaderSize: Int { 5 }

  @usableFromInline var handle: ConnectionHandle
  @usableFromInline var life: Life
  @usableFromInline var role: ConnectionRole
  /// How many packets the controller holds of this connection.
  @usableFromInline var inFlight: UInt16
  @usableFromInline var slots: [2 of Slot]
  /// Which of two sending buffers goes first.
  @usableFromInline var firstToSend: UInt8
  /// Whether continuation fragments belong to a PDU that is being passed over.
  @usableFromInline var isSkipping: Bool
  /// Whether a request of our own was queued and not answered yet: its answer will need a buffer.
  @usableFromInline var awaitsAnswer: Bool

  /// What waits to be answered on the signalling or security channel.
  @usableFromInline var control: ControlChannels

  // What is owed.
  @usableFromInline var wantsDataLength: Bool
  @usableFromInline var wantsKeyRefused: Bool
  @usableFromInline var wantsRSSI: Bool
  @usableFromInline var wantsUpdate: Bool
  @usableFromInline var wantsReady: Bool
  /// What would be a gap: without one all connections are cleared in their place.
  @usableFromInline var filler: UInt8
  /// The timing the peer asked for, to be set when `wantsUpdate`.
  @usableFromInline var timing: ConnectionTiming

  /// A free place: all zero bits.
  @usableFromInline
  init() {
    handle = ConnectionHandle(rawValue: 0)
    life = .free
    role = .central
    inFlight = 0
    slots = .init(repeating: .free)
    firstToSend = 0
    isSkipping = false
    awaitsAnswer = false
    control = ControlChannels()
    wantsDataLength = false
    wantsKeyRefused = false
    wantsRSSI = false
    wantsUpdate = false
    wantsReady = false
    filler = 0
    timing = ConnectionTiming(intervalMin: 0, intervalMax: 0, latency: 0, timeout: 0)
  }
}
