import HeraldBluetooth
import HeraldHAL
import Testing

@testable import HeraldHCI

@Suite("Recovery")
struct RecoveryTests {
  let parameters = ScanParameters(
    ownAddress: .zero, interval: .milliseconds(100), window: .milliseconds(50), active: false)

  @Test(
    "A hardware error, a buffer overflow and a reset nobody asked for: the controller is reset",
    arguments: ["04100142", "041a0101", "040e0401030c00"])
  func events(_ event: String) throws {
    var bench = try Bench.connected()
    bench.arrive(event)
    #expect(bench.events() == [.changed(.failed), .changed(.starting)])
    #expect(bench.sendRefusal([1], on: 0) == .notReady)
    #expect(bench.radio.capabilities.connections == 0)
    #expect(bench.answerAll().first == "01030c00")
    #expect(bench.events() == [.changed(.ready)])
    // Nothing is left of the old connection.
    bench.arrive("0201200700030004000a0300")
    #expect(bench.events() == [])
    try bench.connect(as: .peripheral, handle: "0100")
    bench.arrive("0201200700030004000a0300")
    #expect(bench.events() == [.pdu(0, [0x0A, 3, 0])])
  }

  @Test("A controller that starts again by itself, with its boot messages on the line")
  func reboot() throws {
    var bench = Bench.ready()
    try bench.radio.startScanning(parameters)
    _ = bench.answerAll()
    bench.arrive("043e0f 02 01 00 01 6655" + hex(Array("*** Booting controller v1.2 ***\r\n".utf8)))
    bench.arrive(hex(Array("*** more of that ***\r\n".utf8)))
    let commands = bench.answerAll()
    #expect(commands.first == "01030c00")
    #expect(bench.radio.state == .ready)
    #expect(Array(bench.events().suffix(3)) == [.changed(.failed), .changed(.starting), .changed(.ready)])
    #expect(bench.radio.counters[.syncLost] == 1)
    // What was wanted has to be stated again.
    #expect(!commands.contains("010c20020100"))
    try bench.radio.startScanning(parameters)
    #expect(bench.answerAll().last == "010c20020100")
    bench.arrive("043e0f 02 01 00 01 665544332211 03 020106 c4")
    #expect(bench.events() == [.report("11:22:33:44:55:66", -60, 0x13, [2, 1, 6])])
  }

  @Test(
    "A controller that is silent while it has work is asked whether it is there, and given up if it is not")
  func silence() throws {
    var bench = Bench.ready()
    try bench.radio.startScanning(parameters)
    _ = bench.answerAll()
    _ = bench.events()
    bench.poll()
    let asked = bench.deadline
    #expect(asked == bench.now + .seconds(30))
    bench.wait(29_999)
    #expect(bench.sent() == [])
    bench.wait(1)
    #expect(bench.sent() == ["01011000"])
    bench.arrive("040e0c0101100009000009ffff0000")
    #expect(bench.deadline == bench.now + .seconds(30))
    bench.wait(30_000)
    #expect(bench.sent() == ["01011000"])
    bench.wait(2_000)
    #expect(Array(bench.events().prefix(1)) == [.changed(.failed)])
    #expect(bench.radio.counters[.commandTimeouts] == 1)
  }

  @Test("Advertisements, however many, put off nothing that is due")
  func crowd() throws {
    var bench = Bench.ready()
    try bench.radio.startScanning(parameters)
    _ = bench.answerAll()
    _ = bench.events()
    bench.poll()
    let asked = bench.deadline
    let advertisement = "043e0f 02 01 00 01 665544332211 03 020106 c4"
    bench.now = bench.now + .seconds(1)
    bench.arrive(advertisement)
    // It stays as it was: nothing but an advertisement came.
    #expect(bench.deadline == asked)
    #expect(bench.events().count == 1)
    // A command that is not answered fails in its time.
    bench.radio.stopScanning()
    #expect(bench.sent() == ["010c20020000"])
    for _ in 0..<199 {
      bench.now = bench.now + .milliseconds(10)
      bench.arrive(advertisement)
    }
    #expect(bench.radio.state == .ready)
    bench.now = bench.now + .milliseconds(10)
    bench.arrive(advertisement)
    #expect(bench.events().suffix(2) == [.changed(.failed), .changed(.starting)])
  }

  @Test("A controller of which nothing is wanted may be silent")
  func silentWithoutWork() {
    var bench = Bench.ready()
    bench.wait(3_600_000)
    #expect(bench.sent() == [])
    #expect(bench.deadline == .never)
  }

  @Test("Garbage before the first answer costs nothing")
  func garbageFirst() {
    var bench = Bench()
    bench.arrive("00ff1122")
    #expect(bench.events() == [])
    _ = bench.answerAll()
    #expect(bench.events() == [.changed(.ready)])
  }

  @Test("A command without answer in the middle of work")
  func timeout() throws {
    var bench = Bench.ready()
    try bench.radio.startScanning(parameters)
    #expect(bench.sent().count == 1)
    bench.poll()
    #expect(bench.deadline == bench.now + .seconds(2))
    bench.wait(2000)
    #expect(bench.events() == [.changed(.failed), .changed(.starting)])
    #expect(bench.sent() == ["01030c00"])
  }

  /// A controller that has answered nothing for so long that the next attempt is 25.6 s away.
  private func silentBench() throws -> Bench {
    var bench = Bench.ready()
    try bench.radio.startScanning(parameters)
    bench.poll()
    while bench.deadline < bench.now + .milliseconds(25_600) {
      bench.now = bench.deadline
      bench.poll()
    }
    #expect(bench.radio.state == .failed)
    _ = bench.sent()
    _ = bench.events()
    return bench
  }

  @Test(
    "A byte from a controller that was given up ends the pause",
    arguments: [
      "ff", "040e0401000000", "043e1301 00 0100 01 01 0605040302c1 1800 0000 9001 00",
      "043e0f 02 01 00 01 665544332211 03 020106 c4",
    ])
  func byteEndsPause(_ first: String) throws {
    var bench = try silentBench()
    bench.wait(1_000)
    #expect(bench.sent() == [] && bench.radio.state == .failed)
    bench.arrive(first)
    #expect(bench.sent() == ["01030c00"])
    #expect(bench.events() == [.changed(.starting)])
    bench.arrive("040e0401030c00")
    #expect(bench.answerAll().first == "01011000")
    #expect(bench.radio.state == .ready)
  }

  @Test(
    "What comes within 100 ms of the failure may be the rest of what failed: the pause has that length at least"
  )
  func shortestPause() throws {
    var bench = try silentBench()
    bench.wait(99)
    bench.arrive("ff")
    #expect(bench.radio.state == .failed)
    #expect(bench.deadline == bench.now + .milliseconds(1))
    bench.wait(1)
    #expect(bench.sent() == ["01030c00"])
    // A controller that sends without end and answers nothing is not reset without end.
    bench.wait(2_000)
    var resets = 0
    for _ in 0..<1_000 {
      bench.now = bench.now + .milliseconds(10)
      bench.arrive("ff")
      resets += bench.sent().count
    }
    // In 10 s: each waits 2 s for its answer, and 100 ms for the next.
    #expect(resets == 5)
  }

  @Test("A line that was opened anew is used at once, however long it was gone")
  func lineReopened() throws {
    var bench = Bench.ready()
    // Half an event is on its way when the line goes; it is not continued by what comes on the next one.
    bench.arrive("040eff0101")
    bench.radio.transport.isGone = true
    bench.poll()
    bench.wait(10)
    #expect(bench.radio.state == .failed)
    for _ in 0..<2_400 {
      #expect(bench.deadline == bench.now + .milliseconds(250))
      bench.now = bench.deadline
      bench.poll()
    }
    #expect(bench.radio.state == .failed)
    #expect(bench.radio.counters[.failures] == 2)
    _ = bench.events()
    bench.radio.transport.isGone = false
    bench.now = bench.deadline
    bench.poll()
    #expect(bench.events() == [.changed(.starting)])
    #expect(bench.sent() == ["01030c00"])
    bench.arrive("040e0401030c00")
    _ = bench.answerAll()
    #expect(bench.events() == [.changed(.ready)])
    // It goes once more, and is back when it is looked at first.
    bench.radio.transport.isGone = true
    bench.poll()
    bench.radio.transport.isGone = false
    _ = bench.sent()
    bench.wait(2)
    #expect(bench.answerAll().last == "01242004fb004808")
    #expect(bench.radio.state == .ready)
  }

  @Test("Half a minute without failure, and the first attempt comes at once again")
  func timeouts() {
    var bench = Bench.ready()
    for expected: UInt32 in [0, 100, 200] {
      bench.arrive("04100101")
      if expected == 0 {
        #expect(bench.radio.state == .starting)
      } else {
        #expect(bench.deadline == bench.now + .milliseconds(expected))
        bench.now = bench.deadline
      }
      _ = bench.answerAll()
      #expect(bench.radio.state == .ready)
    }
    bench.wait(30_000)
    bench.arrive("04100101")
    #expect(bench.radio.state == .starting)
  }

  @Test("Counters have names, and values only within bounds")
  func statistics() {
    typealias Radio = HCIRadio<ScriptedTransport, 3>
    var bench = Bench.ready()
    bench.arrive("04ff00")
    #expect("\(Radio.statisticsName)" == "hci")
    #expect(Radio.statisticsCount == 26)
    var names: Set<String> = []
    for index in 0..<Radio.statisticsCount { names.insert("\(Radio.statisticName(index))") }
    #expect(names.count == 26)
    // The names are one text, apart from the counters: each is that of its counter, with underscores.
    for index in 0..<Radio.statisticsCount {
      let camel =
        HCICounter(rawValue: UInt8(index)).map { "\($0)" }
        ?? L2CAPCounter(rawValue: UInt8(index - HCICounter.count)).map { "\($0)" } ?? ""
      let name = camel.reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
      #expect("\(Radio.statisticName(index))" == name)
    }
    let unknownEvents = bench.radio.statistic(1)
    #expect(unknownEvents == 1)
    #expect("\(Radio.statisticName(26))" == "")
    #expect("\(Radio.statisticName(-1))" == "")
    let beyond = (bench.radio.statistic(26), bench.radio.statistic(-1))
    #expect(beyond == (0, 0))
  }
}
