/// The results of control procedures that a link layer reports to its host: of those that this device has
/// started, and of connection updates by the peer.
public enum LinkLayerResult: Equatable, BitwiseCopyable, Sendable {
  /// The parameters of a connection have changed, or an update by this device has taken effect.
  /// The connection interval is in units of 1.25 ms, the supervision timeout in units of 10 ms.
  case updated(connection: Int, interval: UInt16, latency: UInt16, timeout: UInt16)
  /// The feature exchange has ended: FeatureSet of the peer, or the HCI error code for which it has refused.
  case features(connection: Int, status: UInt8, features: UInt64)
  /// The version exchange has ended: the peer's version, of number 0 if it has refused.
  case version(connection: Int, LinkLayerVersion)
}
