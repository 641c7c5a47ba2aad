import HeraldEmbedded
import HeraldHostLink

/// A measured RSSI with its date and to whom it belongs.
struct DecodedReading: Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  let date: Int64
  /// The address, as an index in the scan.
  let peer: Int32
  /// Who wore the device, and to whom the address belongs: indices in `whos`.
  let observer: Int32
  let subject: Int32
  /// The RSSI in dBm.
  let rssi: Int8
  /// The transmit power in dBm, if advertisements of the address contained it.
  let power: Int8?
}

/// Decodes the readings of a device from its pages, in the order of its log.
struct ReadingCollector {
  private var signs: SignCollector
  private let scan: DeviceScan
  private let dates: ClosedRange<Int64>

  /// The observers and subjects of readings.
  var whos: [WhoKey] { signs.whos }

  /// Collects readings whose dates are in `dates`.
  init(_ scan: DeviceScan, _ context: DeviceDerivation.Context, _ dates: ClosedRange<Int64>) {
    signs = SignCollector(scan, context, .min ... .max)
    self.scan = scan
    self.dates = dates
  }

  /// Passes each reading of a page to `body`. `index` counts the pages as the scan has.
  mutating func add(_ page: [UInt8], index: Int, _ visit: inout PageVisit, _ body: (DecodedReading) -> Void) {
    var position = DeviceScan.Position(index) << 20
    var start = DeviceScan.Start(epoch: 0, boot: 0)
    var calendar = scan.dates(of: start)
    visit.visit(page, clock: { _ in }) { record, _ in
      position += 1
      guard case .measured(let target, let rssi) = record.event, rssi.isAvailable,
        let peer = scan.index(of: target)
      else { return }
      if record.boot != start.boot || record.epoch != start.epoch {
        start = DeviceScan.Start(epoch: record.epoch, boot: record.boot)
        calendar = scan.dates(of: start)
      }
      guard let date = calendar.date(at: record.uptime),
        dates.contains(date)
      else { return }
      let subject = signs.subject(of: peer, at: date, position)
      body(
        DecodedReading(
          date: date, peer: Int32(truncatingIfNeeded: peer), observer: signs.observer(at: date),
          subject: subject,
          rssi: rssi.rawValue, power: scan.power(ofPeer: peer, at: position)))
    }
  }
}
