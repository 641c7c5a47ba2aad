import HeraldBluetooth
import HeraldEmbedded
import HeraldNeighbours
import HeraldSimulation
import TestInputs
import Testing

/// A phone with CovidWatch: flags, service 0xC019 and its data.
private let number = "A0 A1 A2 A3 A4 A5 46 A7 88 A9 AA AB AC AD AE AF"
private let other = "B0 B1 B2 B3 B4 B5 46 B7 88 B9 BA BB BC BD BE BF"
private func advert(_ data: String) -> String {
  let length = hex(data).count + 3
  return "02 01 1A 03 03 19 C0 \(text([UInt8(length)])) 16 19 C0 \(data)"
}

@Suite("CovidWatch")
struct CovidWatchTests {
  private let android = TargetIdentity(Peer.android)

  private func observer() -> NeighbourScenario { .withNeighbours { $0.covidWatch.isObserver = true } }
  private func peripheral() -> NeighbourScenario { .withNeighbours { $0.covidWatch.isPeripheral = true } }

  // MARK: As observer

  @Test(
    "HP-52 A number in service data is logged and reported once, its RSSI each time, without connecting")
  func observed() {
    let scenario = observer()
    _ = scenario.heard()
    scenario.hear(Peer.android, advert(number), rssi: -61)
    scenario.run(seconds: 20)  // longer than any other number would be put off for
    scenario.hear(Peer.android, advert(number), rssi: -62)
    #expect(
      scenario.heard() == [
        .detect(android), .observe(android, .covidWatch, hex(number)), .measure(android, -61),
        .measure(android, -62),
      ])
    #expect(scenario.codes() == ["observed 2030405 0 \(number)"])
    scenario.run(seconds: 60)
    #expect(scenario.count(.attempts) == 0)
  }

  @Test("HP-52 A number that changes is logged again, whether or not TCN's four bytes follow")
  func changes() {
    let scenario = observer()
    scenario.hear(Peer.android, advert(number))
    scenario.run(seconds: 16)
    scenario.hear(Peer.android, advert(other + " 01 02 03 04"))
    scenario.hear(Peer.android, advert(other))
    scenario.run(seconds: 16)
    scenario.hear(Peer.android, advert(number))
    #expect(
      scenario.codes() == [
        "observed 2030405 0 \(number)", "observed 2030405 0 \(other)",
        "observed 2030405 0 \(number)",
      ])
  }

  @Test("Service data of no to fifteen bytes, and of more than twenty, are nobody's")
  func lengths() {
    let scenario = observer()
    for count in Array(0...15) + [21, 22, 200] {
      scenario.hear(Peer.android, advert(text([UInt8](repeating: 7, count: count))))
    }
    scenario.hear(Peer.android, "02 01 1A 02 16 19")
    scenario.hear(Peer.android, "02 01 1A 16 16 19 C0 01 02")  // says more than there is
    #expect(scenario.heard().contains(.detect(android)) == false)
    scenario.run(seconds: 30)
    #expect(scenario.count(.attempts) == 0)
  }

  @Test("Switched off, none of it is looked at")
  func off() {
    let scenario = NeighbourScenario.withNeighbours { $0.c19x.isObserver = true }
    scenario.hear(Peer.android, advert(number))
    #expect(scenario.count(.detections) == 0)
  }

  @Test("A peer that shows both Herald and a number is both: its payload is read, and its number logged")
  func both() {
    let scenario = observer()
    scenario.hear(Peer.android, "02 01 1A 03 03 F6 FC")
    scenario.hear(Peer.android, advert(number))
    #expect(scenario.node.radio.connecting == Peer.android)
    scenario.readAndroid()
    #expect(scenario.count(.reads) == 1)
    #expect(scenario.codes() == ["observed 2030405 0 \(number)"])
    scenario.hear(Peer.android, advert(number), rssi: -70)
    #expect(scenario.heard().last == .measureWithPayload(android, -70))
  }

  @Test(
    "HP-42 HP-52 A number stays noted when payloads are kept to be passed on, and an iPhone has none to note")
  func noted() {
    let scenario = observer()
    scenario.hear(Peer.android, advert(number))
    for index in 0..<6 {
      let writer = DeviceAddress(high: 0x7000, low: UInt32(index), kind: .random)
      scenario.comes(writer, on: 1)
      scenario.write([0x01, 0x02, 0x00, 0xA1, UInt8(index)], to: 0x11, on: 1)
    }
    scenario.run(seconds: 20)
    scenario.hear(Peer.android, advert(number))
    #expect(scenario.codes().count == 1)
    scenario.hear(Peer.iPhone, Peer.iPhoneAdvert)
    scenario.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.iPhone))
    _ = scenario.requests()
    scenario.happen(.pdu(hex("03 B9 00"), on: ConnectionID(index: 0)))
    scenario.exchange("06 01 00 FF FF 00 28 F6 FC", "07 10 00 15 00")
    scenario.exchange(
      "08 10 00 15 00 03 28",
      "09 15 11 00 18 12 00 \(Peer.otherSignalUUID) 14 00 02 15 00 \(Peer.payloadUUID)")
    scenario.hear(Peer.iPhone, advert(other))
    #expect(scenario.codes().count == 1)
  }

  // MARK: As peripheral

  @Test(
    "HP-54 The number is random and is advertised in service data beside Herald's set, under the same address"
  )
  func advertised() {
    let scenario = peripheral()
    let air = scenario.onAir()
    let numbers = air.map(\.data).filter { $0.hasPrefix("02 01 06 03 03 19 C0 13 16 19 C0 ") }
    #expect(numbers.count >= 1 && air.count > numbers.count)
    #expect(Set(air.map(\.address)).count == 1)
    let shown = String(numbers.first?.dropFirst(33) ?? "")
    let bytes = hex(shown)
    #expect(bytes.count == 16 && bytes[6] >> 4 == 4 && bytes[8] >> 6 == 2)
    #expect(scenario.codes() == ["ownCode 0 \(shown)"])
  }

  @Test(
    "HP-54 A number's bytes are random but for the six bits of a UUID of version 4, in the order of its text")
  func shape() {
    var random = ScriptedRandom([0xFFFF_FFFF, 0xFFFF_FFFF, 0xFFFF_FFFF, 0xFFFF_FFFF, 0x0302_0100])
    var covidWatch = CovidWatch()
    covidWatch.isPeripheral = true
    #expect(covidWatch.change(withAddress: true, random: &random, unixSeconds: nil).contains(0))
    var bytes = [UInt8](repeating: 0, count: 31)
    var span = bytes.mutableSpan
    let length = covidWatch.advertise(0, into: &span)
    #expect(
      text(Array(bytes[0..<length]))
        == "02 01 06 03 03 19 C0 13 16 19 C0 FF FF FF FF FF FF 4F FF BF FF FF FF FF FF FF FF")
  }

  @Test("HP-54 Every quarter of an hour the number changes with the address, in one step, and is logged")
  func rotation() {
    let scenario = NeighbourScenario { $0.addressPeriod = .minutes(60) }
    scenario.node.core.services.covidWatch.isPeripheral = true
    scenario.poll()
    let air = scenario.onAir(milliseconds: 45 * 60 * 1000 - 1)
    var addressOf: [String: Set<DeviceAddress>] = [:]
    for (data, address) in air where data.contains("19 C0") { addressOf[data, default: []].insert(address) }
    #expect(addressOf.count == 3)
    #expect(addressOf.values.allSatisfy { $0.count == 1 })
    #expect(Set(air.map(\.address)).count == 3)
    let logged = Set(scenario.codes().map { $0.replacing("ownCode 0 ", with: "") })
    #expect(logged == Set(addressOf.keys.map { String($0.dropFirst(33)) }))
  }

  @Test(
    "HP-54 A read gives a fresh number, another each time, and each is logged; a piece of it is of the same one"
  )
  func read() {
    let scenario = peripheral()
    scenario.peerConnects()
    #expect(
      scenario.ask("06 01 00 FF FF 00 28 19 C0") == "07 19 00 1B 00")
    #expect(
      scenario.ask("08 19 00 1B 00 03 28")
        == "09 15 1A 00 0A 1B 00 62 7F 61 EA D2 C9 46 9E 04 4B 6B 3D 27 4F 1F D6")
    let first = scenario.ask("0A 1B 00").dropFirst(3)
    #expect(hex(String(first)).count == 16)
    #expect(scenario.ask("0C 1B 00 0A 00").dropFirst(3) == first.dropFirst(30))
    #expect(scenario.ask("0C 1B 00 10 00") == "0D")
    #expect(scenario.ask("0C 1B 00 11 00") == "01 0C 1B 00 07")
    let second = scenario.ask("0A 1B 00").dropFirst(3)
    #expect(second != first)
    let shown = scenario.codes().first?.replacing("ownCode 0 ", with: "") ?? ""
    #expect(shown != String(first))
    #expect(
      scenario.codes() == [shown, String(first), String(second)].map { "ownCode 0 \($0)" })
  }

  @Test(
    "Connections that read at the same time each see their own number to its end; a piece without a beginning is refused"
  )
  func pieces() {
    let scenario = peripheral()
    for index in 0..<4 {
      scenario.peerConnects(DeviceAddress(high: 0x5B00, low: UInt32(index), kind: .random), on: index)
    }
    #expect(scenario.ask("0C 1B 00 01 00", on: 3) == "01 0C 1B 00 07")
    let firsts = (0..<4).map { scenario.ask("0A 1B 00", on: $0).dropFirst(3) }
    #expect(Set(firsts).count == 4)
    for index in 0..<4 {
      #expect(scenario.ask("0C 1B 00 01 00", on: index).dropFirst(3) == firsts[index].dropFirst(3))
    }
    // Twice in one request: the same number, logged once.
    let twice = scenario.ask("0E 1B 00 1B 00", on: 2)
    #expect(Set(scenario.codes()).count == 6 && scenario.codes().count == 6)
    #expect(twice.hasPrefix("0F "))
    scenario.happen(.closed(ConnectionID(index: 3), .remoteUserTerminated))
    scenario.peerConnects(Peer.android, on: 3)
    #expect(scenario.ask("0C 1B 00 01 00", on: 3) == "01 0C 1B 00 07")
  }

  @Test("HP-54 A number of exactly sixteen bytes that a peer writes is observed; any other value is refused")
  func written() {
    let scenario = peripheral()
    _ = scenario.heard()
    scenario.peerConnects()
    #expect(scenario.ask("12 1B 00 \(number)") == "13")
    #expect(
      scenario.heard() == [
        .detect(TargetIdentity(Peer.iPhone)), .observe(TargetIdentity(Peer.iPhone), .covidWatch, hex(number)),
      ])
    #expect(scenario.codes().last == "observed iPhone 0 \(number)")
    #expect(scenario.ask("12 1B 00") == "01 12 1B 00 0D")
    #expect(scenario.ask("12 1B 00 \(String(number.dropLast(3)))") == "01 12 1B 00 0D")
    #expect(scenario.ask("12 1B 00 \(number) 00") == "01 12 1B 00 0D")
    // Prepared in two pieces.
    #expect(
      scenario.ask("16 1B 00 00 00 B0 B1 B2 B3 B4 B5 46 B7") == "17 1B 00 00 00 B0 B1 B2 B3 B4 B5 46 B7")
    _ = scenario.ask("16 1B 00 08 00 88 B9 BA BB BC BD BE BF")
    #expect(scenario.ask("18 01") == "19")
    #expect(scenario.codes().last == "observed iPhone 0 \(other)")
    #expect(scenario.count(.detections) == 1)
  }

  @Test(
    "Switched off, the number is off the air, the service out of the table; on again, there is a new number")
  func switching() {
    let scenario = peripheral()
    scenario.peerConnects()
    #expect(scenario.ask("06 01 00 FF FF 00 28 19 C0") == "07 19 00 1B 00")
    let before = scenario.codes()
    scenario.node.core.services.covidWatch.isPeripheral = false
    scenario.poll()
    #expect(scenario.onAir().allSatisfy { !$0.data.contains("19 C0") })
    #expect(scenario.ask("06 01 00 FF FF 00 28 19 C0") == "01 06 01 00 0A")
    #expect(scenario.ask("0A 1B 00") == "01 0A 1B 00 01")
    scenario.node.core.services.covidWatch.isPeripheral = true
    #expect(scenario.onAir().contains { $0.data.contains("19 C0") })
    #expect(
      scenario.codes().count == 2 && scenario.codes().first == before.first
        && scenario.codes().last != before.first)
  }
}
