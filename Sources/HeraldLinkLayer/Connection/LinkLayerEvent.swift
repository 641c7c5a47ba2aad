import HeraldBluetooth

/// The events that a link layer reports to its host, in addition to received PDUs.
public enum LinkLayerEvent: Equatable, BitwiseCopyable, Sendable {
  /// A connection was created: CONNECT_IND was transmitted or received.
  case opened(connection: Int, role: ConnectionRole, peer: DeviceAddress)
  /// A connection ended and its index is free.
  case closed(connection: Int, reason: DisconnectReason)
  /// Initiating ended without a connection.
  case connectFailed(reason: DisconnectReason)
  /// There is room for a payload of a connection whose last payload was refused.
  case ready(connection: Int)
  /// Directed advertising in high duty cycle ended without a connection.
  case directedAdvertisingEnded
}
