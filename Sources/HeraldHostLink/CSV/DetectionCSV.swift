import HeraldText

/// `detection.csv`: one line that says whose log this is and whose payloads it met (HP-48).
///
/// The names of the device are sanitised for display and protected against formulas in spreadsheets, as in
/// the files that phones do not have. Names without marks, commas and formula signs are as phones write them.
public enum DetectionCSV {
  /// Appends the device's name, its system and version, and its own short payload, empty if it offered none.
  static func begin(name: String, system: String, version: String, own: String, to csv: inout CSVText) {
    for text in [name, system, version] {
      csv.foreign(PrintableText.of(text, limit: 255))
      csv.comma()
    }
    csv.value(own)
  }

  /// Appends another short payload. They are sorted, each is there once, and the own one is not among them.
  static func append(_ other: String, to csv: inout CSVText) {
    csv.comma()
    csv.raw(other)
  }
}
