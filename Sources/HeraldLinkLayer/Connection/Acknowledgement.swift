/// Acknowledgement and flow control of one connection: SN and NESN (Core Specification, Vol 6, Part B,
/// 4.5.9).
///
/// The radio interrupt uses it to select the next PDU. It is independent of the content of the PDUs.
struct Acknowledgement: BitwiseCopyable {
  /// The PDU that was passed to the radio last and is retransmitted until the peer acknowledges it.
  enum InFlight: UInt8, BitwiseCopyable {
    /// No PDU is unacknowledged: the next one may be selected.
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
  /// The PDU that has not been acknowledged yet.
  private(set) var inFlight: InFlight

  /// The state at the start of a connection.
  init() {
    sequence = false
    nextExpected = false
    inFlight = .nothing
  }

  /// Processes the acknowledgement in a received header. Returns the PDU that it acknowledges.
  mutating func acknowledged(by header: DataHeader) -> InFlight {
    guard header.nextExpected != sequence else { return .nothing }
    sequence.toggle()
    defer { inFlight = .nothing }
    return inFlight
  }

  /// Whether the PDU with this header is new, and not a retransmission of the last one.
  func isNew(_ header: DataHeader) -> Bool { header.sequence == nextExpected }

  /// Acknowledges the new PDU. Otherwise the peer retransmits it, which provides flow control.
  mutating func accept() { nextExpected.toggle() }

  /// Selects the PDU to be transmitted: the unacknowledged one again, or `next`.
  mutating func choose(_ next: InFlight) { if inFlight == .nothing { inFlight = next } }

  /// The header of the unacknowledged PDU.
  func header(_ content: DataHeader.Content, hasMore: Bool, length: UInt8) -> DataHeader {
    DataHeader(content, nextExpected: nextExpected, sequence: sequence, hasMore: hasMore, length: length)
  }
}
