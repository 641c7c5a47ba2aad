/// The definition of a contact, and by how much it may be extended: the time of presence, from the first
/// detection (HP-18) to the last reading (HP-19).
public enum ContactPeriod {
  /// A time without signs longer than this, in milliseconds, ends a contact: the time after which the device
  /// reports a peer as lost.
  public static let silence: UInt64 = 15 * 60 * 1000
  /// The maximum extension of an end, in milliseconds (HP-20).
  public static let longestExtension: UInt64 = 30_000

  /// The end of a contact with readings, extended by `extension` milliseconds, but at most by
  /// `longestExtension` (HP-20).
  public static func end(_ lastReading: UInt64, extendedBy extension: UInt64) -> UInt64 {
    lastReading.addingReportingOverflow(min(`extension`, longestExtension)).partialValue
  }
}
