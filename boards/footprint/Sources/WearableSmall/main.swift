import Board
import HeraldDeviceLink
import HeraldEmbedded
import HeraldHCI

nonisolated(unsafe) var node = HeraldNode<
  HCIRadio<Line, 2>, BoardFlash, BoardRandom, FixedPayloadSupplier, NoDelegate, 16, 2
>(
  radio: HCIRadio(transport: Line(at: 0x4000_2000)),
  flash: BoardFlash(start: 0x0001_8000, pageSize: 1024, pageCount: 160),
  random: BoardRandom(),
  supplier: FixedPayloadSupplier(country: 826, state: 0, clientIdentifier: 1_234_567_890),
  delegate: NoDelegate())
while true { _ = node.poll(at: boardClock()) }
