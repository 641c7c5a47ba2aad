import Testing

@testable import HeraldHostLink

/// What people are told of events that a device did not log.
@Suite("Text about events that were not logged")
struct DroppedEventsTextTests {
  @Test("How many, both causes, and what to do")
  func dropped() throws {
    let text = try #require(DroppedEventsText(31_482_911))
    #expect(text.what.hasPrefix("31,482,911 events are not in this log"))
    for words in ["strangers_refused", "readings_refused", "flash_errors", "`herald-host stats`"] {
      #expect(text.advice.contains(words), "\(words)")
    }
    #expect(DroppedEventsText(0) == nil)
    #expect(DroppedEventsText(1)?.what.hasPrefix("1 event is not in this log") == true)
  }
}
