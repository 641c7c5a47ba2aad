// A venue beacon for a café. It advertises the venue to phones and wearables during opening hours; an LED
// shows that it works.

import Board
import HeraldChips
import HeraldDeviceLink
import HeraldEmbedded
import HeraldFirmware
import HeraldHAL
import HeraldHCI

/// The café's payload, offered from eight in the morning to six in the evening (UTC); and always as long as
/// the date has not been set, as a beacon has to be readable at any time.
struct Cafe: PayloadSupplier {
  private var venue = VenuePayloadSupplier<64>(country: 826, state: 4, code: 20_817)

  init() {
    var bytes: [64 of UInt8] = .init(repeating: 0)
    var writer = ByteWriter(bytes.mutableSpan)
    writer.extendedSegment(.premisesName, text: "Café Zum Löwen")
    let count = writer.count
    venue.setExtendedData(bytes.span.extracting(0..<count))
  }

  var fixedLength: Int { 0 }

  mutating func payload(at unixSeconds: UInt64?, now: Instant, into buffer: inout MutableSpan<UInt8>) -> Int {
    guard isOpen(unixSeconds) else { return 0 }
    return venue.payload(at: unixSeconds, now: now, into: &buffer)
  }

  /// The next full hour: the node asks again then, and not before.
  func nextChange(after unixSeconds: UInt64?, now: Instant) -> Instant {
    guard let unixSeconds else { return .never }
    let intoHour = UInt32(truncatingIfNeeded: Int(truncatingIfNeeded: unixSeconds % 3_600))
    return now + .seconds(3_600 &- intoHour)
  }

  private func isOpen(_ unixSeconds: UInt64?) -> Bool {
    guard let unixSeconds else { return true }
    let hour = Int(truncatingIfNeeded: unixSeconds % 86_400 / 3_600)
    return (8..<18).contains(hour)
  }
}

/// A lamp that is on while the radio works.
struct Lamp: SensorDelegate {
  mutating func didUpdateState(_ state: SensorState, at now: Instant) {
    // The first of the two lamps of the MPS2 board's front: bit 0 of the first register of FPGAIO.
    MappedRegisters(at: 0x4002_8000).store(state == .on ? 1 : 0, at: 0)
  }
}

enum CafeBeacon: WearableParts {
  static func supplier() -> Cafe { Cafe() }
  static func delegate() -> Lamp { Lamp() }
  static func configuration() -> HeraldConfiguration {
    var configuration = HeraldConfiguration()
    configuration.scans = false
    return configuration
  }
}

nonisolated(unsafe) var links = SerialManagement<Line, 512>(Board.managementLine())
nonisolated(unsafe) var device = Wearable<
  CafeBeacon,
  16,  // targets
  4,  // connections
  4  // payloads
>()
while true { device.round(serving: &links) }
