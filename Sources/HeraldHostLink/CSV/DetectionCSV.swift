import HeraldText

/// `detection.csv`: one line with the device of the log and the payloads that it detected (HP-48).
///
/// The names of the device are sanitised for display and protected against formulas in spreadsheets, as in
/// the files that phones do not write. Names without quotation marks, commas and formula signs are identical
/// to those written by phones.
public enum DetectionCSV {
  /// Appends the device's name, its system and version, and its own short payload, empty if it offered none.
  static func begin(name: String, system: String, version: String, own: String, to csv: inout CSVText) {
    for text in [name, system, version] {
      csv.foreign(PrintableText.of(text, limit: 255))
      csv.comma()
    }
    csv.value(own)
  }

  /// Appends another short payload. They are sorted and unique, without the own one.
  static func append(_ other: String, to csv: inout CSVText) {
    csv.comma()
    csv.raw(other)
  }
}
