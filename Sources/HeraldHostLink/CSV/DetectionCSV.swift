/// `detection.csv`: one line that says whose log this is and whose payloads it met (HP-48).
public enum DetectionCSV {
  /// The device's name, its system and version, its own short payload (empty if it offered none), and every other, sorted
  /// and once each.
  public static func text(
    name: String, system: String, version: String, own: String, others: some Sequence<String>
  ) -> [UInt8] {
    var csv = CSVText()
    csv.value(name)
    csv.comma()
    csv.value(system)
    csv.comma()
    csv.value(version)
    csv.comma()
    csv.value(own)
    for short in Set(others).sorted(by: StatisticsCSV.precedes) where short != own {
      csv.comma()
      csv.raw(short)
    }
    csv.endLine()
    return csv.bytes
  }
}
