import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL

// The management link over Bluetooth, by the node's core and radio.

extension ManagedNode where RadioType: ~Copyable {
  /// The number of the core's client.
  public var managementSession: UInt16 { mutating get { node.core.managementSession } }

  /// Takes the next request from the core.
  public mutating func takeManagementRequest(into packet: inout MutableSpan<UInt8>) -> Int {
    node.core.takeManagementRequest(into: &packet)
  }

  /// The bytes of a notification on the client's connection.
  public var managementRoom: Int { mutating get { node.core.managementRoom } }

  /// Passes a part of a response to the radio.
  public mutating func notifyManagement(_ pdu: inout MutableSpan<UInt8>, at now: Instant) throws(RadioError) {
    try node.core.notifyManagement(&pdu, by: &node.radio, at: now)
  }

  /// Extends the life of the client's connection.
  public mutating func trustManagementClient(at now: Instant) { node.core.trustManagementClient(at: now) }
}
