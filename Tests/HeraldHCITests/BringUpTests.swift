import HeraldHAL
import Testing

@testable import HeraldHCI

@Suite("Bring-up")
struct BringUpTests {
  @Test("A controller is reset, asked and told, one command at a time, until it is ready")
  func order() {
    var bench = Bench()
    #expect(bench.radio.state == .starting)
    #expect(!bench.radio.capabilities.canAdvertise)
    let commands = bench.answerAll()
    #expect(
      commands == [
        "01030c00", "01011000", "01021000", "01031000",
        "01010c08" + "1080000200000020",  // Set Event Mask
        "01012008" + "1300000000000000",  // LE Set Event Mask
        "01022000", "01032000", "011c2000", "01091000",
        "01242004" + "fb004808",  // LE Write Suggested Default Data Length
      ])
    #expect(bench.radio.state == .ready)
    #expect(bench.events() == [.changed(.ready)])
    let capabilities = bench.radio.capabilities
    #expect(capabilities.canAdvertise)
    #expect(capabilities.canConnect)
    #expect(capabilities.canAdvertiseWhileConnected)
    #expect(!capabilities.canScanWhileConnecting)  // bits 22 and 23 are 0 there
    #expect(capabilities.connections == 3)
    #expect(capabilities.maximumPDU == 247)
    #expect(capabilities.publicAddress == .zero)
    #expect(bench.deadline == .never)
  }

  @Test("What the vendor wants comes right after each reset, one command at a time")
  func vendor() {
    var bench = Bench()
    bench.radio.transport.vendor = [bytes("01 01fc 02 aabb"), bytes("01 02fc 00")]
    #expect(bench.answerAll().prefix(4) == ["01030c00", "0101fc02aabb", "0102fc00", "01011000"])
    #expect(bench.radio.state == .ready)
    bench.arrive("04100142")
    #expect(bench.answerAll().prefix(4) == ["01030c00", "0101fc02aabb", "0102fc00", "01011000"])
    #expect(bench.radio.state == .ready)
  }

  @Test("A controller that refuses what its vendor wants is not brought up")
  func vendorRefused() {
    var bench = Bench()
    bench.radio.transport.vendor = [bytes("01 01fc 00")]
    bench.poll()
    bench.arrive("040e0401030c00")
    #expect(bench.sent() == ["01030c00", "0101fc00"])
    bench.arrive("040e040101fc12")
    #expect(bench.radio.state != .ready)
    #expect(bench.radio.counters[.failures] == 1)
  }

  @Test("Buffers of length 0 are those of Read Buffer Size")
  func sharedBuffers() {
    var bench = Bench()
    var answers = Bench.bumble
    answers[0x2002] = "040e0701022000 0000 00"
    answers[0x1005] = "040e0b0105100 0 fd03 40 0800 0000"
    let commands = bench.answerAll(answers)
    #expect(commands.contains("01051000"))
    #expect(bench.radio.session.support.acl.length == 1021)
    #expect(bench.radio.session.support.acl.count == 8)
  }

  @Test("A controller with BR/EDR is told that its host speaks LE")
  func dualMode() {
    var bench = Bench()
    var answers = Bench.bumble
    answers[0x1003] = "040e0c01031000 ffffffffdbfd7b87"  // bit 37 clear
    var supported = bytes(answers[0x1002] ?? "")
    supported[7 + 24] |= 0x40
    answers[0x1002] = hex(supported)
    let commands = bench.answerAll(answers)
    #expect(commands.contains("016d0c020100"))
    #expect(bench.radio.state == .ready)
  }

  @Test("A public address is reported")
  func publicAddress() {
    var bench = Bench()
    var answers = Bench.bumble
    answers[0x1009] = "040e0a01091000 665544332211"
    _ = bench.answerAll(answers)
    #expect(text(bench.radio.capabilities.publicAddress) == "11:22:33:44:55:66p")
  }

  @Test("What only makes things better may be refused")
  func refused() {
    var bench = Bench()
    var answers = Bench.bumble
    answers[0x201C] = "040f0401011c20"  // Command Status: Unknown HCI Command
    answers[0x2024] = "040e0401242001"
    answers[0x2003] = "040e0401032001"
    _ = bench.answerAll(answers)
    #expect(bench.radio.state == .ready)
    #expect(!bench.radio.capabilities.canAdvertiseWhileConnected)
    #expect(bench.radio.counters[.commandsRefused] == 2)  // without the feature, 0x2024 is not sent
  }

  @Test("A controller that refuses what is necessary fails, again and again, with growing pauses")
  func hopeless() {
    var bench = Bench()
    var answers = Bench.bumble
    answers[0x2002] = "040e0401022001"
    _ = bench.answerAll(answers)
    #expect(bench.radio.state == .failed)
    // The first attempt to recover came at once and failed too.
    #expect(bench.events() == [.changed(.failed), .changed(.starting), .changed(.failed)])
    #expect(bench.deadline == bench.now + .milliseconds(100))
    bench.wait(99)
    #expect(bench.radio.state == .failed)
    bench.wait(1)
    #expect(bench.radio.state == .starting)
    _ = bench.answerAll(answers)
    #expect(bench.deadline == bench.now + .milliseconds(200))
    for _ in 0..<20 {
      bench.now = bench.deadline
      _ = bench.answerAll(answers)
    }
    #expect(bench.deadline == bench.now + .milliseconds(25_600))
  }

  @Test("A command without answer fails after two seconds, and the controller is reset")
  func timeout() {
    var bench = Bench()
    bench.poll()
    #expect(bench.sent() == ["01030c00"])
    #expect(bench.deadline == bench.now + .seconds(2))
    bench.wait(1999)
    #expect(bench.radio.state == .starting)
    #expect(bench.sent() == [])
    bench.wait(1)
    #expect(bench.events() == [.changed(.failed), .changed(.starting)])
    #expect(bench.sent() == ["01030c00"])
    #expect(bench.radio.counters[.commandTimeouts] == 1)
    // Half an answer of the old command is no answer; the whole one that comes is.
    bench.arrive("030c00 040e0401030c00")
    #expect(bench.sent() == ["01011000"])
  }

  @Test("Num_HCI_Command_Packets 0 holds the next command back until there is credit")
  func credits() {
    var bench = Bench()
    bench.poll()
    #expect(bench.sent() == ["01030c00"])
    bench.arrive("040e0400030c00")
    #expect(bench.sent() == [])
    #expect(bench.deadline == bench.now + .seconds(2))
    bench.wait(1000)
    #expect(bench.sent() == [])
    bench.arrive("040e03010000")  // no command, one credit
    #expect(bench.sent() == ["01011000"])
    // And for ever is too long.
    bench.arrive("040e0c00 0110 00 09000009ffff0000")
    bench.wait(2000)
    #expect(bench.radio.counters[.commandTimeouts] == 1)
    #expect(bench.sent() == ["01030c00"])
  }

  @Test("A controller without legacy commands gets the extended ones")
  func extended() {
    var bench = Bench()
    var answers = Bench.bumble
    var commands = bytes(answers[0x1002] ?? "")
    commands[7 + 25] = 0x17  // no legacy advertising
    commands[7 + 26] = 0
    commands[7 + 36] = 0x7E
    commands[7 + 37] = 0xE0
    answers[0x1002] = hex(commands)
    let sent = bench.answerAll(answers)
    #expect(sent.contains("01012008" + "1310000000000000"))
    #expect(bench.radio.capabilities.canAdvertise)
    #expect(bench.radio.capabilities.canConnect)
  }

  @Test("A line that is gone is tried again")
  func gone() {
    var bench = Bench.ready()
    bench.radio.transport.isGone = true
    bench.poll()
    #expect(bench.events() == [.changed(.failed), .changed(.starting)])
    bench.wait(10)
    #expect(bench.radio.state == .failed)
    bench.radio.transport.isGone = false
    bench.now = bench.deadline
    _ = bench.answerAll()
    #expect(bench.radio.state == .ready)
  }
}
