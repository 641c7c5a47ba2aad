/// `battery.csv`: source and level over time (HP-49).
public enum BatteryCSV {
  /// The header line.
  public static let header = "time,source,level\n"

  /// The complete file.
  public static func text(of levels: some Sequence<BatteryLevel>) -> [UInt8] {
    var csv = CSVText()
    csv.raw(header)
    for reading in levels { append(reading, to: &csv) }
    return csv.bytes
  }

  /// Appends the line of a reading.
  static func append(_ reading: BatteryLevel, to csv: inout CSVText) {
    csv.raw(UTCTimestamp.text(reading.unixMilliseconds))
    csv.raw(reading.isExternal ? ",external," : ",battery,")
    csv.raw(JavaNumber.text(reading.level))
    csv.endLine()
  }
}
