import Board
import HeraldEmbedded
import HeraldFirmware

// A wearable: 64 peers, four connections, a payload that a host can change, events for a host that watches.
enum Badge: WearableParts {
  static func supplier() -> StoredPayloadSupplier<132> {
    StoredPayloadSupplier(
      otherwise: FixedPayloadSupplier(country: 826, state: 0, clientIdentifier: 1_234_567_890))
  }
  static func delegate() -> LiveTap { LiveTap() }
}
nonisolated(unsafe) var links = SerialManagement<Line, 1024>(Board.managementLine())
nonisolated(unsafe) var device = Wearable<
  Badge,
  64,  // targets
  4,  // connections
  2  // payloads
>()
while true { device.round(serving: &links) }
