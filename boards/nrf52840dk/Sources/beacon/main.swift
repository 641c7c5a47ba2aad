import Board
import HeraldChips
import HeraldDeviceLink
import HeraldEmbedded
import HeraldHCI

// A beacon at a venue: it is read by up to four peers at a time, and looks for nobody.
nonisolated(unsafe) var beacon = HeraldConfiguration()
beacon.scans = false
nonisolated(unsafe) var device = ManagedNode<
  HCIRadio<Line, 4>, FlashMap, Random, VenuePayloadSupplier<64>, NoDelegate, NoNeighbours, Board, 16, 4
>(
  makingRadio: { HCIRadio(transport: Board.controllerLine()) },
  flash: Board.flash(),
  random: Board.random(),
  supplier: VenuePayloadSupplier(country: 826, state: 4, code: 123_456),
  delegate: NoDelegate(),
  board: Board(),
  configuration: beacon)
nonisolated(unsafe) var server = SMPServer()
nonisolated(unsafe) var usb = USBDevice<USBD<MappedRegisters>, 4096, 2>(
  controller: Board.usb(), serialNumber: Board.serialNumber())
while true {
  let now = device.board.now()
  let deadline = device.node.poll(at: now)
  usb.poll(at: now, server: &server, device: &device)
  device.board.rest(until: deadline, isReady: device.node.radio.state == .ready)
}
