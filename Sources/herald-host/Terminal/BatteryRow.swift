import HeraldEnergy
import HeraldHostLink

/// The battery of a device, for people and for programs.
struct BatteryRow: Encodable, Sendable {
  /// How long it lasts, in hours; `nil` if it is not known.
  let hoursLeft: Double?
  /// The mean current since the start of the device in mA; `nil` if it is not known.
  let milliamperes: Double?
  /// The capacity of the full cell in mAh, and whether it is an assumption.
  let capacity: Double?
  let isCapacityAssumed: Bool?
  /// The charge that is left by the voltage, in percent.
  let percent: Double?
  /// The last level in the log, and whether the device was supplied from outside then.
  let level: Int?
  let isExternal: Bool?
  /// Why it is not known how long it lasts.
  let notKnown: String?
  /// The sentence for people.
  let words: String
  private let short: String

  init(_ battery: DeviceBattery, capacity: Double?) {
    let outlook = battery.outlook(capacity: capacity)
    let life = outlook.life
    hoursLeft = life.map { ($0.hours * 10).rounded() / 10 }
    milliamperes = (try? battery.current.get()).map { ($0 * 10_000).rounded() / 10_000 }
    self.capacity = life?.capacity
    isCapacityAssumed = life?.isAssumed
    percent = life?.percent.map { $0.rounded() }
    level = battery.level
    isExternal = battery.level == nil ? nil : battery.isExternal
    if case .unknown(let reason) = outlook { notKnown = reason } else { notKnown = nil }
    let now =
      battery.level.map { "; its level is \($0) %\(battery.isExternal ? ", with external power" : "")" } ?? ""
    words = life == nil ? outlook.words + now : outlook.words
    short = life?.shortWords ?? battery.level.map { "level \($0) %" } ?? "not known"
  }

  /// For a column of a table.
  var shortWords: String { short }

  enum CodingKeys: String, CodingKey {
    case hoursLeft, milliamperes, capacity = "capacityMah", isCapacityAssumed, percent, level, isExternal
    case notKnown, words
  }
}

/// How much a device can still log before it overwrites its oldest records.
struct LogRoom: Encodable, Sendable {
  /// Pages that are free, and all of the log.
  let freePages: Int
  let pages: Int

  /// `nil` of a device that does not report the capacity of its log.
  init?(_ status: DeviceLogStatus, capacity: Int?) {
    guard let capacity, capacity > 0 else { return nil }
    pages = capacity
    freePages = max(0, capacity - status.pageCount)
  }

  /// `62 % (159 of 256 pages)`.
  var words: String { "\(freePages * 100 / pages) % (\(freePages) of \(pages) pages)" }
}
