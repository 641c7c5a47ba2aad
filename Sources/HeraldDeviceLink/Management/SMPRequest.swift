import HeraldHAL

/// A request with a valid header, and its response, which is written over it: the request has to be read
/// before.
struct SMPRequest: ~Copyable, ~Escapable {
  /// The body of the response, in the packet behind the header.
  var answer: CBORWriter
  let header: SMPHeader
  /// Where the request's body ends in the packet.
  private let end: Int
  let bufferCount: Int
  let now: Instant

  /// The contents of its body, once read.
  private(set) var said = SMPBody()

  @_lifetime(copy packet)
  init(
    _ header: SMPHeader, in packet: consuming MutableSpan<UInt8>, end: Int, bufferCount: Int, now: Instant
  ) {
    answer = CBORWriter(packet, from: SMPHeader.size)
    self.header = header
    self.end = end
    self.bufferCount = bufferCount
    self.now = now
  }

  /// Whether it requests `command` with an operation of `operation`.
  func asks(_ operation: SMPOperation, _ command: UInt8) -> Bool {
    header.operation == operation && header.command == command
  }

  /// Whether the header has been received, which contains the packet's length.
  var isWhole: Bool { SMPHeader.size &+ Int(header.length) == end }

  /// Responds with a failure, whatever has been written.
  @_lifetime(self: copy self)
  mutating func refuse(_ failure: SMPFailure) {
    answer.writer.rewind(to: SMPHeader.size)
    answer.map(1)
    if header.version > 0, let group = failure.group {
      answer.key(.error)
      answer.map(2)
      answer.field(.group, UInt32(group.rawValue))
      answer.field(.returnCode, UInt32(failure.code))
    } else {
      answer.field(.returnCode, UInt32(failure.general.rawValue))
    }
  }

  /// The body of the request.
  var body: Span<UInt8> {
    @_lifetime(borrow self)
    get { answer.writer.whole.extracting(SMPHeader.size..<end) }
  }

  /// Bytes of the packet.
  @_lifetime(borrow self)
  func span(_ bytes: SMPBytes) -> Span<UInt8> { answer.writer.whole.extracting(bytes.range) }

  /// Reads the body (see `SMPBody.read`).
  @_lifetime(self: copy self)
  mutating func read(needed: SMPKeys = .none, optional: SMPKeys = .none) -> Bool {
    var said = SMPBody()
    let isRead = said.read(body, needed: needed, optional: optional)
    self.said = said
    return isRead
  }
}
