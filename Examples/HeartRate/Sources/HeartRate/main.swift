// A heart rate sensor: the Heart Rate Service, measured once a second, and the Battery Service.
import HCIBoard
import HeraldBluetooth
import HeraldHAL
import HeraldHCI

private let attributes: [13 of AttributeRecord] = [
  .primaryService(at: 0, 2),
  .characteristic(at: 2, 5), .constant(0x2A00, at: 7, 5),
  .characteristic(at: 12, 5), .constant(0x2A01, at: 17, 2),
  .primaryService(at: 19, 2),
  .characteristic(at: 21, 5), .value(0x2A37, AttributeRecord.Flags(rawValue: 0), tag: HeartRate.measurement),
  .configuration(slot: 0, allowing: .notifications),
  .primaryService(at: 26, 2),
  .characteristic(at: 28, 5), .value(0x2A19, .read, tag: HeartRate.battery),
  .configuration(slot: 1, allowing: .notifications),
]
private let bytes: [33 of UInt8] = [
  0x00, 0x18, 0x02, 3, 0, 0x00, 0x2A, 0x48, 0x65, 0x61, 0x72, 0x74,  // Generic Access: "Heart"
  0x02, 5, 0, 0x01, 0x2A, 0x41, 0x03,  // appearance: heart rate belt
  0x0D, 0x18, 0x10, 8, 0, 0x37, 0x2A,  // Heart Rate: measurement at handle 8, notified
  0x0F, 0x18, 0x12, 12, 0, 0x19, 0x2A,  // Battery: level at handle 12, read and notified
]
private let advertisement: [11 of UInt8] = [2, 0x01, 0x06, 3, 0x03, 0x0D, 0x18, 3, 0x19, 0x41, 0x03]

struct HeartRate: BluetoothApplication {
  enum Table: GATTTable {
    static var database: GATTDatabase {
      @_lifetime(immortal) get { GATTDatabase(attributes: attributes.span, bytes: bytes.span) }
    }
  }
  static var measurement: AttributeTag { AttributeTag(rawValue: 1) }
  static var battery: AttributeTag { AttributeTag(rawValue: 2) }
  var level: [1 of UInt8] = [100]
  /// Flags, 8 bits; beats a minute.
  var beat: [2 of UInt8] = [0, 60]

  mutating func read(
    _ tag: AttributeTag, offset: Int, into buffer: inout MutableSpan<UInt8>, on connection: ConnectionID
  ) -> AttributeRead { .copying(level.span, from: offset, into: &buffer) }
}

nonisolated(unsafe) var board = Board()
nonisolated(unsafe) var host = HCIHost<Line, HeartRate, 2>(
  transport: Board.controllerLine(), application: HeartRate())
host.advertise(
  AdvertisingParameters(
    ownAddress: DeviceAddress(high: 0xC0FF, low: 0xEE00_0002, kind: .random), interval: .milliseconds(100),
    connectable: true),
  data: advertisement.span)
nonisolated(unsafe) var due = Instant.start + .seconds(1)
while true {
  let now = board.now()
  if now >= due {
    due = now + .seconds(1)
    host.application.beat[1] = 60 + UInt8(truncatingIfNeeded: now.milliseconds / 1000) % 40
    host.notify(host.application.beat.span, handle: 8, slot: 0)
  }
  board.rest(until: min(due, host.poll(at: now)))
}
