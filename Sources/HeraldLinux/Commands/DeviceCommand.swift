import HeraldEmbedded
import HeraldText

/// A command to a device that runs as a process, one per line:
///
/// - `send IDENTITY HEX` sends a message to a peer, with the identity as in `contacts.csv`;
/// - `send-to-all HEX` sends it to every peer in range.
package enum DeviceCommand: Equatable, Sendable {
  /// Sends these bytes to a peer.
  case send([UInt8], to: IdentityBits)
  /// Sends these bytes to every peer in range.
  case sendToAll([UInt8])

  /// Parses a line; `nil` if it is blank.
  package init?(_ line: some Collection<UInt8>) throws(DeviceCommandError) {
    let words = line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\r") }
    guard let first = words.first else { return nil }
    switch String(decoding: first, as: UTF8.self) {
    case "send":
      guard words.count == 3 else { throw .wrongForm }
      guard let peer = IdentityBits(words[1]) else { throw .noIdentity }
      self = .send(try Self.message(words[2]), to: peer)
    case "send-to-all":
      guard words.count == 2 else { throw .wrongForm }
      self = .sendToAll(try Self.message(words[1]))
    default: throw .unknown
    }
  }

  private static func message(_ digits: some Collection<UInt8>) throws(DeviceCommandError) -> [UInt8] {
    guard let bytes = Hexadecimal.bytes(digits) else { throw .noMessage }
    return bytes
  }
}

/// An error in a command; the raw value is the message for the user.
package enum DeviceCommandError: String, Error, Sendable {
  /// The line begins with no known command.
  case unknown = "there are the commands send IDENTITY HEX and send-to-all HEX"
  /// The command has too many words, or too few.
  case wrongForm = "the commands are send IDENTITY HEX and send-to-all HEX"
  /// The identity is not six bytes in hexadecimal digits.
  case noIdentity = "an identity is six bytes as in contacts.csv, 5C:DF:39:61:03:9D for one"
  /// The message is not in hexadecimal digits.
  case noMessage = "a message is bytes, each two hexadecimal digits"
}
