import HeraldBluetooth

/// The host's state of one connection: reassembly, transmission, pending commands.
///
/// It has two slots for an L2CAP PDU each, of up to 251 bytes: header of four bytes and an ATT PDU of up to
/// 247. Either one receives a PDU, and sends the response from the same buffer; the other takes a PDU of this
///   host or the next that is received. Slot 0 has a buffer of its own. That of slot 1 is shared by all
///   connections (`ACLBuffers`): usually a PDU is sent at once, and a connection that waits for a buffer of
///   the controller uses only its own, if that is free. Without a second buffer a PDU of this host uses the
///   first, and PDUs received meanwhile are dropped. While a response is outstanding, a peer's second request
///   is dropped, so that it does not occupy the buffer for that response; an indication beside a request,
///   with both responses pending, still occupies it, and the procedure of this host then ends with its
///   deadline.
@usableFromInline
struct ACLConnection: BitwiseCopyable {
  /// The state of a connection.
  @usableFromInline
  enum Life: UInt8, BitwiseCopyable {
    /// The place is free.
    case free = 0
    /// The connection is open.
    case open = 1
    /// The connection is to be closed; the Disconnect command has not been sent yet.
    case closing = 2
    /// The Disconnect command was sent; the connection has not ended yet.
    case closed = 3
  }

  /// The state of a slot.
  @usableFromInline
  enum Use: UInt8, BitwiseCopyable {
    /// Neither receiving nor sending.
    case free = 0
    /// Receiving fragments.
    case receiving = 1
    /// A response is waiting to be sent or being sent.
    case answer = 2
    /// A request or command of this host is waiting to be sent or being sent.
    case request = 3
  }

  /// One of the two slots.
  @usableFromInline
  struct Slot: BitwiseCopyable {
    @usableFromInline var use: Use
    /// Sending: how many bytes the L2CAP PDU has, header included. Received: how many the ATT PDU in it has.
    @usableFromInline var length: UInt8
    /// How many bytes of the L2CAP PDU have been received, or have been sent.
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
  /// H4 type byte and ACL header, which precede every fragment.
  @usableFromInline static var packetHeaderSize: Int { 5 }

  @usableFromInline var handle: ConnectionHandle
  @usableFromInline var life: Life
  @usableFromInline var role: ConnectionRole
  /// How many packets of this connection the controller holds.
  @usableFromInline var inFlight: UInt16
  @usableFromInline var slots: [2 of Slot]
  /// Which of two sending buffers is sent first.
  @usableFromInline var firstToSend: UInt8
  /// Whether continuation fragments belong to a PDU that is being skipped.
  @usableFromInline var isSkipping: Bool
  /// Whether a request of this host was queued and its response is outstanding, which will need a buffer.
  @usableFromInline var awaitsAnswer: Bool

  /// The response that is pending on the signalling or security channel.
  @usableFromInline var control: ControlChannels

  // The pending commands.
  @usableFromInline var wantsDataLength: Bool
  @usableFromInline var wantsKeyRefused: Bool
  @usableFromInline var wantsRSSI: Bool
  @usableFromInline var wantsUpdate: Bool
  @usableFromInline var wantsReady: Bool
  /// Padding: without it all connections are cleared in place.
  @usableFromInline var filler: UInt8
  /// The timing that the peer requested, to be set when `wantsUpdate`.
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
