import Board
import HeraldDeviceLink
import HeraldEmbedded
import HeraldFirmware
import HeraldHCI

// A wearable: 16 peers, two connections, a payload that never changes. All of it in 16 KB of RAM.
nonisolated(unsafe) var links = NoLinks()
nonisolated(unsafe) var device = ManagedNode<
  HCIRadio<Line, 2>, FlashMap, Random, FixedPayloadSupplier, NoDelegate, NoNeighbours, Firmware<Board>, 16, 2,
  2
>(
  makingRadio: { HCIRadio(transport: Board.controllerLine()) },
  flash: Board.flash(),
  random: Board.random(),
  supplier: FixedPayloadSupplier(country: 826, state: 0, clientIdentifier: 1_234_567_890),
  delegate: NoDelegate(),
  board: Firmware(
    hardware: Board(), memory: Board.retained(), settings: Board.settings(), hint: Board.resetReason()))
while true { device.round(serving: &links) }
