/// `battery.csv`: source and level over time (HP-49).
public enum BatteryCSV {
  /// The first line.
  public static let header = "time,source,level\n"

  /// The whole file.
  public static func text(of levels: some Sequence<BatteryLevel>) -> [UInt8] {
    var csv = CSVText()
    csv.raw(header)
    var time: [UInt8] = []
    for reading in levels {
      time.removeAll(keepingCapacity: true)
      UTCTimestamp.append(reading.unixMilliseconds, to: &time)
      csv.raw(time)
      csv.raw(reading.isExternal ? ",external," : ",battery,")
      csv.raw(JavaNumber.text(reading.level))
      csv.endLine()
    }
    return csv.bytes
  }
}
