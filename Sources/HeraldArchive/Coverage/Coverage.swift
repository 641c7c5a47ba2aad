/// What is recorded of somebody in some time: an answer about that time says no more than this allows.
package struct Coverage: Equatable, Sendable {
  /// The least time in milliseconds that has to be recorded for "nobody" to mean that there was nobody: the
  /// silence that ends a contact.
  package static let leastTime = ContactRules.silence

  /// The name of the person, or the serial number of the device.
  package let label: String
  /// `person` or `device`.
  package let kind: Who.Kind
  /// The first millisecond of the time in question, since 1970-01-01T00:00:00Z.
  package let from: Int64
  /// The millisecond after the last one.
  package let to: Int64
  /// The serial numbers of the devices.
  package let serials: [String]
  /// The states, which cover that time without gaps, in ascending order.
  package let intervals: [CoverageInterval]
  /// The number of events in that time that the devices counted and did not log.
  package let droppedEvents: Int64
  /// The number of pages of the devices that are sealed still.
  package let sealedPages: Int64

  /// The time in question, in milliseconds.
  package var asked: Int64 { CoverageInterval(from: from, to: to, state: .recorded).length }

  /// The time in a state, in milliseconds.
  package func milliseconds(_ state: CoverageState) -> Int64 {
    intervals.reduce(0) { $1.state == state ? $0 + min($1.length, .max - $0) : $0 }
  }

  /// The time in which a device recorded that may have been worn, in milliseconds.
  package var recorded: Int64 {
    let (worn, other) = (milliseconds(.worn), milliseconds(.recorded))
    return worn + min(other, .max - worn)
  }

  /// Whether so little is recorded that nobody can say who was near.
  package var isUnrecorded: Bool { recorded < min(Self.leastTime, max(1, asked)) }

  /// The times of at least a quarter of an hour in which nothing is recorded of the wearer.
  package var gaps: [CoverageInterval] {
    intervals.filter { !$0.state.isRecorded && $0.length >= Self.leastTime }
  }
}

/// How long somebody received the others, and was received by them: of those that have a badge.
package struct DirectionShare: Equatable, Sendable, Encodable {
  /// Who it is.
  package let who: Who
  /// The seconds for which its devices received the others.
  package let heardSeconds: Int64
  /// The seconds for which the others received its devices.
  package let wasHeardSeconds: Int64
  /// Whether one direction has less than half of the other, and it is this one's badge that is wrong: see
  /// `OneSidedDirections`.
  package let isOneSided: Bool

  /// What a direction with less than half of the other may mean; `nil` if there is none.
  package var finding: String? {
    guard isOneSided else { return nil }
    return heardSeconds < wasHeardSeconds
      ? "the badge was covered, was off for a part of the time, or its receiver fails"
      : "the badge was covered, or transmits seldom: look at its battery"
  }
}
