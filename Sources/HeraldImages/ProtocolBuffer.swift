/// As much of Protocol Buffers' wire format as an init packet needs (protobuf.dev, "Encoding"): numbers of
/// variable length, and fields that tell theirs.
enum ProtocolBuffer {
  /// A field's value.
  enum Value: Equatable {
    case number(UInt64)
    case bytes([UInt8])
  }

  /// A number in groups of seven bits, lowest first.
  static func varint(_ number: UInt64) -> [UInt8] {
    var rest = number
    var bytes: [UInt8] = []
    while rest > 0x7F {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  /// A field with a number.
  static func field(_ index: UInt64, _ number: UInt64) -> [UInt8] { varint(index << 3) + varint(number) }

  /// A field with bytes: a text, a message, or numbers one after the other.
  static func field(_ index: UInt64, _ bytes: [UInt8]) -> [UInt8] {
    varint(index << 3 | 2) + varint(UInt64(bytes.count)) + bytes
  }

  /// The fields of a message in their order; `nil` if it is none.
  static func fields(_ message: [UInt8]) -> [(index: UInt64, value: Value)]? {
    var rest = message[...]
    var found: [(index: UInt64, value: Value)] = []
    while !rest.isEmpty {
      guard let key = takeVarint(&rest) else { return nil }
      switch key & 7 {
      case 0:
        guard let number = takeVarint(&rest) else { return nil }
        found.append((key >> 3, .number(number)))
      case 2:
        guard let count = takeVarint(&rest), count <= UInt64(rest.count) else { return nil }
        found.append((key >> 3, .bytes(Array(rest.prefix(Int(count))))))
        rest = rest.dropFirst(Int(count))
      default: return nil
      }
    }
    return found
  }

  /// Takes a number off the front; `nil` if it does not end, or is longer than 64 bits.
  static func takeVarint(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard let byte = rest.popFirst() else { return nil }
      guard shift < 63 || byte <= 1 else { return nil }
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
    }
    return nil
  }
}
