import Board
import HeraldChips
import HeraldDeviceLink
import HeraldEmbedded
import HeraldFirmware
import HeraldHCI

// A beacon at a venue: it is read by up to four peers at a time, and looks for nobody.
nonisolated(unsafe) var beacon = HeraldConfiguration()
beacon.scans = false
nonisolated(unsafe) var device = ManagedNode<
  HCIRadio<Line, 4>, FlashMap, Random, VenuePayloadSupplier<64>, NoDelegate, NoNeighbours, Firmware<Board>,
  16, 4, 4
>(
  makingRadio: { HCIRadio(transport: Board.controllerLine()) },
  flash: Board.flash(),
  random: Board.random(),
  supplier: VenuePayloadSupplier(country: 826, state: 4, code: 123_456),
  delegate: NoDelegate(),
  board: Board.firmware(),
  configuration: beacon)
nonisolated(unsafe) var links = USBManagement<USBD<MappedRegisters>, 1024, 1>(
  Board.usb(), serialNumber: Board.serialNumber())
while true {
  device.round(serving: &links)
  device.board.hardware.show(isReady: device.node.radio.state == .ready)
}
