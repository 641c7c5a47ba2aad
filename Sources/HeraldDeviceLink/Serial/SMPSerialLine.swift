/// The format of a line of SMP over serial.
enum SMPSerialLine {
  /// The two bytes before the first line of a packet.
  static var first1: UInt8 { 0x06 }
  static var first2: UInt8 { 0x09 }
  /// The two bytes before each further line.
  static var next1: UInt8 { 0x04 }
  static var next2: UInt8 { 0x14 }
  /// The line feed behind each line.
  static var end: UInt8 { 0x0A }
  /// Bytes that the base64 of a full line of ours holds: 2 + 124 + 1 bytes are 127, the longest line that
  /// MCUmgr accepts.
  static var payload: Int { 93 }

  /// The six bits a base64 character stands for (RFC 4648, section 4).
  static func bits(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character &- UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character &- UInt8(ascii: "a") &+ 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character &- UInt8(ascii: "0") &+ 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }

  /// The base64 character for the low six bits of `bits`.
  static func character(_ bits: UInt32) -> UInt8 {
    let value = UInt8(truncatingIfNeeded: bits & 63)
    switch value {
    case 0..<26: return UInt8(ascii: "A") &+ value
    case 26..<52: return UInt8(ascii: "a") &+ value &- 26
    case 52..<62: return UInt8(ascii: "0") &+ value &- 52
    case 62: return UInt8(ascii: "+")
    default: return UInt8(ascii: "/")
    }
  }
}
