import HeraldChips
import Testing

@Suite("nRF RNG")
struct RNGTests {
  @Test("four bytes make a word, each read once, and the generator rests between")
  func words() {
    let model = RNGModel()
    model.bytes = [0x12, 0x34, 0x56, 0x78, 0x9A, 0xBC, 0xDE, 0xF0]
    var random = NRF.RNG(ModelRegisters(model))
    let first = random.next()
    #expect(first == 0x1234_5678)
    #expect(!model.isRunning)
    let second = random.next()
    #expect(second == 0x9ABC_DEF0)
    let failures = random.failures
    #expect(failures == 0)
    #expect(model.faults == [])
  }

  @Test("a generator that gives nothing is noticed, and does not stop the device")
  func broken() {
    let model = RNGModel()
    model.isBroken = true
    var random = NRF.RNG(ModelRegisters(model))
    _ = random.next()
    let failures = random.failures
    #expect(failures == 4)
    #expect(model.faults == [])
  }
}
