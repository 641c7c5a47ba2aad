import HeraldEmbedded
import HeraldFirmware

#if HCI_CONTROLLER
  import HCIBoard
#else
  import Board
#endif

// A wearable: 16 peers, two connections, a payload that never changes. All of it in 16 KB of RAM.
enum Badge: WearableParts {
  static func supplier() -> FixedPayloadSupplier {
    FixedPayloadSupplier(country: 826, state: 0, clientIdentifier: 1_234_567_890)
  }
  // There is no management link that could set any.
  static var takesSettings: Bool { false }
}
nonisolated(unsafe) var links = NoLinks()
nonisolated(unsafe) var device = Wearable<
  Badge,
  16,  // targets
  2,  // connections
  2  // payloads
>()
while true { device.round(serving: &links) }
