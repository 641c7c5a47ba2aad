/// The chemistry of a cell, which determines what its voltage says of its charge.
package enum CellChemistry: String, Sendable, Encodable {
  /// Lithium and manganese dioxide: coin cells such as a CR2032.
  case lithiumManganese = "coin"
  /// Lithium-ion and lithium polymer.
  case lithiumIon = "lithium-ion"

  /// Voltages in millivolts and the percentage of the charge that is left at each, falling.
  ///
  /// CR2032: the four linear parts of `battery_level_in_percent` (Nordic, nRF5 SDK, app_util.h), made for a
  /// Bluetooth device. Lithium-ion: Analog Devices AN4189, in steps of ten percent, as in
  /// `BATTERY_OCV_CURVE_LITHIUM_ION_POLYMER_DEFAULT` of Zephyr 4.4.
  var discharge: [(millivolts: Double, percent: Double)] {
    switch self {
    case .lithiumManganese: [(3000, 100), (2900, 42), (2740, 18), (2440, 6), (2100, 0)]
    case .lithiumIon:
      [
        (4190, 100), (4086, 90), (4008, 80), (3945, 70), (3884, 60), (3821, 50), (3793, 40), (3775, 30),
        (3741, 20), (3687, 10), (3306, 0),
      ]
    }
  }

  /// The percentage of the charge that is left at a voltage: 0…100, interpolated between the points of the
  /// table. Voltages outside of it, negative ones included, are those of its ends.
  package func percent(millivolts: Double) -> Double {
    let points = discharge
    guard let first = points.first, millivolts < first.millivolts else { return 100 }
    for (upper, lower) in zip(points, points.dropFirst()) where millivolts >= lower.millivolts {
      let share = (millivolts - lower.millivolts) / (upper.millivolts - lower.millivolts)
      return lower.percent + share * (upper.percent - lower.percent)
    }
    return 0
  }
}

/// What supplies a board, and how its firmware makes a level of the voltage.
package struct BoardCell: Equatable, Sendable {
  /// The chemistry of the cell.
  package let chemistry: CellChemistry
  /// The capacity of the cell in mAh.
  package let capacity: Double
  /// Whether the board is sold without a cell, so that the capacity is an assumption.
  package let isAssumed: Bool
  /// The voltages in millivolts that the firmware reports as 0 and as 100 percent, linear between them.
  let empty: Double
  let full: Double

  /// The voltage of a level that the firmware has logged, in millivolts: the middle of the range that gives
  /// this level, which rounds down.
  func millivolts(level: Int) -> Double {
    guard level < 100 else { return full }
    return empty + (full - empty) * (Double(max(0, level)) + 0.5) / 100
  }

  /// The percentage of the charge that is left, for a level that the firmware has logged.
  package func percent(level: Int) -> Double { chemistry.percent(millivolts: millivolts(level: level)) }
}
