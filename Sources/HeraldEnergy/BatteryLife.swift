/// How long a battery lasts: docs/energy.md, "Battery life".
package struct BatteryLife: Equatable, Sendable {
  /// The mean current in mA.
  package let current: Double
  /// The capacity of the full cell in mAh.
  package let capacity: Double
  /// Whether nobody has named the capacity, and the board does not determine it.
  package let isAssumed: Bool
  /// The percentage of the charge that is left, by the voltage; `nil` if the voltage is not known, and the
  /// life is that of a full cell.
  package let percent: Double?
  /// Whether the voltage is at or above the highest that the device reports, so that the charge is at least
  /// `percent`.
  package let isFull: Bool
  /// Whether the current may be higher, because counters may have overflowed.
  package let isAtMost: Bool
  /// Whether the device was supplied from outside when it measured the voltage.
  package let isExternal: Bool

  /// The hours that are left, or that a full cell lasts.
  package var hours: Double { capacity * (percent ?? 100) / 100 / current }

  /// The days that a full cell of a capacity in mAh lasts with a mean current in mA.
  package static func days(capacity: Double, current: Double) -> Double {
    current > 0 ? capacity / current / 24 : 0
  }

  /// The cells for which the life of a simulated device is printed: names and capacities in mAh.
  package static let usualCells: [(name: String, capacity: Double)] = [
    ("CR2032, 220 mAh", 220), ("100 mAh", 100), ("500 mAh", 500),
  ]

  /// The time in words: days from two of them on, otherwise hours.
  static func words(hours: Double) -> String {
    if hours >= 48 { return "\(whole(hours / 24)) days" }
    if hours < 1 { return "less than an hour" }
    return hours < 2 ? "an hour" : "\(whole(hours)) hours"
  }

  /// A number without its fraction, as an estimate says no more than there is.
  private static func whole(_ value: Double) -> String { String(Int(min(max(value, 0), 999_999))) }

  /// A number with two decimal places, three below 0.1.
  static func decimal(_ value: Double) -> String {
    let places = value < 0.1 ? 3 : 2
    let unit = places == 3 ? 1000 : 100
    let scaled = Int((min(max(value, 0), 1e9) * Double(unit)).rounded())
    let fraction = String(scaled % unit)
    return "\(scaled / unit).\(String(repeating: "0", count: places - fraction.count))\(fraction)"
  }

  /// A short form: "9 days".
  package var shortWords: String { Self.words(hours: hours) }

  /// A sentence without its end: "about 9 days left (0.74 mA, 500 mAh cell, 62 % by voltage)".
  package var words: String {
    let time = Self.words(hours: hours)
    let cell = "\(Self.whole(capacity.rounded())) mAh cell\(isAssumed ? " assumed" : "")"
    let mean = "\(isAtMost ? "at least " : "")\(Self.decimal(current)) mA"
    let supply = isExternal ? "; on external power now" : ""
    guard let percent else {
      return "about \(time) with a full cell (\(mean), \(cell); its voltage is not known\(supply))"
    }
    let charge = "\(Self.whole(percent.rounded())) %\(isFull ? " or more" : "") by voltage"
    let bound = isAtMost == isFull ? "about" : isAtMost ? "at most" : "at least"
    let left = hours < 1 ? time : "\(bound) \(time)"
    return "\(left) left (\(mean), \(cell), \(charge)\(supply))"
  }
}

/// What can be said of the battery of a device.
package enum BatteryOutlook: Equatable, Sendable {
  /// The time that the cell lasts.
  case known(BatteryLife)
  /// How long it lasts is not known, and why.
  case unknown(String)

  /// The life by what is known of a device.
  /// - Parameters:
  ///   - board: the name of the board; empty if it is not known.
  ///   - current: the mean current in mA, or why it is not known.
  ///   - level: the level of the battery that the device has logged; `nil` if there is none.
  ///   - isExternal: whether it was supplied from outside then. The voltage of a coin cell cannot be measured
  ///     beside another supply; that of a lithium-ion cell is the one at which it is charged.
  ///   - capacity: the capacity that somebody has named, in mAh; `nil` for that of the board.
  package init(
    board: String, current: Result<Double, MeasuredUse.Defect>, mayHaveOverflowed: Bool = false, level: Int?,
    isExternal: Bool = false, capacity: Double? = nil
  ) {
    let power = BoardPower.named(board)
    let mean: Double
    switch current {
    case .success(let value): mean = value
    case .failure(let defect):
      self = .unknown(defect.words)
      return
    }
    guard mean > 0, mean.isFinite else {
      self = .unknown(MeasuredUse.Defect.contradictory.words)
      return
    }
    guard let size = capacity ?? power?.cell?.capacity, size > 0 else {
      self = .unknown(
        "it takes \(BatteryLife.decimal(mean)) mA; the board has no battery of its own: name one with --battery mAh"
      )
      return
    }
    var percent: Double?
    if let cell = power?.cell, let level, !isExternal || cell.chemistry == .lithiumIon {
      percent = cell.percent(level: level)
    }
    self = .known(
      BatteryLife(
        current: mean, capacity: size, isAssumed: capacity == nil && power?.cell?.isAssumed == true,
        percent: percent, isFull: percent != nil && (level ?? 0) >= 100, isAtMost: mayHaveOverflowed,
        isExternal: isExternal))
  }

  /// The life, if it is known.
  package var life: BatteryLife? { if case .known(let life) = self { life } else { nil } }

  /// What is said of it: the words of the life, or "not known:" and the reason.
  package var words: String {
    switch self {
    case .known(let life): life.words
    case .unknown(let reason): "not known: \(reason)"
    }
  }
}

extension MeasuredUse.Defect {
  /// The reason in words.
  package var words: String {
    switch self {
    case .noRadio:
      "the device does not count the time for which its radio is on; with a Bluetooth controller none does"
    case .justStarted: "the device started less than a minute ago"
    case .contradictory: "the counters of the device contradict each other"
    case .unknownBoard(let board):
      board.isEmpty
        ? "the device does not say which board it is"
        : "nothing is known of the currents of the board \(board)"
    }
  }
}
