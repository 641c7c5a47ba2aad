import Board
import HeraldDeviceLink
import HeraldEmbedded
import HeraldFirmware
import HeraldHCI

// A beacon at a venue: it is read by up to two peers at a time, and looks for nobody.
nonisolated(unsafe) var beacon = HeraldConfiguration()
beacon.scans = false
nonisolated(unsafe) var links = NoLinks()
nonisolated(unsafe) var device = ManagedNode<
  HCIRadio<Line, 2>, FlashMap, Random, VenuePayloadSupplier<64>, NoDelegate, NoNeighbours, Firmware<Board>, 8,
  2, 2
>(
  makingRadio: { HCIRadio(transport: Board.controllerLine()) },
  flash: Board.flash(),
  random: Board.random(),
  supplier: VenuePayloadSupplier(country: 826, state: 4, code: 123_456),
  delegate: NoDelegate(),
  board: Firmware(
    hardware: Board(), memory: Board.retained(), settings: Board.settings(), hint: Board.resetReason()),
  configuration: beacon)
while true { device.round(serving: &links) }
