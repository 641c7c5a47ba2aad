import Foundation

/// The short form of a payload that Herald's logs use.
public enum ShortPayload {
  /// Six base64 characters of the bytes after the first three, or of all bytes if there are at most three.
  /// Payloads that differ only in other bytes have the same short form.
  public static func text(_ payload: [UInt8]) -> String {
    if payload.count <= 3 { return Data(payload).base64EncodedString() }
    // Six characters encode at most five bytes; padding counts as a character, as on phones.
    return String(Data(payload[3..<min(payload.count, 9)]).base64EncodedString().prefix(6))
  }
}
