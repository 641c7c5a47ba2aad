import HeraldChips
import Testing

@Suite("Interrupts of a Cortex-M")
struct SystemControlTests {
  @Test("interrupts are enabled, disabled, made pending and forgotten one by one")
  func interrupts() {
    let model = InterruptControllerModel()
    var control = CortexM.SystemControl(ModelRegisters(model))
    control.enable(1)
    control.enable(20)
    control.disable(1)
    control.disable(11)
    #expect(model.enabled == 1 << 20)
    control.pend(20)
    control.pend(11)
    control.forget(20)
    #expect(model.pending == 1 << 11)
    #expect(model.faults == [])
  }

  @Test("a priority is in the two upper bits of its byte, and leaves the others alone")
  func priorities() {
    let model = InterruptControllerModel()
    var control = CortexM.SystemControl(ModelRegisters(model))
    for number in UInt32(0)..<32 { control.setPriority(number, 3) }
    control.setPriority(1, 0)
    control.setPriority(11, 1)
    control.setPriority(20, 2)
    control.setPriority(21, 5)
    #expect((UInt32(0)..<4).map(model.priority) == [0xC0, 0x00, 0xC0, 0xC0])
    #expect([11, 20, 21, 31].map(model.priority) == [0x40, 0x80, 0x40, 0xC0])
    #expect(model.faults == [])
  }
}
