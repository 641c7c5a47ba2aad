import HeraldEmbedded
import HeraldFirmware

#if HCI_CONTROLLER
  import HCIBoard
#else
  import Board
#endif

// A beacon at a venue: it is read by up to two peers at a time, and does not scan.
enum Beacon: WearableParts {
  static func supplier() -> VenuePayloadSupplier<64> {
    VenuePayloadSupplier(country: 826, state: 4, code: 123_456)
  }
  static func configuration() -> HeraldConfiguration {
    var configuration = HeraldConfiguration()
    configuration.scans = false
    return configuration
  }
}
nonisolated(unsafe) var links = NoLinks()
nonisolated(unsafe) var device = Wearable<
  Beacon,
  8,  // targets
  2,  // connections
  2  // payloads
>()
while true { device.round(serving: &links) }
