import HeraldHostLink

/// The bands of an archive's rules by name, from the nearest on: those of the Risk Score Symposium
/// Invitational.
package enum ContactBand: String, CaseIterable, Sendable {
  /// Within an arm's length, usually: the first band.
  case immediate
  /// The second band.
  case near
  /// The third band.
  case medium
  /// All that was measured, up to a whole room.
  case far

  /// The greatest attenuation in dB of this band and the nearer ones.
  package func limit(_ rules: ContactRules) -> Int {
    let index = Self.allCases.firstIndex(of: self) ?? 0
    return rules.bandLimits.indices.contains(index)
      ? rules.bandLimits[index] : Int(DayWindows.mostAttenuation)
  }
}

/// Bands of attenuation, and the weight of a minute in each.
package struct ContactBands: Equatable, Sendable {
  /// The maximum number of limits.
  package static let mostLimits = 7
  /// The weights of the default bands: those of the "narrow net" of the Risk Score Symposium Invitational.
  static let defaultWeights = [1.5, 1, 0.4, 0]

  /// The upper limits in dB of all bands but the last, ascending. An attenuation belongs to the first band
  /// whose limit is not below it.
  package let limits: [Int]
  /// The weight of each band, one more than there are limits: 0…100; `nil` if minutes are not weighted.
  package let weights: [Double]?

  /// Bands with the default limits and weights.
  package static let standard = ContactBands(unchecked: ContactRules().bandLimits, defaultWeights)

  private init(unchecked limits: [Int], _ weights: [Double]?) {
    (self.limits, self.weights) = (limits, weights)
  }

  /// Bands that a person has set. Without weights, four bands have the default ones, and others have none.
  /// - Throws: `.usage` unless there are one to seven ascending limits between 1 and 126 dB, and for each
  ///   band a weight between 0 and 100.
  package init(limits: [Int], weights: [Double]?) throws(HostLinkError) {
    guard Self.areLimits(limits) else {
      throw HostLinkError(
        .usage, "the limits of the bands are \(limits.map(String.init).joined(separator: ","))",
        advice: "give one to \(Self.mostLimits) ascending numbers of dB from 1 to 126, such as 55,63,73")
    }
    guard let weights else {
      self.init(
        unchecked: limits, limits.count + 1 == Self.defaultWeights.count ? Self.defaultWeights : nil)
      return
    }
    guard weights.count == limits.count + 1 else {
      throw HostLinkError(
        .usage, "\(weights.count) weights for \(limits.count + 1) bands",
        advice: "give a weight for each band, also for the last, which has no limit: --weights 1.5,1,0.4,0")
    }
    guard weights.allSatisfy({ (0...100).contains($0) }) else {
      throw HostLinkError(.usage, "a weight is not between 0 and 100")
    }
    self.init(unchecked: limits, weights)
  }

  /// Whether numbers can be limits of bands.
  static func areLimits(_ limits: [Int]) -> Bool {
    (1...mostLimits).contains(limits.count) && limits.allSatisfy { (1...126).contains($0) }
      && zip(limits, limits.dropFirst()).allSatisfy { $0 < $1 }
  }

  /// The names of the bands: `≤55 dB`, `≤63 dB`, `>63 dB`.
  package var names: [String] { limits.map { "≤\($0) dB" } + ["> \(limits.last ?? 0) dB"] }

  /// The band of an attenuation in dB, counted from 0.
  package func band(of attenuation: Int) -> Int {
    limits.firstIndex { attenuation <= $0 } ?? limits.count
  }

  /// The seconds in each band; a window without a measured attenuation counts in none.
  package func seconds(of windows: DayWindows) -> [Int] {
    var seconds = [Int](repeating: 0, count: limits.count + 1)
    for minute in windows.minutes {
      guard let level = minute.attenuation else { continue }
      seconds[band(of: Int(level))] += minute.windows.nonzeroBitCount * windows.length
    }
    return seconds
  }

  /// The weighted minutes: the sum of the minutes in each band, each multiplied by its weight; `nil` without
  /// weights.
  package func weightedMinutes(_ seconds: [Int]) -> Double? {
    weights.map { zip(seconds, $0).reduce(0) { $0 + Double($1.0) * $1.1 } / 60 }
  }
}
