import Board
import HeraldDeviceLink
import HeraldEmbedded
import HeraldFirmware
import HeraldHCI

// A wearable: 64 peers, four connections, a payload that a host can change, events for who watches.
nonisolated(unsafe) var links = SerialManagement<Line, 1024>(Board.managementLine())
nonisolated(unsafe) var device = ManagedNode<
  HCIRadio<Line, 4>, FlashMap, Random, StoredPayloadSupplier<132>, LiveTap, NoNeighbours, Firmware<Board>, 64,
  4, 2
>(
  makingRadio: { HCIRadio(transport: Board.controllerLine()) },
  flash: Board.flash(),
  random: Board.random(),
  supplier: StoredPayloadSupplier(
    otherwise: FixedPayloadSupplier(country: 826, state: 0, clientIdentifier: 1_234_567_890)),
  delegate: LiveTap(),
  board: Firmware(
    hardware: Board(), memory: Board.retained(), settings: Board.settings(), hint: nil))
while true { device.round(serving: &links) }
