/// Splits the bytes from a host into H4 packets (Core Specification, Vol 4, Part A), one at a time.
///
/// A packet is stored with its type. Of a packet longer than any that the controller accepts the first bytes
/// are stored and the others skipped.
///
/// A byte that is no packet type means that synchronisation is lost. All bytes up to HCI_Reset are then
/// skipped (Vol 4, Part A, 4).
struct HCIInput: BitwiseCopyable {
  /// The type of a packet.
  enum Kind: UInt8 {
    case command = 1
    case aclData = 2
    case synchronousData = 3
    case isochronousData = 5
  }

  /// The number of bytes stored: the longest accepted command, and the longest accepted data, are shorter.
  static var capacity: Int { 40 }

  private(set) var bytes: [40 of UInt8] = .init(repeating: 0)
  /// The number of bytes of the packet that were received.
  private(set) var count = 0
  private var isHunting = false

  /// No packet: all bits are zero.
  init() {}

  /// The type of the packet.
  var kind: Kind? { Kind(rawValue: bytes[0]) }
  /// The opcode of a command, or handle and flags of data.
  var word: UInt16 { UInt16(bytes[1]) | UInt16(bytes[2]) &<< 8 }
  /// The length after the header, according to the header.
  var length: Int {
    switch kind {
    case .aclData: Int(bytes[3]) | Int(bytes[4]) &<< 8
    // The two bits above are reserved.
    case .isochronousData: Int(bytes[3]) | Int(bytes[4] & 0x3F) &<< 8
    case .command, .synchronousData, nil: Int(bytes[3])
    }
  }
  /// The length of the header with the type.
  var header: Int {
    switch kind {
    case .aclData, .isochronousData: 5
    case .command, .synchronousData, nil: 4
    }
  }

  /// Whether the packet is complete.
  var isComplete: Bool { count >= header && count >= header &+ length }
  /// The end of the stored part of the packet.
  var end: Int { min(header &+ length, Self.capacity) }

  /// Begins the next packet.
  mutating func clear() { count = 0 }

  /// Stores a whole packet without its type. Returns `false`, and stores nothing, if less is passed than its
  /// header states or than can be stored.
  mutating func load(_ kind: Kind, _ packet: Span<UInt8>) -> Bool {
    var next = HCIInput()
    next.bytes[0] = kind.rawValue
    var index = 0
    while index < packet.count, index < Self.capacity &- 1 {
      next.bytes[index &+ 1] = packet[unchecked: index]
      index &+= 1
    }
    guard packet.count &+ 1 >= min(next.header &+ next.length, Self.capacity) else { return false }
    next.count = next.header &+ next.length
    self = next
    return true
  }

  /// Processes the next byte; the packet is not complete. Returns `false` if it caused a loss of
  /// synchronisation.
  mutating func take(_ byte: UInt8) -> Bool {
    if isHunting {
      hunt(byte)
      return true
    }
    if count < Self.capacity { bytes[count] = byte }
    if count == 0, kind == nil {
      isHunting = true
      return false
    }
    count &+= 1
    return true
  }

  /// Searches for HCI_Reset.
  private mutating func hunt(_ byte: UInt8) {
    let reset: [4 of UInt8] = [1, 0x03, 0x0C, 0]
    if byte != reset[count] { count = 0 }
    guard byte == reset[count] else { return }
    bytes[count] = byte
    count &+= 1
    if count == 4 { isHunting = false }
  }
}
