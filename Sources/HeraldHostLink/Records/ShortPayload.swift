import Foundation

/// The short form of a payload that Herald's logs use.
public enum ShortPayload {
  /// Six base64 characters of what follows the first three bytes; of all of them when there are no more than
  /// three. Payloads that differ only in what is outside share a short form.
  public static func text(_ payload: [UInt8]) -> String {
    if payload.count <= 3 { return Data(payload).base64EncodedString() }
    // Six characters come from at most five bytes; padding counts as a character, as it does on the phones.
    return String(Data(payload[3..<min(payload.count, 9)]).base64EncodedString().prefix(6))
  }
}
