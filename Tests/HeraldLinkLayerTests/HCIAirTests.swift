import HeraldBluetooth
import HeraldHAL
import HeraldLinkLayer
import HeraldSimulation
import TestInputs
import Testing

/// Two controllers with literal commands, on a medium.
@Suite("HCI controllers on a medium")
struct HCIAirTests {
  let medium = RadioMedium(seed: 11)
  let first: ControllerDevice
  let second: ControllerDevice

  init() {
    first = ControllerDevice(medium, 0)
    second = ControllerDevice(medium, 1)
    for device in [first, second] {
      device.enableEvents()
      device.forget()
    }
  }

  private func run(_ count: Int) {
    medium.run(until: medium.time + milliseconds(count))
    for device in [first, second] { device.drain() }
  }

  private func advertise(
    _ parameters: String = "2000 2000 00 00 00 000000000000 07 00", data: String = "03 020106"
  ) {
    #expect(first.result(0x2006, parameters) == [0])
    let padding = String(repeating: "00", count: 32 - hexBytes(data).count)
    #expect(first.result(0x2008, data + padding) == [0])
    #expect(first.result(0x2009, "02 0109" + String(repeating: "00", count: 29)) == [0])
    #expect(first.result(0x200A, "01") == [0])
  }

  private func create(_ fields: String = "00 00 000403020100 00 1800 1800 0000 c800 0000 0000") {
    #expect(second.result(0x200D, "1000 1000" + fields) == [0])
  }

  private func connect() {
    advertise()
    create()
    run(300)
  }

  @Test("Advertisements and scan responses are reported")
  func reports() {
    advertise()
    #expect(second.result(0x200B, "01 1000 1000 00 00") == [0])
    #expect(second.result(0x200C, "01 00") == [0])
    run(200)
    let reports = second.events(0x3E, 2)
    #expect(reports.contains(hexBytes("043e0f02 01 00 00 000403020100 03 020106 c4")))
    #expect(reports.contains(hexBytes("043e0e02 01 04 00 000403020100 02 0109 c4")))
    #expect(reports.count >= 10)
    #expect(second.result(0x200C, "00 00") == [0])
    second.forget()
    run(100)
    #expect(second.packets.isEmpty)
  }

  @Test("Duplicates are discarded if the host requires it")
  func duplicates() {
    advertise()
    #expect(second.result(0x200B, "01 1000 1000 00 00") == [0])
    #expect(second.result(0x200C, "01 01") == [0])
    run(500)
    #expect(second.events(0x3E, 2).count == 2)
    #expect(second.result(0x200C, "00 01") == [0])
    #expect(second.result(0x200C, "01 01") == [0])
    run(500)
    #expect(second.events(0x3E, 2).count == 4)
  }

  @Test(
    "Advertising types, channels and the own address",
    arguments: [
      ("2000 2000 00 00 00 000000000000 01 00", "00 09 000403020100 020106", [37]),
      ("2000 2000 00 00 00 000000000000 06 00", "00 09 000403020100 020106", [38, 39]),
      ("2000 2000 02 00 00 000000000000 07 00", "06 09 000403020100 020106", [37, 38, 39]),
      ("2000 2000 03 00 00 000000000000 05 00", "02 09 000403020100 020106", [37, 39]),
      ("0000 0000 01 00 01 0102030405c6 07 00", "81 0c 000403020100 0102030405c6", [37, 38, 39]),
      ("2000 2000 04 01 00 010203040506 02 00", "41 0c a1a2a3a4a5c6 010203040506", [38]),
    ] as [(String, String, Set<UInt8>)])
  func advertising(parameters: String, pdu: String, channels: Set<UInt8>) {
    #expect(first.result(0x2005, "a1a2a3a4a5c6") == [0])
    advertise(parameters)
    run(300)
    let sent = Transcript(medium).sent
    #expect(sent.allSatisfy { $0.pdu == hexBytes(pdu) })
    #expect(Set(sent.map(\.channel)) == channels && sent.count >= 8 * channels.count)
  }

  @Test("Directed advertising in high duty cycle ends after 1.28 s")
  func directedTimeout() {
    advertise("0000 0000 01 00 00 090909090909 07 00")
    run(1200)
    #expect(first.events(0x3E).isEmpty)
    run(200)
    let expected = [4, 0x3E, 19, 1, 0x3C, 0, 0, 1] + [UInt8](repeating: 0, count: 14)
    #expect(first.events(0x3E) == [expected])
    advertise("0000 0000 01 00 00 010403020100 07 00")
    create()
    run(300)
    #expect(first.events(0x3E, 1).last?[4] == 0)
  }

  @Test("A connection is created, used and ended")
  func connection() {
    connect()
    #expect(
      first.events(0x3E, 1) == [hexBytes("043e1301 00 0100 01 00 010403020100 1800 0000 c800 07")])
    #expect(
      second.events(0x3E, 1) == [hexBytes("043e1301 00 0100 00 00 000403020100 1800 0000 c800 00")])
    #expect(first.result(0x1405, "0100") == hexBytes("00 0100 c4"))
    #expect(first.result(0x0C2D, "0100 00") == hexBytes("00 0100 00"))
    #expect(first.result(0x0C2D, "0100 02") == hexBytes("12 0100 00"))
    #expect(second.result(0x2015, "0100") == hexBytes("00 0100 ffffffff1f"))
    second.send(hexBytes("02 0100 0500 0100 0400 aa"))
    second.send(hexBytes("02 0110 0300 bbccdd"))
    run(200)
    #expect(
      first.packets.filter { $0[0] == 2 }
        == [hexBytes("02 0120 0500 01000400aa"), hexBytes("02 0110 0300 bbccdd")])
    #expect(second.events(0x13).reduce(0) { $0 + Int($1[6]) } == 2)
    #expect(first.result(0x0406, "0100 99") == [0x12])
    #expect(first.result(0x0406, "0100 14") == [0])
    run(200)
    #expect(first.events(0x05) == [hexBytes("040504 00 0100 16")])
    #expect(second.events(0x05) == [hexBytes("040504 00 0100 14")])
    #expect(second.result(0x041D, "0100") == [2])
  }

  @Test("Remote features and version, connection update, channel map")
  func procedures() {
    connect()
    for device in [first, second] { device.forget() }
    // The central has read the features already, which no host was told.
    for device in [first, second] {
      #expect(device.result(0x2016, "0100") == [0])
      #expect(device.events(0x3E, 4) == [hexBytes("043e0c04 00 0100 0000000000000000")])
    }
    #expect(first.result(0x041D, "0100") == [0])
    run(300)
    #expect(first.events(0x0C) == [hexBytes("040c08 00 0100 06 ffff 0100")])
    #expect(first.result(0x2013, "0100 0600 0c00 0000 6400 0000 0000") == [0x0C])
    #expect(second.result(0x2013, "0100 0c00 0600 0000 6400 0000 0000") == [0x12])
    #expect(second.result(0x2013, "0100 0600 0c00 0200 6400 0000 0000") == [0])
    run(500)
    for device in [first, second] {
      #expect(device.events(0x3E, 3) == [hexBytes("043e0a03 00 0100 0c00 0200 6400")])
    }
    #expect(second.result(0x2014, "0f00000000") == [0])
    run(500)
    for device in [first, second] { #expect(device.result(0x2015, "0100") == hexBytes("00 0100 0f00000000")) }
    #expect(second.result(0x200D, "1000 1000 00 00 000403020100 00 1800 1800 0000 c800 0000 0000") == [0x0B])
  }

  @Test(
    "Procedures of the host are completed, with the reason, when the connection is lost",
    arguments: [1, 2, 4, 7])
  func lostProcedures(asked: Int) {
    advertise()
    create()
    while second.events(0x3E, 1).isEmpty { run(1) }
    second.forget()
    // The peer is gone without LL_TERMINATE_IND.
    #expect(first.result(0x0C03) == [0])
    if asked & 1 != 0 { #expect(second.result(0x2016, "0100") == [0]) }
    if asked & 2 != 0 { #expect(second.result(0x041D, "0100") == [0]) }
    if asked & 4 != 0 { #expect(second.result(0x2013, "0100 0600 0c00 0200 6400 0000 0000") == [0]) }
    run(2500)
    let lost = hexBytes("040504 00 0100 3e")
    var expected: [[UInt8]] = []
    if asked & 1 != 0 { expected.append(hexBytes("043e0c04 3e 0100 0000000000000000")) }
    if asked & 2 != 0 { expected.append(hexBytes("040c08 3e 0100 00 0000 0000")) }
    if asked & 4 != 0 { expected.append(hexBytes("043e0a03 3e 0100 1800 0000 c800")) }
    #expect(second.packets.filter { $0[1] != 0x0F } == expected + [lost])
    // The next connection in this place owes the host nothing.
    second.forget()
    first.enableEvents()
    connect()
    #expect(second.events(0x3E, 1).count == 1)
    #expect(second.result(0x0406, "0100 13") == [0])
    run(300)
    #expect(second.packets.filter { $0[0] == 4 && ($0[1] == 0x0C || $0[1] == 0x3E && $0[3] != 1) } == [])
    #expect(second.events(0x05) == [hexBytes("040504 00 0100 16")])
  }

  @Test(
    "Scan requests and connect requests are filtered by the policy", arguments: [0, 1, 2, 3] as [UInt8],
    [false, true])
  func advertisingPolicy(policy: UInt8, isListed: Bool) {
    if isListed { #expect(first.result(0x2011, "00 010403020100") == [0]) }
    #expect(first.result(0x2011, "01 010403020100") == [0])
    advertise("2000 2000 00 00 00 000000000000 07 0\(policy)")
    #expect(second.result(0x200B, "01 1000 1000 00 00") == [0])
    #expect(second.result(0x200C, "01 00") == [0])
    run(500)
    let answers = second.events(0x3E, 2).contains { $0[5] == 4 }
    #expect(answers == (isListed || policy & 1 == 0))
    create()
    run(300)
    #expect((first.events(0x3E, 1).count == 1) == (isListed || policy & 2 == 0))
  }

  @Test("Advertisements are filtered by the scan policy", arguments: [false, true])
  func scanPolicy(isListed: Bool) {
    advertise()
    #expect(second.result(0x2011, isListed ? "00 000403020100" : "01 000403020100") == [0])
    #expect(second.result(0x200B, "01 1000 1000 00 01") == [0])
    #expect(second.result(0x200C, "01 00") == [0])
    run(300)
    #expect(second.events(0x3E, 2).isEmpty != isListed)
    #expect(Transcript(medium).advertising(1).isEmpty != isListed)
  }

  @Test("A connection to a device in the filter accept list, of either address type", arguments: [0, 1])
  func initiatorPolicy(kind: Int) {
    let address = kind == 0 ? "000403020100" : "a1a2a3a4a5c6"
    #expect(first.result(0x2005, "a1a2a3a4a5c6") == [0])
    #expect(second.result(0x2011, "00 999999999999") == [0])
    advertise("2000 2000 00 0\(kind) 00 000000000000 07 00")
    create("01 00 000000000000 00 1800 1800 0000 c800 0000 0000")
    run(300)
    #expect(second.events(0x3E, 1).isEmpty)
    #expect(second.result(0x2011, "00 888888888888") == [0x0C])
    #expect(second.result(0x200E) == [0])
    run(50)
    second.forget()
    #expect(second.result(0x2011, "0\(kind)" + address) == [0])
    create("01 00 000000000000 00 1800 1800 0000 c800 0000 0000")
    run(300)
    #expect(
      second.events(0x3E, 1) == [hexBytes("043e1301 00 0100 00 0\(kind)\(address) 1800 0000 c800 00")])
    #expect(first.events(0x3E, 1).count == 1)
    // The next connection names its peer.
    #expect(second.result(0x0406, "0100 13") == [0])
    run(200)
    create("00 00 777777777777 00 1800 1800 0000 c800 0000 0000")
    advertise("2000 2000 00 0\(kind) 00 000000000000 07 00")
    run(300)
    #expect(second.events(0x3E, 1).count == 1)
  }

  @Test("Data in excess of the buffers is discarded and reported")
  func overflow() {
    connect()
    second.forget()
    for number in 0..<4 as Range<UInt8> { second.send([2, 1, 0, 1, 0, number]) }
    #expect(second.events(0x1A) == [[4, 0x1A, 1, 1]])
    second.send([2, 1, 0, 28, 0] + [UInt8](repeating: 0, count: 28))
    #expect(second.events(0x1A).count == 2)
    run(200)
    #expect(first.packets.filter { $0[0] == 2 }.map { $0[5] } == [0, 1, 2])
    // An empty packet is completed at once.
    second.forget()
    second.send([2, 1, 0, 0, 0])
    #expect(second.events(0x13) == [hexBytes("041305 01 0100 0100")])
  }

  @Test("A host that stalls loses no data and no event")
  func stalled() {
    connect()
    first.isStalled = true
    first.forget()
    var next: UInt8 = 0
    for _ in 0..<100 {
      let completed = second.events(0x13).reduce(0) { $0 + Int($1[6]) }
      while next < 40, Int(next) - completed < 2 {
        second.send([2, 1, 0, 1, 0, next])
        next += 1
      }
      run(60)
      if medium.time > milliseconds(3000) { first.isStalled = false }
    }
    #expect(first.packets.filter { $0[0] == 2 }.map { $0[5] } == Array(0..<40))
    first.isStalled = true
    first.forget()
    second.command(0x0406, [1, 0, 0x13])
    run(500)
    first.isStalled = false
    run(1)
    #expect(first.packets == [hexBytes("040504 00 0100 13")])
  }

  @Test("Controller to host flow control limits the data that the host has not completed")
  func hostFlow() {
    #expect(first.result(0x0C33, "1b00 00 0300 0000") == [0])
    #expect(first.result(0x0C31, "02") == [0x11])
    #expect(first.result(0x0C31, "01") == [0])
    connect()
    #expect(first.result(0x0C31, "00") == [0x0C])
    first.forget()
    var next: UInt8 = 0
    func go() {
      for _ in 0..<10 {
        let completed = second.events(0x13).reduce(0) { $0 + Int($1[6]) }
        while next < 20, Int(next) - completed < 2 {
          second.send([2, 1, 0, 1, 0, next])
          next += 1
        }
        run(60)
      }
    }
    go()
    #expect(first.packets.filter { $0[0] == 2 }.count == 3)
    #expect(first.result(0x0C35, "01 0100 0400") == [0x12])
    first.send(hexBytes("01 350c 05 01 0100 0200"))
    go()
    #expect(first.packets.filter { $0[0] == 2 }.count == 5)
    second.command(0x0406, [1, 0, 0x13])
    run(5000)
    #expect(first.events(0x05).isEmpty)
    for _ in 0..<8 { first.send(hexBytes("01 350c 05 01 0100 0100")) }
    #expect(first.events(0x05) == [hexBytes("040504 00 0100 08")])
    // What the host has not completed is free again.
    #expect(first.result(0x0C31, "00") == [0])
  }

  @Test("Masked events are not reported")
  func masks() {
    first.command(0x0C01, hexBytes("0000000000000000"))
    second.command(0x2001, hexBytes("0000000000000000"))
    connect()
    first.send(hexBytes("02 0100 0100 aa"))
    run(100)
    second.command(0x0406, [1, 0, 0x13])
    run(200)
    #expect(first.packets.allSatisfy { $0[1] == 0x0E || $0[1] == 0x0F || $0[1] == 0x13 })
    #expect(second.events(0x3E).isEmpty && second.events(0x05).count == 1)
  }

  @Test("HCI_Reset ends a connection in use; the peer loses it")
  func reset() {
    connect()
    for _ in 0..<3 { second.send(hexBytes("02 0100 0100 aa")) }
    for step in 0..<200 {
      medium.run(until: medium.time + 137_000)
      if step == 100 { second.send([1, 0x03, 0x0C, 0]) }
    }
    run(100)
    #expect(second.packets.last == hexBytes("040e0401030c00"))
    run(3000)
    #expect(first.events(0x05) == [hexBytes("040504 00 0100 08")])
    second.enableEvents()
    connect()
    #expect(second.events(0x3E, 1).count == 2)
  }
}
