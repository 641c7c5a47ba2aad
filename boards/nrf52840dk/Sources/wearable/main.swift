import Board
import HeraldChips
import HeraldDeviceLink
import HeraldEmbedded
import HeraldHCI

// A wearable: 64 peers, four connections, its battery logged, a payload that never changes.
nonisolated(unsafe) var device = ManagedNode<
  HCIRadio<Line, 4>, FlashMap, Random, FixedPayloadSupplier,
  SensorDelegates<BatterySensor<Supply>, NoDelegate>, NoNeighbours, Board, 64, 4
>(
  makingRadio: { HCIRadio(transport: Board.controllerLine()) },
  flash: Board.flash(),
  random: Board.random(),
  supplier: FixedPayloadSupplier(country: 826, state: 0, clientIdentifier: 1_234_567_890),
  delegate: SensorDelegates(BatterySensor(Board.supply()), NoDelegate()),
  board: Board())
nonisolated(unsafe) var server = SMPServer()
nonisolated(unsafe) var usb = USBDevice<USBD<MappedRegisters>, 4096, 2>(
  controller: Board.usb(), serialNumber: Board.serialNumber())
while true {
  let now = device.board.now()
  let deadline = device.node.poll(at: now)
  usb.poll(at: now, server: &server, device: &device)
  device.board.rest(until: deadline, isReady: device.node.radio.state == .ready)
}
