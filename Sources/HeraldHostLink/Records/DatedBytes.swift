import HeraldEmbedded

/// Bytes received from a peer, or offered to peers, at a known date.
public struct DatedBytes: Equatable, Sendable {
  /// The kind of the bytes.
  public enum Kind: Equatable, Sendable {
    /// A message to the application (HP-30).
    case message
    /// The peer's model, UTF-8 (HP-28).
    case model
    /// A code of an additional service that was observed of the peer.
    case observed(ServiceNumber)
    /// A code of an additional service that this device offered from then on.
    case own(ServiceNumber)
  }

  /// The date in milliseconds since 1970-01-01T00:00:00Z.
  public let unixMilliseconds: UInt64
  /// The peer; `nil` for codes offered by this device.
  public let peer: TargetIdentity?
  /// The kind of the bytes.
  public let kind: Kind
  /// The bytes.
  public let bytes: [UInt8]

  /// Initialises each member.
  public init(unixMilliseconds: UInt64, peer: TargetIdentity?, kind: Kind, bytes: [UInt8]) {
    self.unixMilliseconds = unixMilliseconds
    self.peer = peer
    self.kind = kind
    self.bytes = bytes
  }
}
