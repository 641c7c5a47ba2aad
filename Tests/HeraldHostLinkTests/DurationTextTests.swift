import HeraldHostLink
import Testing

@Suite("Duration text")
struct DurationTextTests {
  @Test(
    "Two units at most",
    arguments: [
      (0, "0 s"), (59, "59 s"), (60, "1 min 0 s"), (3599, "59 min 59 s"), (3600, "1 h 00 min"),
      (3720, "1 h 02 min"), (86_399, "23 h 59 min"), (86_400, "1 d 0 h"), (97_200, "1 d 3 h"),
    ])
  func words(seconds: Int, text: String) {
    #expect(DurationText.of(seconds: seconds) == text)
    #expect(DurationText.of(seconds: UInt64(seconds)) == text)
  }
}
