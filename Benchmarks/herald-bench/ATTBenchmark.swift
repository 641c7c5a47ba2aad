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
    ("write_command", [0x52, 0x18, 0x00] + [UInt8](repeating: 0x55, count: 20)),
  ]

  /// The table with the management link, whose characteristic is the only one for Write Commands.
  enum Table: GATTTable {
    static var database: GATTDatabase { @_lifetime(immortal) get { HeraldGATTTable.managed } }
  }

  static func run(_ figures: inout Figures) {
    var server = ATTServer<Table, 1, 1>()
    var values = Values()
    server.opened(ConnectionID(index: 0))
    var buffer: [23 of UInt8] = .init(repeating: 0)
    var total = 0.0
    let count = 200_000
    for request in requests {
      let time = nanoseconds(per: count) {
        for _ in 0..<count {
          var span = buffer.mutableSpan
          copy(request.bytes, to: &span)
          keep(respond(to: &span, count: request.bytes.count, &server, &values))
        }
      }
      figures.add("att_\(request.name)_ns", time, "ns")
      total += time
    }
    figures.add("att_request_ns", total / Double(requests.count), "ns")
  }

  /// One request. Not inlined, so that the compiler knows neither the request nor the state of the server.
  @inline(never)
  static func respond(
    to buffer: inout MutableSpan<UInt8>, count: Int, _ server: inout ATTServer<Table, 1, 1>,
    _ values: inout Values
  ) -> Int {
    server.respond(to: &buffer, count: count, on: ConnectionID(index: 0), at: .start, values: &values)
  }

  /// Puts a request where the server takes it, by one call of the C library.
  private static func copy(_ bytes: [UInt8], to buffer: inout MutableSpan<UInt8>) {
    bytes.withUnsafeBytes { source in
      buffer.withUnsafeMutableBytes { $0.copyMemory(from: source) }
    }
  }
}
