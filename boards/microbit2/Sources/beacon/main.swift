import Board
import HeraldEmbedded
import HeraldFirmware

// A beacon at a venue: it is read by up to four peers at a time, and does not scan.
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
nonisolated(unsafe) var device = Wearable<
  Beacon,
  16,  // targets
  4,  // connections
  4  // payloads
>()
nonisolated(unsafe) var links = Links(Board.managementLine())
while true {
  device.round(serving: &links)
  device.board.hardware.show(isReady: device.node.radio.state == .ready)
}
