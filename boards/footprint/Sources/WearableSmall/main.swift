import Board
import HeraldDeviceLink
import HeraldEmbedded
import HeraldHCI

nonisolated(unsafe) var device = ManagedNode<
  HCIRadio<Line, 2>, BoardFlash, BoardRandom, FixedPayloadSupplier, NoDelegate, NoNeighbours, WearableBoard,
  16, 2
>(
  makingRadio: { HCIRadio(transport: Line(at: 0x4000_2000)) },
  flash: BoardFlash(start: 0x0001_8000, pageSize: 1024, pageCount: 160),
  random: BoardRandom(),
  supplier: FixedPayloadSupplier(country: 826, state: 0, clientIdentifier: 1_234_567_890),
  delegate: NoDelegate(),
  board: WearableBoard())
nonisolated(unsafe) var server = SMPServer()
nonisolated(unsafe) var serial = SerialLink<256>(at: 0x4002_8000)
while true {
  let now = boardClock()
  _ = device.node.poll(at: now)
  serial.serve(at: now, server: &server, device: &device)
  device.board.restartIfDue(at: now)
}
