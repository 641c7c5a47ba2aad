import HeraldBluetooth
import HeraldEmbedded

/// Answering what a phone asks when it reads a payload: MTU exchange, discovery, a long read, and a signal
/// message written.
enum ATTBenchmark {
  /// A payload of 129 bytes, as the phones' test payload.
  struct Values: AttributeValues, ~Copyable {
    var payload: [129 of UInt8] = .init(repeating: 0x2A)
    var written = 0

    mutating func read(
      _ tag: AttributeTag, offset: Int, into buffer: inout MutableSpan<UInt8>, on connection: ConnectionID
    ) -> AttributeRead { .copying(payload.span, from: offset, into: &buffer) }

    mutating func write(
      _ tag: AttributeTag, _ value: Span<UInt8>, withResponse: Bool, on connection: ConnectionID
    ) -> ATTErrorCode? {
      written &+= value.count
      return nil
    }
  }

  /// Literal requests as a phone sends them.
  static let requests: [(name: String, bytes: [UInt8])] = [
    ("mtu", [0x02, 0x17, 0x00]),
    (
      "find_by_type_value_128",
      [
        0x06, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28, 0x9B, 0xFD, 0x5B, 0xD6, 0x72, 0x45, 0x1E, 0x80, 0xD3, 0x42,
        0x46, 0x47,
        0xAF, 0x32, 0x81, 0x42,
      ]
    ),
    ("find_by_type_value_16", [0x06, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28, 0xF6, 0xFC]),
    ("read_by_group_type", [0x10, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28]),
    ("read_by_type", [0x08, 0x11, 0x00, 0x15, 0x00, 0x03, 0x28]),
    ("find_information", [0x04, 0x01, 0x00, 0xFF, 0xFF]),
    ("read", [0x0A, 0x15, 0x00]),
    ("read_blob", [0x0C, 0x15, 0x00, 0x16, 0x00]),
    ("write", [0x12, 0x13, 0x00] + [UInt8](repeating: 0x55, count: 20)),
  ]

  static func run(_ figures: inout Figures) {
    var server = ATTServer<HeraldGATTTable, 1, 1>()
    var values = Values()
    let connection = ConnectionID(index: 0)
    server.opened(connection)
    var buffer = [UInt8](repeating: 0, count: 23)
    var total = 0.0
    let count = 200_000
    for request in requests {
      let time = nanoseconds(per: count) {
        for _ in 0..<count {
          copy(request.bytes, to: &buffer)
          var span = buffer.mutableSpan
          keep(
            server.respond(to: &span, count: request.bytes.count, on: connection, at: .start, values: &values)
          )
        }
      }
      figures.add("att_\(request.name)_ns", time, "ns")
      total += time
    }
    figures.add("att_request_ns", total / Double(requests.count), "ns")
  }

  /// Puts a request where the server takes it, by one call of the C library.
  private static func copy(_ bytes: [UInt8], to buffer: inout [UInt8]) {
    bytes.withUnsafeBytes { source in
      buffer.withUnsafeMutableBytes { $0.copyMemory(from: source) }
    }
  }
}
