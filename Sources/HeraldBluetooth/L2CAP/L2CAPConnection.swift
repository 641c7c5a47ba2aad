/// The L2CAP state of one connection: reassembly, fragmentation, and the response on a control channel.
///
/// It has two slots for an L2CAP PDU each, of up to 251 bytes: header of four bytes and an ATT PDU of up to
/// 247. Either one receives a PDU, and sends the response from the same buffer; the other takes a PDU of this
/// host or the next that is received. Slot 0 has a buffer of its own. That of slot 1 is shared by all
/// connections (`L2CAPBuffers`): usually a PDU is sent at once, and a connection whose peer accepts nothing
/// uses only its own, if that is free. Without a second buffer a PDU of this host uses the first, and PDUs
/// received meanwhile are dropped. While a response is outstanding, a peer's second request is dropped, so
/// that it does not occupy the buffer for that response; an indication beside a request, with both responses
/// pending, still occupies it, and the procedure of this host then ends with its deadline.
package struct L2CAPConnection: BitwiseCopyable {
  /// The state of a slot.
  package enum Use: UInt8, BitwiseCopyable {
    /// Neither receiving nor sending.
    case free = 0
    /// Receiving fragments.
    case receiving = 1
    /// Waiting to be sent or being sent: a response.
    case answer = 2
    /// The same: a PDU of this host.
    case request = 3
  }

  /// One of the two slots.
  package struct Slot: BitwiseCopyable {
    /// For what the slot is used.
    package var use: Use
    /// Sending: how many bytes the L2CAP PDU has, header included. Received: how many the ATT PDU in it has.
    package var length: UInt8
    /// How many bytes of the L2CAP PDU have been received, or have been sent.
    package var done: UInt8

    static var free: Slot { Slot(use: .free, length: 0, done: 0) }
    /// Whether a PDU waits in it to be sent, or is being sent.
    package var isSending: Bool { use.rawValue >= 2 }
    /// Initialises each member.
    package init(use: Use, length: UInt8, done: UInt8) {
      self.use = use
      self.length = length
      self.done = done
    }
  }

  /// The longest L2CAP PDU: all lengths of one fit in a byte.
  package static var slotSize: Int { 251 }
  /// The longest ATT PDU.
  package static var longestPDU: Int { 247 }
  /// Header of an L2CAP PDU: length and channel.
  package static var headerSize: Int { 4 }
  /// The space in front of a PDU and of each of its fragments, for the packet header of HCI: H4 type byte and
  /// ACL header.
  package static var packetHeaderSize: Int { 5 }

  /// The two PDUs that a connection has buffers for at most.
  package var slots: [2 of Slot]
  /// Which of two sending buffers is sent first.
  package var firstToSend: UInt8
  /// Whether continuation fragments belong to a PDU that is being skipped.
  package var isSkipping: Bool
  /// Whether a request of this host was queued and its response is outstanding, which will need a buffer.
  package var awaitsAnswer: Bool
  /// The role of this device.
  package var role: ConnectionRole
  /// The response that is pending on the signalling or security channel.
  package var control: ControlChannels
  /// Whether a PDU of this host was refused, so that the host has to be informed when there is room.
  package var wantsReady: Bool
  /// Whether `timing` is to be set: it was requested by the peer, and accepted.
  package var wantsUpdate: Bool
  /// Explicit padding, so that an array of these is cleared by one call.
  private var padding: UInt8
  /// The connection parameters that the peer has requested; see `wantsUpdate`.
  package var timing: ConnectionTiming

  /// A connection without traffic: all zero bits.
  package init() {
    slots = .init(repeating: .free)
    firstToSend = 0
    isSkipping = false
    awaitsAnswer = false
    role = .central
    control = ControlChannels()
    wantsReady = false
    wantsUpdate = false
    padding = 0
    timing = ConnectionTiming(intervalMin: 0, intervalMax: 0, latency: 0, timeout: 0)
  }
}
