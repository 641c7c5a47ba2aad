import Board
import HeraldDeviceLink
import HeraldEmbedded
import HeraldHCI

nonisolated(unsafe) var node = HeraldNode<
  HCIRadio<Line, 4>, BoardFlash, BoardRandom, FixedPayloadSupplier, NoDelegate, 64, 4
>(
  radio: HCIRadio(transport: Line(at: 0x4000_2000)),
  flash: BoardFlash(start: 0x0001_C000, pageSize: 4096, pageCount: 100),
  random: BoardRandom(),
  supplier: FixedPayloadSupplier(country: 826, state: 0, clientIdentifier: 1_234_567_890),
  delegate: NoDelegate())
while true { _ = node.poll(at: boardClock()) }
