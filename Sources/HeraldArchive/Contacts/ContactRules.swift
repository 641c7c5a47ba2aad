import HeraldHostLink

/// The rules by which an archive makes contacts of readings; docs/contacts.md gives reasons and sources.
///
/// An archive stores its rules. If they are changed, everything derived from the pages is derived again.
public struct ContactRules: Equatable, Sendable {
  /// The number of bands of attenuation.
  public static let bandCount = 4
  /// The time without a sign, in milliseconds, after which a contact is over.
  public static let silence = Int64(ContactPeriod.silence)

  /// The upper limits in dB of all bands but the last, ascending. A minute belongs to the first band whose
  /// limit is not below its median attenuation.
  public var bandLimits: [Int] = [55, 63, 73]
  /// The transmit power in dBm that is assumed for peers whose advertisements do not contain it.
  public var assumedPower = 0
  /// The name of the time zone whose civil days are counted.
  public var zone = "UTC"

  /// The default rules.
  public init() {}

  /// The band of an attenuation in dB, counted from 0.
  @inline(__always)
  func band(of attenuation: Int) -> Int {
    for (band, limit) in bandLimits.enumerated() where attenuation <= limit { return band }
    return Self.bandCount - 1
  }

  /// Checks limits that a person has set.
  /// - Throws: `.usage` unless there are three ascending limits between 1 and 200 dB, and a power between
  ///   -127 and 20 dBm.
  public func check() throws(HostLinkError) {
    let isAscending = zip(bandLimits, bandLimits.dropFirst()).allSatisfy { $0 < $1 }
    guard bandLimits.count == Self.bandCount - 1, isAscending,
      bandLimits.allSatisfy({ (1...200).contains($0) })
    else {
      throw HostLinkError(
        .usage, "the limits of the bands are \(bandLimits.map(String.init).joined(separator: ","))",
        advice: "give three ascending numbers of dB, such as 55,63,73")
    }
    guard (-127...20).contains(assumedPower) else {
      throw HostLinkError(
        .usage, "an assumed transmit power of \(assumedPower) dBm", advice: "give one between -127 and 20")
    }
  }
}
