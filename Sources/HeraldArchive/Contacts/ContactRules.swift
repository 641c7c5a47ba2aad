import HeraldHostLink

/// The rules by which an archive makes contacts of readings; docs/contacts.md gives reasons and sources.
///
/// An archive stores its rules. If they are changed, everything derived from the pages is derived again.
package struct ContactRules: Equatable, Sendable {
  /// The number of bands of attenuation in the tables.
  package static let bandCount = 4
  /// The time without a sign, in milliseconds, after which a contact is over.
  package static let silence = Int64(ContactPeriod.silence)
  /// The lengths of a window, in seconds, that an archive can have.
  package static let windows = [30, 20]

  /// The upper limits in dB of all bands but the last, ascending. A minute belongs to the first band whose
  /// limit is not below its median attenuation.
  package var bandLimits: [Int] = [55, 63, 73]
  /// The transmit power in dBm that is assumed for peers whose advertisements do not contain it.
  package var assumedPower = 0
  /// The length of a window, in seconds: 30, or 20 for comparisons with SocioPatterns.
  package var window = 30
  /// The name or rule of the time zone whose civil days are counted, as `LocalDays` takes it.
  package var zone = "UTC"

  /// The default rules.
  package init() {}

  /// The band of an attenuation in dB, counted from 0.
  @inline(__always)
  func band(of attenuation: Int) -> Int {
    for (band, limit) in bandLimits.enumerated() where attenuation <= limit { return band }
    return Self.bandCount - 1
  }

  /// Checks limits that a person has set.
  /// - Throws: `.usage` unless there are three ascending limits between 1 and 126 dB, a power between -127
  ///   and 20 dBm, and a window of 20 or 30 seconds.
  package func check() throws(HostLinkError) {
    guard bandLimits.count == Self.bandCount - 1, ContactBands.areLimits(bandLimits) else {
      throw HostLinkError(
        .usage, "the limits of the bands are \(bandLimits.map(String.init).joined(separator: ","))",
        advice: "give three ascending numbers of dB from 1 to 126, such as 55,63,73")
    }
    guard (-127...20).contains(assumedPower) else {
      throw HostLinkError(
        .usage, "an assumed transmit power of \(assumedPower) dBm", advice: "give one between -127 and 20")
    }
    guard Self.windows.contains(window) else {
      throw HostLinkError(
        .usage, "windows of \(window) s", advice: "give 30, or 20 to compare with SocioPatterns")
    }
  }
}
