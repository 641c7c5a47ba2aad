import Board
import HeraldDeviceLink
import HeraldEmbedded
import HeraldHAL
import HeraldHCI
import HeraldNeighbours

/// A battery that is always half full: what it is read from does not count here.
struct HalfFull: PowerSource {
  mutating func read() -> PowerReading? { PowerReading(level: 50, isExternal: false) }
}

#if UNSEALED
  typealias LogFlash = UnsealedFlash<BoardFlash>
#else
  typealias LogFlash = BoardFlash
#endif

/// Each sensor, each neighbour, a sealed log.
enum FullParts: ManagedParts {
  typealias FlashType = LogFlash
  typealias RandomType = BoardRandom
  typealias SupplierType = FixedPayloadSupplier
  typealias DelegateType = SensorArray<BatterySensor<HalfFull>, VisitSensor<4>, NoDelegate>
  typealias ServicesType = CovidWatchAndC19X
  typealias BoardType = WearableBoard
}

// Everything there is. What it takes beyond `Wearable` is what a
// device saves that goes without.
nonisolated(unsafe) var device = ManagedNode<HCIRadio<Line, 4>, FullParts, 64, 4, 4>(
  makingRadio: { HCIRadio(transport: Line(at: 0x4000_2000)) },
  flash: LogFlash(start: 0x0002_0000, pageSize: 4096, pageCount: 96),
  random: BoardRandom(),
  supplier: FixedPayloadSupplier(country: 826, state: 0, clientIdentifier: 1_234_567_890),
  delegate: SensorArray(battery: BatterySensor(HalfFull()), visits: VisitSensor(), delegate: NoDelegate()),
  board: WearableBoard())
nonisolated(unsafe) var server = SMPServer()
nonisolated(unsafe) var serial = SerialLink<512>(at: 0x4002_8000)
nonisolated(unsafe) var usb = USBDevice<BoardUSB, 4096, 2>(
  controller: BoardUSB(at: 0x4002_7000), serialNumber: InlineBytes())
while true {
  let now = boardClock()
  if device.advanceSealing(at: now) { continue }
  _ = device.node.poll(at: now)
  serial.serve(at: now, server: &server, device: &device)
  usb.poll(at: now, server: &server, device: &device)
  device.board.restartIfDue(at: now)
}
