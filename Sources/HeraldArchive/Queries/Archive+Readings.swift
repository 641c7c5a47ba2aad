import HeraldEmbedded
import HeraldHostLink

extension Archive {
  /// A measurement of a signal strength, as a device logged it.
  package struct Reading: Equatable, Sendable {
    /// The serial number of the device.
    package let device: String
    /// The date in milliseconds since 1970-01-01T00:00:00Z.
    package let unixMilliseconds: Int64
    /// The label of the one who wore the device.
    package let observer: String
    /// The label of the one who was heard.
    package let subject: String
    /// The kind of the one who was heard: `person`, `device`, `payload`, `address` or `place`.
    package let subjectKind: String
    /// The address from which the advertisement came.
    package let address: String
    /// The transmit power in dBm, if the advertisements of the address contained it.
    package let power: Int?
    /// The RSSI in dBm.
    package let rssi: Int
  }

  /// Which readings are wanted; a condition that is `nil` holds for all.
  package struct ReadingFilter: Equatable, Sendable {
    /// The serial number of the device.
    package var device: String?
    /// The label of the observer or of the subject.
    package var who: String?
    /// With `who`: the label of the other one of the pair.
    package var other: String?
    /// The first and the last day in the archive's time zone, such as 20260914.
    package var days: ClosedRange<Int64>?

    /// All readings.
    package init() {}

    func holds(_ observer: String, _ subject: String) -> Bool {
      guard let who else { return true }
      guard let other else { return observer == who || subject == who }
      return (observer, subject) == (who, other) || (observer, subject) == (other, who)
    }
  }

  /// Decodes the readings with a date from the pages, and passes them to `body`: device by device, and each
  /// device's in the order of its log. The pages are read one at a time, so that memory does not grow with
  /// the number of readings. `body` must not use the archive.
  /// - Throws: `.usage` if the archive has no such device, `.unrecorded` if it has no such label, and what
  ///   `body` throws.
  package func readings(_ filter: ReadingFilter, _ body: (Reading) throws(HostLinkError) -> Void)
    throws(HostLinkError)
  {
    try ReadingReader(self).readings(filter, body)
  }

  /// The error of a label that nobody has.
  static func unknown(_ label: String, in location: String) -> HostLinkError {
    HostLinkError(
      .unrecorded, "nobody in \(location) is called \(label)",
      advice: "`herald-host archive show --parties` lists everybody")
  }
}
