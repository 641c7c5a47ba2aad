/// Acknowledgement and flow control of one connection: SN and NESN (Core Specification, Vol 6, Part B,
/// 4.5.9).
///
/// This is what the radio interrupt decides in. It knows that there are PDUs, not what is in them.
struct Acknowledgement: BitwiseCopyable {
  /// What was given to the radio last, and is sent again until the peer acknowledges it.
  enum InFlight: UInt8, BitwiseCopyable {
    /// It was acknowledged: the next PDU may be chosen.
    case nothing = 0
    /// An empty PDU.
    case empty = 1
    /// The control PDU.
    case control = 2
    /// The oldest of the data.
    case data = 3
  }

  /// transmitSeqNum.
  private var sequence: Bool
  /// nextExpectedSeqNum.
  private var nextExpected: Bool
  /// What is in flight.
  private(set) var inFlight: InFlight

  /// At the start of a connection.
  init() {
    sequence = false
    nextExpected = false
    inFlight = .nothing
  }

  /// Takes the acknowledgement in a header that came. Returns what it acknowledges.
  mutating func acknowledged(by header: DataHeader) -> InFlight {
    guard header.nextExpected != sequence else { return .nothing }
    sequence.toggle()
    defer { inFlight = .nothing }
    return inFlight
  }

  /// Whether the PDU with this header is new, and not the last one sent again.
  func isNew(_ header: DataHeader) -> Bool { header.sequence == nextExpected }

  /// Acknowledges the new PDU. Without this the peer sends it again: that is the flow control.
  mutating func accept() { nextExpected.toggle() }

  /// Chooses what to send: what is in flight again, or `next`.
  mutating func choose(_ next: InFlight) { if inFlight == .nothing { inFlight = next } }

  /// The header of what is in flight.
  func header(_ content: DataHeader.Content, hasMore: Bool, length: UInt8) -> DataHeader {
    DataHeader(content, nextExpected: nextExpected, sequence: sequence, hasMore: hasMore, length: length)
  }
}
