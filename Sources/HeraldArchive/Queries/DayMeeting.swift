import HeraldHostLink

/// Two who met on a civil day: what each heard of the other, and both joined.
package struct DayMeeting: Equatable, Sendable {
  /// The number of the civil day since 1970-01-01 in the archive's time zone.
  package let day: Int64
  /// One of the two parties.
  package let who: Who
  /// The other.
  package let other: Who
  /// What devices of `who` heard of `other`; with a limit, in minutes in which they measured no more.
  package let heard: DayWindows
  /// What devices of `other` heard of `who`, in the same way.
  package let wasHeard: DayWindows
  /// The number of measurements of either on that day, whatever their strength.
  package let readings: (heard: Int, wasHeard: Int)
  /// Both directions joined: a window counts if it has a sign in any of them, and the attenuation of a minute
  /// is the least of their medians. With a limit, minutes with a greater one or none do not count.
  package let joined: DayWindows

  /// Joins both directions; `limit` is the greatest attenuation of a minute that counts, in dB, `nil` for
  /// any.
  init(
    day: Int64, who: Who, other: Who, heard: DayWindows, wasHeard: DayWindows,
    readings: (heard: Int, wasHeard: Int), limit: Int?
  ) {
    (self.day, self.who, self.other, self.readings) = (day, who, other, readings)
    let directions = [heard, wasHeard].filter { !$0.minutes.isEmpty }
    let joined = directions.isEmpty ? heard : DayWindows.union(directions)
    self.joined = joined.within(limit)
    (self.heard, self.wasHeard) = (heard.within(limit), wasHeard.within(limit))
  }

  private init(turning other: DayMeeting) {
    (day, who, self.other, joined) = (other.day, other.other, other.who, other.joined)
    (heard, wasHeard) = (other.wasHeard, other.heard)
    readings = (other.readings.wasHeard, other.readings.heard)
  }

  /// The same meeting from the side of the other.
  var turned: DayMeeting { DayMeeting(turning: self) }

  /// Whether two meetings are the same.
  package static func == (left: DayMeeting, right: DayMeeting) -> Bool {
    left.day == right.day && left.who == right.who && left.other == right.other && left.heard == right.heard
      && left.wasHeard == right.wasHeard && left.readings == right.readings && left.joined == right.joined
  }
}

extension DayWindows {
  /// The minutes whose attenuation is at most `limit` dB; all, also those without one, if it is `nil`.
  func within(_ limit: Int?) -> DayWindows {
    guard let limit else { return self }
    var windows = DayWindows(length: length)
    for minute in minutes where minute.attenuation.map({ Int($0) <= limit }) ?? false {
      windows.append(minute)
    }
    return windows
  }

  /// The seconds of all windows with a sign.
  package var seconds: Int { minutes.reduce(0) { $0 + $1.windows.nonzeroBitCount } * length }

  /// The lower median of the attenuations of the windows, each with that of its minute, in dB; `nil` if none
  /// was measured.
  package var medianAttenuation: Int? {
    var counts = [Int](repeating: 0, count: 256)
    for minute in minutes {
      if let level = minute.attenuation { counts[Int(level)] += minute.windows.nonzeroBitCount }
    }
    let middle = (counts.reduce(0, +) - 1) / 2
    var sum = 0
    return counts.firstIndex { count in
      sum += count
      return count > 0 && sum > middle
    }
  }

  /// Windows without interruption for more than `ContactRules.silence`: a contact of two who met.
  package struct Period: Equatable, Sendable {
    /// The begin of the first window, in milliseconds since 1970-01-01T00:00:00Z.
    package let begin: Int64
    /// The end of the last window.
    package private(set) var end: Int64
    /// The number of interruptions of at least one window.
    package private(set) var gaps = 0
    /// The windows.
    package private(set) var windows: DayWindows

    fileprivate init(_ begin: Int64, _ length: Int) {
      (self.begin, end) = (begin, begin)
      windows = DayWindows(length: length)
    }

    /// This period and one that begins at its end or later, as one.
    func followed(by next: Period) -> Period {
      var whole = self
      if next.begin > end { whole.gaps += 1 }
      whole.gaps += next.gaps
      whole.end = next.end
      for minute in next.windows.minutes { whole.windows.add(minute) }
      return whole
    }

    fileprivate mutating func add(_ begin: Int64, _ window: Int64, _ minute: Minute) {
      if begin > end { gaps += 1 }
      end = begin + window
      let bit = UInt8(1) << UInt8((begin - minute.number * 60_000) / window)
      windows.add(Minute(number: minute.number, windows: bit, attenuation: minute.attenuation))
    }
  }

  /// The periods, in ascending order: a window that begins more than `ContactRules.silence` after the end of
  /// the one before begins another.
  package var periods: [Period] {
    var periods: [Period] = []
    let window = Int64(length) * 1000
    for minute in minutes {
      for index in 0..<(60 / length) where minute.windows >> UInt8(index) & 1 == 1 {
        let begin = minute.number * 60_000 + Int64(index) * window
        if periods.last.map({ begin - $0.end > ContactRules.silence }) ?? true {
          periods.append(Period(begin, length))
        }
        periods[periods.count - 1].add(begin, window, minute)
      }
    }
    return periods
  }
}
