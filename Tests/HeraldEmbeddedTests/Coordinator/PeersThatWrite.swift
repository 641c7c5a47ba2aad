import HeraldBluetooth
import HeraldEmbedded
import HeraldSimulation
import Testing

/// The three ways in which peers write a message.
enum WayOfWriting: CaseIterable {
  /// One Write Request.
  case whole
  /// Write Requests of at most 20 bytes, each a value of its own: Android phones.
  case parts
  /// Prepare Write Requests and an Execute Write Request: iPhones.
  case prepared

  /// The requests that write `message` to the value at `handle`.
  func requests(_ message: [UInt8], to handle: UInt8) -> [[UInt8]] {
    switch self {
    case .whole: return [[0x12, handle, 0x00] + message]
    case .parts: return Self.pieces(message, 20).map { [0x12, handle, 0x00] + $0 }
    case .prepared:
      var offset = 0
      let parts = Self.pieces(message, 18).map { piece in
        defer { offset += piece.count }
        return [0x16, handle, 0x00, UInt8(offset & 0xFF), UInt8(offset >> 8)] + piece
      }
      return parts + [[0x18, 0x01]]
    }
  }

  /// A message in pieces of at most `length` bytes.
  static func pieces(_ message: [UInt8], _ length: Int) -> [[UInt8]] {
    stride(from: 0, to: message.count, by: length).map {
      Array(message[$0..<min($0 + length, message.count)])
    }
  }
}

extension ScenarioWith {
  /// A peer connects to us and agrees on an ATT_MTU of 247. What was heard and answered before is over.
  func comes(_ peer: DeviceAddress = Peer.iPhone, on connection: Int = 0) {
    happen(.opened(ConnectionID(index: connection), .peripheral, peer: peer))
    happen(.pdu(hex("02 F7 00"), on: ConnectionID(index: connection)))
    _ = heard()
    _ = answers()
  }

  /// The peer goes.
  func goes(_ connection: Int = 0) {
    happen(.closed(ConnectionID(index: connection), .remoteUserTerminated))
  }

  /// A peer sends a request; the answer to it.
  func ask(_ request: [UInt8], on connection: Int = 0) -> [UInt8] {
    happen(.pdu(request, on: ConnectionID(index: connection)))
    return answers().first ?? []
  }

  /// A peer writes a message, and every piece of it is taken.
  func write(
    _ message: [UInt8], _ way: WayOfWriting = .whole, to handle: UInt8 = 0x0E, on connection: Int = 0,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for request in way.requests(message, to: handle) {
      let answer = ask(request, on: connection)
      let expected: [UInt8] =
        switch request[0] {
        case 0x12: [0x13]
        case 0x16: [0x17] + request.dropFirst()
        default: [0x19]
        }
      #expect(answer == expected, sourceLocation: sourceLocation)
    }
  }

  /// The rows of the log without those about the device itself.
  func peersInLog() -> [String] { log().filter { !$0.contains(" started ") && !$0.contains(" own ") } }
}
