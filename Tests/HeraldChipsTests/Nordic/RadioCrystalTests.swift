import HeraldChips
import HeraldHAL
import Testing

private typealias Write = RadioModel.Write

// The time of the crystal.
extension RadioTests {
  @Test("the time of the crystal is counted from its start to its stop")
  func crystalTime() {
    let bench = RadioBench<NRF.NRF52>()
    let before = bench.radio.crystalTime()
    bench.run(transmission())
    let start = bench.now()
    // 32,768 ticks are a second.
    bench.model.counter += 32_768
    let running = bench.radio.crystalTime()
    #expect(before == 0 && running == 1_000_000)
    _ = bench.packet(address: 0, end: 300)
    bench.radio.proceed(.stop)
    _ = bench.model.take()
    let idle = bench.radio.crystalTime()
    // RTC0's interrupt is held off meanwhile: it could switch the crystal off.
    #expect(bench.model.take() == [Write(0xB308, 1 << 17), Write(0xB304, 1 << 17)])
    _ = bench.alarm()
    let stop = bench.now()
    bench.model.counter += 32_768
    let off = bench.radio.crystalTime()
    #expect(idle == 1_000_000 && stop - start > 1_000_000 && off == stop - start)
    #expect(bench.model.take().last == Write(0xB308, 1 << 17))
    #expect(bench.model.faults == [])
  }
}
