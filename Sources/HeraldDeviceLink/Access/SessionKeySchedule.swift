import HeraldCrypto
import HeraldEmbedded
import HeraldHAL

/// The values that host and device derive from the access key and both nonces for a session
/// (docs/wire-formats.md, "Session"): a proof for each side, and a key for each direction. HKDF-SHA256 with
/// the nonces as salt; each output is bound to the device's serial number.
public struct SessionKeySchedule: ~Copyable {
  private var secret: HKDFSHA256

  /// Bytes of a nonce.
  public static var nonceSize: Int { 16 }
  /// Bytes of a proof.
  public static var proofSize: Int { 32 }
  /// The longest serial number in bytes; of a longer one the first 32 are used.
  public static var longestSerial: Int { 32 }

  /// An instance without a session, which `begin` sets.
  @inline(__always)
  public init() { secret = HKDFSHA256() }

  /// Sets it to one session. Both nonces have 16 bytes.
  @inline(__always)
  public mutating func begin(accessKey: Span<UInt8>, deviceNonce: Span<UInt8>, hostNonce: Span<UInt8>) {
    secret.extract(salt: deviceNonce, hostNonce, keyMaterial: accessKey)
  }

  /// The proof to the device that the host has the key.
  public mutating func hostProof(serial: Span<UInt8>, into proof: inout [32 of UInt8]) {
    secret.expand("herald session 1 host", serial, into: &proof)
  }

  /// The proof to the host that the device has the key.
  public mutating func deviceProof(serial: Span<UInt8>, into proof: inout [32 of UInt8]) {
    secret.expand("herald session 1 device", serial, into: &proof)
  }

  /// Both keys: 16 bytes for requests, then 16 for responses.
  public mutating func keys(serial: Span<UInt8>, into keys: inout [32 of UInt8]) {
    secret.expand("herald session 1 keys", serial, into: &keys)
  }

  /// Overwrites all values derived from the access key.
  public mutating func wipe() { secret.wipe() }
}

/// The keys of a session, one for each direction. Zeros while there is none.
public struct SessionKeys: BitwiseCopyable {
  var requests: [16 of UInt8] = .init(repeating: 0)
  var responses: [16 of UInt8] = .init(repeating: 0)

  init() {}

  /// Copies the result of `SessionKeySchedule.keys`.
  mutating func take(_ bytes: inout [32 of UInt8]) {
    for index in 0..<16 {
      requests[index] = bytes[index]
      responses[index] = bytes[16 &+ index]
    }
    var span = bytes.mutableSpan
    span.wipe()
  }

  mutating func wipe() {
    var bytes = requests.mutableSpan
    bytes.wipe()
    bytes = responses.mutableSpan
    bytes.wipe()
  }
}
