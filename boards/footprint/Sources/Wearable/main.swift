import Board
import HeraldDeviceLink
import HeraldEmbedded
import HeraldHCI

nonisolated(unsafe) var device = ManagedNode<
  HCIRadio<Line, 4>, BoardFlash, BoardRandom, FixedPayloadSupplier, NoDelegate, NoNeighbours, WearableBoard,
  64, 4
>(
  makingRadio: { HCIRadio(transport: Line(at: 0x4000_2000)) },
  flash: BoardFlash(start: 0x0001_C000, pageSize: 4096, pageCount: 100),
  random: BoardRandom(),
  supplier: FixedPayloadSupplier(country: 826, state: 0, clientIdentifier: 1_234_567_890),
  delegate: NoDelegate(),
  board: WearableBoard())
nonisolated(unsafe) var server = SMPServer()
nonisolated(unsafe) var serial = SerialLink<512>(at: 0x4002_8000)
nonisolated(unsafe) var usb = USBDevice<BoardUSB, 4096, 2>(
  controller: BoardUSB(at: 0x4002_7000), serialNumber: InlineBytes())
while true {
  let now = boardClock()
  _ = device.node.poll(at: now)
  serial.serve(at: now, server: &server, device: &device)
  usb.poll(at: now, server: &server, device: &device)
  device.board.restartIfDue(at: now)
}
