import HeraldHAL

/// The payload of a data channel PDU, with capacity for the longest one.
struct DataPayload: BitwiseCopyable {
  /// The index of the connection.
  var connection: UInt8
  /// Whether it is the start of an L2CAP PDU.
  var isStart: Bool
  /// The length of the payload in bytes: 1…27.
  var count: UInt8
  var bytes: [27 of UInt8]

  /// An empty buffer.
  init() {
    connection = 0
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

  /// Copies the payload to the position after the header of a PDU.
  mutating func write(into pdu: consuming MutableSpan<UInt8>) {
    let payload = bytes.span
    let size = min(min(Int(count), payload.count), pdu.count &- 2)
    var index = 0
    while index < size {
      pdu[unchecked: index &+ 2] = payload[unchecked: index]
      index &+= 1
    }
  }

  /// Creates a copy of at most 27 bytes.
  mutating func copy(_ source: Span<UInt8>, from start: Int = 0) {
    var index = 0
    while index < 27, start &+ index < source.count {
      bytes[index] = source[unchecked: start &+ index]
      index &+= 1
    }
    count = UInt8(truncatingIfNeeded: index)
  }
}
