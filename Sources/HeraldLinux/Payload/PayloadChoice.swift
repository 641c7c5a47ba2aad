import HeraldEmbedded
import HeraldText

/// The payload of a device, as written in options.
package enum PayloadChoice: Equatable, Sendable {
  /// A fixed payload with country, state and client identifier: `fixed:826,4,1234567890`.
  case fixed(country: UInt16, state: UInt16, identifier: UInt64)
  /// A simple payload with a file of the matching keys of future days: `simple:KEYFILE`.
  case simple(file: String)
  /// A venue beacon's payload: country, state, venue code and optionally the venue's name:
  /// `venue:826,4,123123,Erin's Stakehouse`.
  case venue(country: UInt16, state: UInt16, code: UInt32, name: String)
  /// The payload of the phones' demonstration apps, with identifier and length: `test:42,129`.
  case test(identifier: Int32, length: Int)
  /// Any 1 to 510 bytes: `hex:910102`.
  case opaque([UInt8])
  /// The payload that a host stores on the device: `stored`.
  case stored

  /// Parses the written form.
  package init(_ text: String) throws(SystemFailure) {
    if text == "stored" {
      self = .stored
      return
    }
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { throw Self.unknown(text) }
    switch parts[0] {
    case "fixed": self = try Self.fixed(parts[1])
    case "simple": self = .simple(file: parts[1])
    case "venue": self = try Self.venue(parts[1])
    case "test": self = try Self.test(parts[1])
    case "hex": self = try Self.hex(parts[1])
    default: throw Self.unknown(text)
    }
  }

  private static func unknown(_ text: String) -> SystemFailure {
    SystemFailure(
      "offer", text, reason: "it is no payload this program knows",
      advice: "the forms are fixed:COUNTRY,STATE,ID, simple:KEYFILE, venue:COUNTRY,STATE,CODE[,NAME], "
        + "test:ID[,LENGTH], hex:BYTES and stored")
  }

  private static func fixed(_ text: String) throws(SystemFailure) -> PayloadChoice {
    let fields = text.split(separator: ",", omittingEmptySubsequences: false)
    guard fields.count == 3, let country = UInt16(fields[0]), let state = UInt16(fields[1]),
      let identifier = UInt64(fields[2]), identifier != 0
    else {
      throw SystemFailure(
        "offer", "fixed:" + text,
        reason: "country and state are numbers up to 65535, the identifier is one from 1 on",
        advice: "an example is fixed:826,4,1234567890")
    }
    return .fixed(country: country, state: state, identifier: identifier)
  }

  private static func venue(_ text: String) throws(SystemFailure) -> PayloadChoice {
    // A name may contain commas.
    let fields = text.split(separator: ",", maxSplits: 3, omittingEmptySubsequences: false)
    guard fields.count >= 3, let country = UInt16(fields[0]), let state = UInt16(fields[1]),
      let code = UInt32(fields[2]), code != 0
    else {
      throw SystemFailure(
        "offer", "venue:" + text,
        reason: "country and state are numbers up to 65535, the venue's is one from 1 to 4294967295",
        advice: "an example is venue:826,4,123123,Erin's Stakehouse")
    }
    let name = fields.count == 4 ? String(fields[3]) : ""
    guard name.utf8.count <= 255 else {
      throw SystemFailure(
        "offer", "venue:" + text, reason: "the name has \(name.utf8.count) bytes, and 255 is the most")
    }
    return .venue(country: country, state: state, code: code, name: name)
  }

  private static func test(_ text: String) throws(SystemFailure) -> PayloadChoice {
    let fields = text.split(separator: ",", omittingEmptySubsequences: false)
    let length = fields.count == 2 ? Int(fields[1]) : TestPayloadSupplier.usualLength
    guard fields.count <= 2, let identifier = Int32(fields[0]), let length,
      TestPayloadSupplier(identifier: identifier, length: length) != nil
    else {
      throw SystemFailure(
        "offer", "test:" + text,
        reason: "the identifier is a number from -2147483648 to 2147483647, the length one from 7 to 510",
        advice: "an example is test:42 or, with its length, test:42,129")
    }
    return .test(identifier: identifier, length: length)
  }

  private static func hex(_ text: String) throws(SystemFailure) -> PayloadChoice {
    guard let bytes = Hexadecimal.bytes(text.utf8), (1...Payload.maximumLength).contains(bytes.count) else {
      throw SystemFailure(
        "offer", "hex:" + text, reason: "a payload is 1 to 510 bytes, each two hexadecimal digits",
        advice: "an example is hex:913a030400")
    }
    return .opaque(bytes)
  }
}
