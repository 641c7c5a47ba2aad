import Board
import HeraldEmbedded
import HeraldHCI

// What a micro:bit runs, whose only UART is the controller's: `WearableSmall` without a management link.
nonisolated(unsafe) var node = HeraldNode<
  HCIRadio<Line, 2>, BoardFlash, BoardRandom, FixedPayloadSupplier, NoDelegate, NoNeighbours, 16, 2
>(
  makingRadio: { HCIRadio(transport: Line(at: 0x4000_2000)) },
  flash: BoardFlash(start: 0x0001_8000, pageSize: 1024, pageCount: 160),
  random: BoardRandom(),
  supplier: FixedPayloadSupplier(country: 826, state: 0, clientIdentifier: 1_234_567_890),
  delegate: NoDelegate())
while true {
  let now = boardClock()
  _ = node.poll(at: now)
}
