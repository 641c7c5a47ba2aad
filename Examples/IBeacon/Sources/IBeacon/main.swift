// An iBeacon: one advertisement, ten times a second, that phones know by its UUID.
import HCIBoard
import HeraldBluetooth
import HeraldHAL
import HeraldHCI

// Flags; manufacturer data of Apple's: UUID, major 1, minor 2, −59 dBm at one metre.
private let data: [30 of UInt8] = [
  2, 0x01, 0x06, 26, 0xFF, 0x4C, 0x00, 0x02, 0x15,
  0xE2, 0xC5, 0x6D, 0xB5, 0xDF, 0xFB, 0x48, 0xD2, 0xB0, 0x60, 0xD0, 0xF5, 0xA7, 0x10, 0x96, 0xE0,
  0, 1, 0, 2, 0xC5,
]
nonisolated(unsafe) var board = Board()
nonisolated(unsafe) var host = HCIHost<Line, NoApplication, 0>(transport: Board.controllerLine())
let address = DeviceAddress(high: 0xC0FF, low: 0xEE00_0001, kind: .random)
host.advertise(
  AdvertisingParameters(ownAddress: address, interval: .milliseconds(100), connectable: false),
  data: data.span)
while true { board.rest(until: host.poll(at: board.now())) }
