// A staff badge: its payload carries the wearer's number, it keeps a log of contacts, and it lights an LED
// while a peer with a known payload is close.

import Board
import HeraldBluetooth
import HeraldChips
import HeraldDeviceLink
import HeraldEmbedded
import HeraldFirmware
import HeraldHAL
import HeraldHCI

/// A payload of our own: the family of providers' own formats (00…07), a routing code that says whose format
/// it is, the number of the badge.
struct StaffNumber: PayloadSupplier {
  let number: UInt32

  var fixedLength: Int { 9 }

  mutating func payload(at unixSeconds: UInt64?, now: Instant, into buffer: inout MutableSpan<UInt8>) -> Int {
    var writer = ByteWriter(buffer._mutatingExtracting(0..<buffer.count))
    writer.u8(PayloadFamily.custom.rawValue)
    writer.u32(0x5741_5244)
    writer.u32(number)
    return writer.overflowed ? 0 : writer.count
  }
}

/// An LED that is on while a known peer is near, and for ten seconds afterwards.
struct Lamp: SensorDelegate {
  private var offAt = Instant.start
  private var isOn = false

  mutating func didMeasureWithPayload(
    _ target: TargetIdentity, _ rssi: RSSI, payloadDigest: UInt64, at now: Instant
  ) {
    guard rssi.rawValue > -60 else { return }
    offAt = now + .seconds(10)
    set(true)
  }

  mutating func nextWork(at now: Instant) -> SensorWork {
    guard isOn else { return .none(until: .never) }
    if now >= offAt { set(false) }
    return .none(until: isOn ? offAt : .never)
  }

  private mutating func set(_ on: Bool) {
    guard on != isOn else { return }
    isOn = on
    // The first of the two lamps of the MPS2 board's front: bit 0 of the first register of FPGAIO.
    MappedRegisters(at: 0x4002_8000).store(on ? 1 : 0, at: 0)
  }
}

enum Badge: WearableParts {
  static func supplier() -> StaffNumber { StaffNumber(number: 4711) }
  static func delegate() -> Lamp { Lamp() }
}

nonisolated(unsafe) var links = SerialManagement<Line, 512>(Board.managementLine())
nonisolated(unsafe) var device = Wearable<
  Badge,
  64,  // targets
  4,  // connections
  4  // payloads
>()
while true { device.round(serving: &links) }
