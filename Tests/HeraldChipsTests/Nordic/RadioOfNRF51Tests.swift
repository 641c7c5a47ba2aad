import HeraldChips
import HeraldHAL
import Testing

private typealias Write = RadioModel.Write
private typealias Bench51 = RadioBench<NRF.NRF51822>

// The turnaround of the nRF51, which has no fast ramp-up.
extension RadioTests {
  @Test("an nRF51 turns around by itself, and transmits only if the step comes in time")
  func turningAround() {
    for isLate in [false, true] {
      let bench = Bench51()
      bench.run(reception())
      // END to DISABLE and then TXEN, ADDRESS to RSSISTART, DISABLED to RSSISTOP.
      #expect(bench.model.word(0x1200) == 0b1_0001_0110)
      _ = bench.packet(address: 246, end: 310)
      bench.model.set(0x1550, isLate ? 10 : 9)
      bench.model.timer = isLate ? 310 - 3 + 149 : 310 + 100
      _ = bench.model.take()
      bench.radio.proceed(.transmitAfterSpace)
      let writes = bench.model.take()
      #expect(
        Array(writes.prefix(6)) == [
          Write(0x1504, 0x2000_0040), Write(0x1F508, 1 << 21 | 1 << 22), Write(0x1200, 0b1_0001_1010),
          Write(0x1F508, 1 << 20 | 1 << 21), Write(0x8540, 310 - 3 + 149), Write(0x8048, 1),
        ])
      #expect(writes.contains(Write(0x1F504, 1 << 12)) != isLate)
      #expect(writes.contains(Write(0x1010, 1)) == isLate)
      if isLate {
        let outcome = bench.alarm()
        #expect(outcome?.kind == .late)
      }
      #expect(bench.model.faults == [])
    }
  }

  @Test("an nRF51 is switched off when its turn is not wanted")
  func stopping() {
    let bench = Bench51()
    bench.run(transmission())
    // RTC0 starts TIMER0 in sleep (anomaly 73).
    #expect(bench.model.word(0x8C0C) == 1)
    #expect(bench.model.word(0x1200) == 0b1_0001_1010)
    _ = bench.packet(address: 0, end: 300)
    bench.model.set(0x1550, 1)
    _ = bench.model.take()
    bench.radio.proceed(.stop)
    #expect(
      Array(bench.model.take().prefix(3)) == [
        Write(0x1200, 0), Write(0x1F508, 1 << 20 | 1 << 21 | 1 << 22 | 1 << 14 | 1 << 12), Write(0x1010, 1),
      ])
    _ = bench.alarm()
    #expect(bench.model.word(0x8C0C) == 0)
    #expect(!bench.model.take().contains { $0.offset == 0x8010 })
  }
}
