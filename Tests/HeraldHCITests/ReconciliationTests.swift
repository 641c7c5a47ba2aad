import HeraldBluetooth
import HeraldHAL
import Testing

@testable import HeraldHCI

@Suite("What is wanted and what is")
struct ReconciliationTests {
  let first = AdvertisingParameters(
    ownAddress: random("c6:05:04:03:02:01"), interval: .milliseconds(250), connectable: true)
  let scan = ScanParameters(
    ownAddress: random("c6:05:04:03:02:01"), interval: .milliseconds(100), window: .milliseconds(50),
    active: false)
  let data: [UInt8] = [2, 1, 6]
  static let parameters = "0106200f90019001000100000000000000" + "0700"
  static let dataCommand = "0108202003020106" + String(repeating: "00", count: 28)
  static let setAddress = "010520060102030405c6"
  static let on = "010a200101"
  static let off = "010a200100"

  @Test(
    "HP-01 Advertising starts with the commands of Bluetooth 4.0: address, parameters, data, scan response, on"
  )
  func start() throws {
    var bench = Bench.ready()
    try bench.advertise(first, data, [])
    #expect(
      bench.answerAll() == [Self.setAddress, Self.parameters, Self.dataCommand, Self.on])
    // Then nothing is to be done, but to see to it that the controller is still there.
    #expect(bench.deadline == bench.now + .seconds(30))
  }

  @Test("HP-14 A new address with new data: off first, on last, the scan out of the way in between")
  func rotate() throws {
    var bench = Bench.ready()
    try bench.advertise(first, data, [])
    try bench.radio.startScanning(scan)
    #expect(
      bench.answerAll().suffix(2) == [
        "010b200701".replacing("0701", with: "0700") + "a00050000100", "010c20020100",
      ])
    var second = first
    second.ownAddress = random("c7:05:04:03:02:01")
    try bench.advertise(second, [2, 1, 4], [])
    #expect(
      bench.answerAll() == [
        "010c20020000", Self.off, "010520060102030405c7",
        Self.dataCommand.replacing("020106", with: "020104"), Self.on,
        "010c20020100",
      ])
  }

  @Test("New data under the same address are set without a pause")
  func newData() throws {
    var bench = Bench.ready()
    try bench.advertise(first, data, [])
    _ = bench.answerAll()
    try bench.advertise(first, [2, 1, 4], [9])
    #expect(
      bench.answerAll() == [
        Self.dataCommand.replacing("020106", with: "020104"),
        "01092020" + "0109" + String(repeating: "00", count: 30),
      ])
    try bench.advertise(first, [2, 1, 4], [9])
    #expect(bench.answerAll() == [])
  }

  @Test("Data that change while they are being set are set again")
  func overtaken() throws {
    var bench = Bench.ready()
    try bench.advertise(first, data, [])
    bench.arrive("040e0401052000")
    bench.arrive("040e0401062000")
    #expect(bench.sent().last == Self.dataCommand)
    try bench.advertise(first, [7], [])
    bench.arrive("040e0401082000")
    #expect(bench.sent() == ["010820200107" + String(repeating: "00", count: 30)])
  }

  @Test(
    "What nobody may connect to is sent at 100 ms at most before 5.0, and scannable only with a scan response"
  )
  func notConnectable() throws {
    var bench = Bench.ready()
    bench.radio.session.support.version = 8
    var parameters = first
    parameters.connectable = false
    parameters.interval = .milliseconds(20)
    try bench.advertise(parameters, data, [])
    #expect(bench.answerAll().contains("0106200fa000a000030100000000000000" + "0700"))
    try bench.advertise(parameters, data, [9])
    let commands = bench.answerAll()
    #expect(commands.first == Self.off)
    #expect(commands.contains("0106200fa000a000020100000000000000" + "0700"))
  }

  @Test(
    "What nobody may connect to is sent as often as wanted from 5.0, LL version 9, on",
    arguments: [(8, "a000a000"), (9, "20002000"), (10, "20002000")] as [(UInt8, String)])
  func notConnectableSince5(version: UInt8, interval: String) throws {
    var bench = Bench.ready()
    bench.radio.session.support.version = version
    var parameters = first
    parameters.connectable = false
    parameters.interval = .milliseconds(20)
    try bench.advertise(parameters, data, [])
    #expect(bench.answerAll().contains("0106200f\(interval)030100000000000000" + "0700"))
  }

  @Test("Stopping stops, once")
  func stop() throws {
    var bench = Bench.ready()
    try bench.advertise(first, data, [])
    try bench.radio.startScanning(scan)
    _ = bench.answerAll()
    bench.radio.stopAdvertising()
    bench.radio.stopScanning()
    #expect(bench.answerAll() == [Self.off, "010c20020000"])
    bench.radio.stopAdvertising()
    #expect(bench.answerAll() == [])
  }

  @Test("A refused part rests a second and does not hold up the other")
  func refused() throws {
    var bench = Bench.ready()
    var answers = Bench.bumble
    answers[0x200A] = "040e04010a200c"
    try bench.advertise(first, data, [])
    try bench.radio.startScanning(scan)
    let commands = bench.answerAll(answers)
    #expect(commands.filter { $0 == Self.on }.count == 1)
    #expect(commands.last == "010c20020100")
    #expect(bench.deadline == bench.now + .seconds(1))
    bench.wait(999)
    #expect(bench.sent() == [])
    bench.wait(1)
    #expect(bench.sent() == [Self.parameters])
  }

  @Test("HP-14 With the extended commands the order is the same, and scanning goes on")
  func extended() throws {
    var bench = Bench.ready()
    bench.radio.session.support.isExtended = true
    bench.radio.session.support.takeCommands(Self.extendedCommands.span)
    try bench.advertise(first, data, [])
    try bench.radio.startScanning(scan)
    #expect(
      bench.answerAll() == [
        "013620190013009001009001000701000000000000000" + "07f0100010000", "013520070" + "00102030405c6",
        "0137200700030103020106", "0139200601010000000" + "0",
        "0141200800000100a0005000", "014220060100" + "00000000",
      ])
    var second = first
    second.ownAddress = random("c7:05:04:03:02:01")
    try bench.advertise(second, [2, 1, 4], [])
    #expect(
      bench.answerAll() == [
        "013920060001000000" + "00", "01352007000102030405c7", "0137200700030103020104",
        "0139200601010000000" + "0",
      ])
  }

  static var extendedCommands: [UInt8] {
    var bits = [UInt8](repeating: 0, count: 64)
    bits[36] = 0x3E
    bits[37] = 0xE0
    return bits
  }

  @Test("Parameters out of range are refused")
  func ranges() {
    var bench = Bench.ready()
    let long = [UInt8](repeating: 0, count: 32)
    var parameters = first
    parameters.interval = .milliseconds(19)
    var window = scan
    window.window = .milliseconds(101)
    let connection = ConnectionParameters(ownAddress: .zero, interval: 5)
    #expect(
      bench.refusal { radio throws(RadioError) in
        try radio.startAdvertising(first, data: long.span, scanResponse: data.span)
      } == .tooLong)
    #expect(
      bench.refusal { radio throws(RadioError) in
        try radio.startAdvertising(first, data: data.span, scanResponse: long.span)
      } == .tooLong)
    #expect(
      bench.refusal { radio throws(RadioError) in
        try radio.startAdvertising(parameters, data: data.span, scanResponse: data.span)
      } == .invalidParameter)
    #expect(
      bench.refusal { radio throws(RadioError) in try radio.startScanning(window) } == .invalidParameter)
    #expect(
      bench.refusal { radio throws(RadioError) in try radio.connect(to: .zero, connection) }
        == .invalidParameter)
    #expect(bench.sent() == [])
    var cold = Bench()
    #expect(cold.refusal { radio throws(RadioError) in try radio.startScanning(scan) } == .notReady)
  }
}

extension ReconciliationTests {
  @Test("A controller that goes on scanning after a reset, as Bumble's does, is stopped first")
  func stubborn() throws {
    var bench = Bench.ready()
    try bench.radio.startScanning(scan)
    bench.arrive("040e04010b200c")
    #expect(bench.sent() == ["010b2007" + "00a00050000000", "010c20020000"])
    bench.arrive("040e04010c2000")
    bench.wait(1000)
    #expect(bench.answerAll() == ["010b2007" + "00a00050000000", "010c20020100"])
  }

  @Test("An address that is refused is tried once more with everything off, then the controller is reset")
  func addressRefused() throws {
    var bench = Bench.ready()
    try bench.advertise(first, data, [])
    #expect(bench.sent() == [Self.setAddress])
    bench.arrive("040e040105200c")
    #expect(bench.sent() == ["010c20020000"])
    bench.arrive("040e04010c2000")
    #expect(bench.sent() == [Self.off])
    bench.arrive("040e04010a2000")
    #expect(bench.sent() == [Self.setAddress])
    bench.arrive("040e040105200c")
    #expect(bench.events() == [.changed(.failed), .changed(.starting)])
  }
}
