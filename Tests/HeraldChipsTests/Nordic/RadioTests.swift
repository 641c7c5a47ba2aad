import HeraldChips
import HeraldHAL
import Testing

private typealias Write = RadioModel.Write
private typealias Bench52 = RadioBench<NRF.NRF52>
private typealias Bench51 = RadioBench<NRF.NRF51822>

@Suite("nRF RADIO")
struct RadioTests {
  @Test("the nRF52 is configured for 1 Mbit/s with fast ramp-up")
  func switchingOn() {
    let bench = Bench52()
    bench.radio.switchOn(power: -4)
    #expect(
      bench.model.take() == [
        Write(0x1510, 3), Write(0x150C, 0xFC), Write(0x1514, 0x108), Write(0x152C, 0), Write(0x1530, 1),
        Write(0x1534, 0x103), Write(0x1538, 0x65B), Write(0x8510, 4), Write(0x8508, 3), Write(0x8504, 0),
        // RTC0 TICK to TIMER0 CAPTURE3 on channel 13.
        Write(0x1F578, 0x4000_B100), Write(0x1F57C, 0x4000_804C), Write(0x1650, 0x201), Write(0x1200, 0x113),
        Write(0x1F504, 1 << 26 | 1 << 27 | 1 << 13), Write(0xB000, 1), Write(0xB344, 1 << 17),
        Write(0xB304, 1 << 1),
        Write(0x1304, 1 << 4),
      ])
    #expect(bench.model.faults == [])
  }

  @Test("the nRF51 has READY connected with START once, and COMPARE0 with START")
  func switchingOnWithoutFastRampUp() {
    let bench = Bench51()
    bench.radio.switchOn()
    #expect(
      bench.model.take().filter { $0.offset >= 0x1F000 || $0.offset == 0x1200 || $0.offset == 0x1650 } == [
        Write(0x1F578, 0x4000_B100), Write(0x1F57C, 0x4000_804C),
        Write(0x1F580, 0x4000_1100), Write(0x1F584, 0x4000_1008),
        Write(0x1F588, 0x4000_1100), Write(0x1F58C, 0x4001_F01C),
        Write(0x1F570, 0x4000_8140), Write(0x1F574, 0x4000_1008),
        Write(0x1F80C, 1 << 14), Write(0x1F504, 1 << 26 | 1 << 27 | 1 << 13 | 1 << 15),
      ])
  }

  @Test("the factory's values of the nRF51 are copied if there are any")
  func trimming() {
    let bench = Bench51()
    let factory = RadioModel()
    var registers = ModelRegisters(factory)
    for index in 0..<5 { factory.set(0x0EC + 4 * UInt32(index), 0x100 + UInt32(index)) }
    factory.set(0x0AC, 0xFFFF_FFFF)
    bench.radio.trim(from: &registers)
    #expect(bench.model.take() == [])
    factory.set(0x0AC, 0xFFFF_FFF7)
    bench.radio.trim(from: &registers)
    #expect(
      bench.model.take() == [
        Write(0x1724, 0x100), Write(0x1728, 0x101), Write(0x172C, 0x102), Write(0x1730, 0x103),
        Write(0x1734, 0x8000_0104),
      ])
  }

  @Test("frequency, whitening, access address and CRC of an operation")
  func configuration() {
    let bench = Bench52()
    bench.radio.start(reception())
    #expect(
      Array(bench.model.take().prefix(6)) == [
        Write(0x1554, 5), Write(0x1508, 14), Write(0x151C, 0x655D_A300), Write(0x1524, 0x50),
        Write(0x153C, 0x1B7F2C), Write(0x1518, 0x0203_001B),
      ])
    // Vol 6, Part B, 1.4.1.
    let frequencies: [UInt8: UInt32] = [37: 2, 0: 4, 10: 24, 38: 26, 11: 28, 36: 78, 39: 80]
    for (channel, frequency) in frequencies {
      let bench = Bench52()
      bench.radio.start(transmission(channel: channel))
      #expect(bench.model.word(0x1508) == frequency)
      #expect(bench.model.word(0x1554) == UInt32(channel))
    }
  }

  @Test("RTC0 wakes the processor for the crystal, then starts TIMER0, which starts the transmitter")
  func transmitting() {
    let bench = Bench52()
    bench.radio.start(transmission())
    // 100,000 − 42 − 784 µs are 3,249.7 ticks.
    #expect(
      Array(bench.model.take().dropFirst(6)) == [
        Write(0xB308, 1 << 17), Write(0xB544, 3_249), Write(0xB304, 1 << 17),
      ])
    #expect(bench.alarm() == nil)
    // 25 ticks later it is 99,914.5 µs; the transmitter is enabled 44 µs after that.
    #expect(
      bench.model.take() == [
        Write(0xB308, 1 << 17), Write(0x0000, 1), Write(0x800C, 1), Write(0xB344, 1 << 16 | 1),
        Write(0xB540, 3_274), Write(0x1F504, 1 << 31), Write(0x1504, 0x2000_0000),
        Write(0x1F508, 1 << 21 | 1 << 22), Write(0x8540, 44), Write(0x1F504, 1 << 20),
      ])
    bench.model.set(0x1110)
    bench.model.set(0x8548, 86 + 128)
    #expect(
      bench.takeOutcome() == RadioOutcome(.sent, start: time(100_000), end: time(99_914 + 214)))
    #expect(bench.takeOutcome() == nil)
    #expect(bench.model.faults == [])
  }

  @Test("a response is received from 4 µs before 150 µs on, until its access address would have arrived")
  func receivingAfterSpace() {
    let bench = Bench52()
    bench.run(transmission())
    _ = bench.packet(address: 0, end: 214)
    _ = bench.model.take()
    bench.radio.proceed(.receiveAfterSpace)
    #expect(
      bench.model.take() == [
        Write(0x1504, 0x2000_0040), Write(0x1F508, 1 << 20), Write(0x8544, 214 + 150 + 40 + 9 + 4),
        Write(0x1F504, 1 << 22), Write(0x8540, 214 + 150 - 4 - 40), Write(0x8048, 1), Write(0x1F504, 1 << 21),
      ])
    let outcome = bench.packet(address: 214 + 150 + 40 + 9, end: 214 + 150 + 176 + 9)
    #expect(
      outcome
        == RadioOutcome(
          .received, start: time(99_914 + 214 + 150), end: time(99_914 + 214 + 326), rssi: -61))
    _ = bench.model.take()
    bench.radio.proceed(.transmitAfterSpace)
    #expect(
      bench.model.take() == [
        Write(0x1504, 0x2000_0000), Write(0x1F508, 1 << 21 | 1 << 22),
        Write(0x8540, 214 + 326 + 150 - 42), Write(0x8048, 1), Write(0x1F504, 1 << 20),
      ])
    #expect(bench.model.faults == [])
  }

  @Test("a reception ends without an access address, or with a wrong CRC")
  func receivingNothing() {
    let bench = Bench52()
    bench.run(reception(window: 500))
    let timeout = bench.model.word(0x8544)
    // RXEN 44 µs before the packet may begin; the access address may end 500 µs after that.
    #expect(timeout - bench.model.word(0x8540) == 44 + 500 + 9)
    bench.model.set(0x1110)
    bench.model.set(0x8548, 7)
    let silent = bench.takeOutcome()
    #expect(silent == RadioOutcome(.silent, start: time(100_509), end: time(100_509)))
    let other = Bench52()
    other.run(reception())
    let damaged = other.packet(address: 149, end: 213, crcStatus: 0)
    #expect(damaged?.kind == .damaged && damaged?.rssi == -61)
  }

  @Test("a step that comes too late is not executed, and the next interrupt of RTC0 reports it")
  func late() {
    // The time has passed; or passes before the channel is enabled; or after it.
    for (isPassed, state, isLate) in [(true, UInt32(0), true), (false, 0, true), (false, 9, false)] {
      let bench = Bench52()
      bench.run(reception())
      _ = bench.packet(address: 149, end: 213)
      if isPassed { bench.model.timer = 213 - 9 + 150 - 42 }
      bench.model.set(0x1550, state)
      _ = bench.model.take()
      bench.model.meanwhile = { [model = bench.model] in
        // COMPARE0, when channel 20 is enabled.
        if !isPassed, model.word(0x1F504) == 1 << 20 { model.set(0x8140) }
      }
      bench.radio.proceed(.transmitAfterSpace)
      bench.model.meanwhile = nil
      let writes = bench.model.take()
      #expect(writes.contains(Write(0xB304, 1 << 17)) == isLate)
      #expect(writes.contains(Write(0x1F508, 1 << 20 | 1 << 21 | 1 << 22 | 1 << 14 | 1 << 12)) == isLate)
      guard isLate else { continue }
      let outcome = bench.alarm()
      #expect(outcome?.kind == .late)
      #expect(bench.model.faults == [])
    }
  }

  @Test("an operation for which the crystal cannot start in time is late; the next one needs no start")
  func crystal() {
    let bench = Bench52()
    bench.radio.start(transmission(500))
    // 600 µs are 19.7 ticks.
    #expect(bench.model.word(0xB544) == 19)
    let outcome = bench.alarm()
    #expect(outcome?.kind == .late)
    bench.radio.proceed(.stop)
    bench.model.set(0x40C, 0x1_0001)
    // The last tick was captured at 600 by TIMER0, which is at 610; RTC0's 19 ticks are 579 µs.
    bench.model.set(0x854C, 600)
    bench.model.timer = 610
    _ = bench.model.take()
    bench.radio.start(transmission(1_000))
    #expect(
      Array(bench.model.take().dropFirst(6)) == [
        Write(0xB308, 1 << 17), Write(0x8048, 1), Write(0x1504, 0x2000_0000),
        Write(0x1F508, 1 << 21 | 1 << 22), Write(0x8540, 1_000 - 579 + 600 - 42), Write(0x8048, 1),
        Write(0x1F504, 1 << 20),
      ])
    #expect(bench.model.faults == [])
  }

  @Test("a processor that is stopped while it sets RTC0 starts TIMER0 itself, and the operation is late")
  func stoppedProcessor() {
    let bench = Bench52()
    bench.radio.start(transmission())
    bench.model.counter = bench.model.word(0xB544)
    bench.model.set(0xB144)
    bench.model.meanwhile = { [model = bench.model] in
      if model.word(0xB540) != 0 { model.counter = model.word(0xB540) - 1 }
    }
    #expect(bench.takeOutcome() == nil)
    bench.model.meanwhile = nil
    #expect(bench.model.take().contains(Write(0x8000, 1)))
    let outcome = bench.alarm()
    #expect(outcome?.kind == .late)
    #expect(bench.model.faults == [])
    // Later: TIMER0 has been started, and has passed the compare value before its channel is enabled.
    let other = Bench52()
    other.radio.start(transmission())
    other.model.counter = other.model.word(0xB544)
    other.model.set(0xB144)
    other.model.meanwhile = { [model = other.model] in
      if model.word(0x8540) != 0 { (model.counter, model.timer) = (model.word(0xB540), 50) }
    }
    #expect(other.takeOutcome() == nil)
    other.model.meanwhile = nil
    let second = other.alarm()
    #expect(second?.kind == .late)
  }

  @Test("a processor that is stopped before a reception continues does not leave the receiver on")
  func stoppedReception() {
    let bench = Bench52()
    bench.run(reception(window: 5_000))
    _ = bench.packet(address: 149, end: 213)
    bench.model.set(0x1550, 3)
    bench.model.meanwhile = { [model = bench.model] in
      if model.word(0x1004) != 0 { model.timer = model.word(0x8544) + 1 }
    }
    bench.radio.proceed(.receiveAgain)
    bench.model.meanwhile = nil
    #expect(bench.model.take().contains(Write(0x1010, 1)))
    let outcome = bench.alarm()
    #expect(outcome?.kind == .silent)
  }

  @Test(
    "2 ms after the last operation TIMER0 and the crystal are switched off, unless it is in use",
    arguments: [
      (NRF.RadioCrystal.exclusive, true, true), (.sharedWithUSB, false, true), (.sharedWithUSB, true, false),
      (.alwaysOn, false, false),
    ])
  func idle(crystal: NRF.RadioCrystal, hasBusVoltage: Bool, isStopped: Bool) {
    let bench = Bench52(crystal: crystal)
    bench.model.set(0x438, hasBusVoltage ? 3 : 0)
    bench.run(transmission())
    _ = bench.packet(address: 0, end: 214)
    _ = bench.model.take()
    let before = bench.model.counter
    bench.radio.proceed(.stop)
    #expect(bench.model.take() == [Write(0xB544, before + 64), Write(0xB304, 1 << 17)])
    #expect(bench.alarm() == nil)
    let writes = bench.model.take()
    #expect(
      Array(writes.prefix(5)) == [
        Write(0xB308, 1 << 17), Write(0x1F508, 1 << 20 | 1 << 21 | 1 << 22 | 1 << 31),
        Write(0xB348, 1 << 16 | 1), Write(0x8004, 1), Write(0x8010, 1),
      ])
    #expect(writes.contains(Write(0x0004, 1)) == isStopped)
    #expect(bench.model.faults == [])
  }

  @Test("an operation is cancelled before it begins, and a reception before an access address has arrived")
  func cancelling() {
    let idle = Bench52()
    #expect(!idle.cancel())
    let waiting = Bench52()
    waiting.radio.start(transmission())
    #expect(waiting.cancel())
    #expect(!waiting.cancel())
    #expect(waiting.takeOutcome() == nil)
    for (state, hasAddress, isCancelled) in [(UInt32(0), false, true), (3, false, true), (3, true, false)] {
      let bench = Bench52()
      bench.run(reception())
      bench.model.set(0x1550, state)
      if hasAddress { bench.model.set(0x1104) }
      #expect(bench.cancel() == isCancelled)
      let writes = bench.model.take()
      #expect(writes.contains(Write(0x1010, 1)) == (isCancelled && state != 0))
      // RADIO's interrupt was disabled, and is enabled again.
      #expect(writes.filter { $0.offset == 0x1308 || $0.offset == 0x1304 }.map(\.offset) == [0x1308, 0x1304])
    }
    for (state, isCancelled) in [(UInt32(0), true), (9, false), (11, false)] {
      let bench = Bench52()
      bench.run(transmission())
      bench.model.set(0x1550, state)
      #expect(bench.cancel() == isCancelled)
    }
    // It has ended, and the interrupt is pending.
    let ended = Bench52()
    ended.run(reception())
    ended.model.set(0x1110)
    #expect(!ended.cancel())
    #expect(ended.takeOutcome() != nil)
  }

  @Test("an operation that is cancelled before TIMER0 runs leaves it off; the crystal is waited for again")
  func cancellingEarly() {
    let bench = Bench52()
    bench.radio.start(transmission())
    _ = bench.alarm()
    #expect(bench.cancel())
    #expect(bench.model.take().contains(Write(0x8010, 1)))
    let running = Bench52()
    running.run(reception())
    running.model.set(0x1550, 3)
    #expect(running.cancel())
    #expect(!running.model.take().contains(Write(0x8010, 1)))
    // The crystal has not started meanwhile.
    running.model.set(0x40C, 0)
    running.radio.start(transmission(running.now() + 200))
    #expect(!running.model.take().contains { $0.offset == 0x1F504 })
    let outcome = running.alarm()
    #expect(outcome?.kind == .late)
    #expect(bench.model.faults + running.model.faults == [])
  }

  @Test("after a packet that is not wanted, reception continues until the end of the window")
  func receivingAgain() {
    let bench = Bench52()
    bench.run(reception(window: 5_000))
    let timeout = bench.model.word(0x8544)
    _ = bench.packet(address: 149, end: 213)
    _ = bench.model.take()
    bench.radio.proceed(.receiveAgain)
    #expect(
      bench.model.take() == [
        Write(0x8048, 1), Write(0x1504, 0x2000_0000), Write(0x1F508, 1 << 20), Write(0x8544, timeout),
        Write(0x1F504, 1 << 22), Write(0x1004, 1), Write(0x8048, 1),
      ])
    _ = bench.packet(address: timeout - 80, end: timeout - 60)
    bench.radio.proceed(.receiveAgain)
    let outcome = bench.alarm()
    #expect(outcome?.kind == .silent)
    #expect(bench.model.faults == [])
  }

  @Test("a tick of RTC0 is 15,625/512 µs, over its overflow and that of the time")
  func timeOfTicks() {
    let bench = Bench52()
    var random = Seeded(3)
    var ticks: UInt64 = 0
    for _ in 0..<2_000 {
      let step = UInt64.random(in: 0..<(1 << 24), using: &random)
      if (ticks + step) >> 24 != ticks >> 24 { bench.model.set(0xB104) }
      ticks += step
      bench.model.counter = UInt32(truncatingIfNeeded: ticks & 0xFF_FFFF)
      // With the interrupt of the overflow pending, unless the counter is at its end, and after it.
      if bench.model.counter < 0x80_0000 {
        #expect(bench.now() == UInt32(truncatingIfNeeded: ticks * 15_625 / 512))
      }
      _ = bench.takeOutcome()
      #expect(bench.now() == UInt32(truncatingIfNeeded: ticks * 15_625 / 512))
    }
    #expect(ticks > 1 << 32)
  }

  @Test("PDUs are passed by the two buffers, and a length is not believed")
  func buffers() {
    let bench = Bench52()
    bench.send([0x42] + Array(repeating: 0, count: 37) + [7])
    bench.run(transmission())
    #expect(bench.model.bus[0x2000_0000] == 0x42 && bench.model.bus[0x2000_0026] == 7)
    _ = bench.packet(address: 0, end: 214)
    bench.radio.proceed(.receiveAfterSpace)
    bench.model.bus[0x2000_0040] = 0x40
    bench.model.bus[0x2000_0041] = 9
    #expect(bench.received().count == 11)
    #expect(bench.received()[0] == 0x40)
    bench.model.bus[0x2000_0041] = 255
    #expect(bench.received().count == 39)
  }

  @Test("while a long reception lasts, the clocks drift apart, which its outcome takes into account")
  func drift() {
    let bench = Bench52()
    bench.run(reception(window: 2_000_000))
    // 1 s after TIMER0 was 0, by RTC0; TIMER0 is 100 ppm fast.
    bench.model.counter += 25 + 32_768
    bench.model.set(0x854C, 1_000_100)
    let outcome = bench.packet(address: 1_000_149, end: 1_000_213)
    #expect(outcome?.end == time(1_099_914 + 113 - 9))
  }
}
