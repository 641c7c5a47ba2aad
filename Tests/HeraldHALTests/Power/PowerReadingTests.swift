import HeraldHAL
import Testing

@Suite("Power reading")
struct PowerReadingTests {
  @Test(
    "A level above 100 percent is 100", arguments: [(0, 0), (99, 99), (100, 100), (101, 100), (255, 100)])
  func level(measured: UInt8, expected: UInt8) {
    #expect(PowerReading(level: measured, isExternal: false).level == expected)
  }
}
