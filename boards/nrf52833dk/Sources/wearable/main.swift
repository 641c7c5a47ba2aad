import Board
import HeraldChips
import HeraldDeviceLink
import HeraldEmbedded
import HeraldFirmware
import HeraldHCI

// A wearable: 64 peers, four connections, its battery logged, a payload that a host can change, events for
// who watches. The tap is the first delegate: it is as long as eight bytes a few times, so there is no gap
// behind it, and it is cleared in its place.
nonisolated(unsafe) var device = ManagedNode<
  HCIRadio<Line, 4>, FlashMap, Random, StoredPayloadSupplier<132>,
  SensorDelegates<LiveTap, BatterySensor<Supply>>, NoNeighbours, Firmware<Board>, 64, 4, 2
>(
  makingRadio: { HCIRadio(transport: Board.controllerLine()) },
  flash: Board.flash(),
  random: Board.random(),
  supplier: StoredPayloadSupplier(
    otherwise: FixedPayloadSupplier(country: 826, state: 0, clientIdentifier: 1_234_567_890)),
  delegate: SensorDelegates(LiveTap(), BatterySensor(Board.supply())),
  board: Board.firmware())
nonisolated(unsafe) var links = USBManagement<USBD<MappedRegisters>, 1024, 1>(
  Board.usb(), serialNumber: Board.serialNumber())
while true {
  device.round(serving: &links)
  device.board.hardware.show(isReady: device.node.radio.state == .ready)
}
