import Board
import HeraldChips
import HeraldDeviceLink
import HeraldEmbedded
import HeraldFirmware
import HeraldHCI

// A wearable: 64 peers, four connections, its battery logged, a payload that never changes.
nonisolated(unsafe) var device = ManagedNode<
  HCIRadio<Line, 4>, FlashMap, Random, FixedPayloadSupplier,
  SensorDelegates<BatterySensor<Supply>, NoDelegate>, NoNeighbours, Firmware<Board>, 64, 4
>(
  makingRadio: { HCIRadio(transport: Board.controllerLine()) },
  flash: Board.flash(),
  random: Board.random(),
  supplier: FixedPayloadSupplier(country: 826, state: 0, clientIdentifier: 1_234_567_890),
  delegate: SensorDelegates(BatterySensor(Board.supply()), NoDelegate()),
  board: Board.firmware())
nonisolated(unsafe) var links = USBManagement<USBD<MappedRegisters>, 4096, 2>(
  Board.usb(), serialNumber: Board.serialNumber())
while true {
  device.round(serving: &links)
  device.board.hardware.show(isReady: device.node.radio.state == .ready)
}
