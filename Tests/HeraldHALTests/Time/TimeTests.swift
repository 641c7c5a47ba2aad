import HeraldHAL
import Testing

@Suite("Instant, Interval and WallClock")
struct TimeTests {
  @Test("Adding past the end of the clock is never")
  func saturation() {
    #expect(Instant(milliseconds: 5) + .seconds(2) == Instant(milliseconds: 2005))
    #expect(Instant(milliseconds: .max - 10) + .seconds(1) == .never)
    #expect(Instant.never + .seconds(1) == .never)
    #expect(Interval.seconds(.max) == Interval(milliseconds: .max))
    #expect(Interval.minutes(.max) == Interval(milliseconds: .max))
    #expect(Interval.minutes(15) == .milliseconds(900_000))
  }

  @Test("The time since a later moment is zero, and since a very early one the longest there is")
  func since() {
    let early = Instant(milliseconds: 1000)
    let late = Instant(milliseconds: 4500)
    #expect(late.since(early) == .milliseconds(3500) && early.since(late) == .zero)
    #expect(Instant.never.since(.start) == Interval(milliseconds: .max))
  }

  @Test("64-bit halves come and go in place")
  func halves() {
    let value = UInt64(high: 0x0123_4567, low: 0x89AB_CDEF)
    #expect(value == 0x0123_4567_89AB_CDEF && value.low32 == 0x89AB_CDEF && value.high32 == 0x0123_4567)
    #expect(UInt64(wide: .max) == 0xFFFF_FFFF && value.saturated32 == .max && UInt64(7).saturated32 == 7)
  }

  @Test("A clock nobody has set knows no date; one that was set counts on from there")
  func wallClock() {
    var clock = WallClock()
    #expect(!clock.isSet && clock.unixSeconds(at: .start) == nil)
    let set = clock.set(unixMilliseconds: 1_700_000_000_000, at: Instant(milliseconds: 60_000), source: .host)
    #expect(set && clock.source == .host)
    #expect(clock.unixMilliseconds(at: Instant(milliseconds: 61_500)) == 1_700_000_001_500)
    #expect(clock.unixMilliseconds(at: .start) == 1_699_999_940_000)
  }

  @Test("A date before the device's own start, or from nobody, is refused")
  func refusals() {
    var clock = WallClock()
    let early = clock.set(unixMilliseconds: 10, at: Instant(milliseconds: 11), source: .host)
    let nobody = clock.set(unixMilliseconds: 100, at: .start, source: .unset)
    #expect(!early && !nobody && !clock.isSet)
    // 2100-01-01T00:00:00Z is the first that is too late.
    let late = clock.set(unixMilliseconds: 4_102_444_800_000, at: .start, source: .beacon)
    #expect(!late && !clock.isSet)
    let last = clock.set(unixMilliseconds: 4_102_444_799_999, at: .start, source: .beacon)
    #expect(last && clock.isSet)
  }

  @Test("A thousandth is rounded down, without a division")
  func thousandth() {
    #expect(UInt32(0).thousandth == 0)
    #expect(UInt32.max.thousandth == 4_294_967)
    for thousand in stride(from: UInt32(1), to: 4_294_967, by: 331) {
      #expect((thousand * 1000 - 1).thousandth == thousand - 1)
      #expect((thousand * 1000).thousandth == thousand)
    }
    // All that are found by a multiplication of 32 bits, and some that are not.
    let wrong = (UInt32(0)..<300_000).filter { $0.thousandth != $0 / 1000 }
    #expect(wrong == [])
  }
}
