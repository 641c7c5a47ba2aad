import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import Testing

@Suite("Coordinator: time, addresses, floods and the log")
struct TimingTests {
  @Test("Advertisements, however many, put off nothing that is due")
  func crowd() {
    /// The steps of 7 ms in which the radio was told something, and what, in 45 seconds.
    func told(_ step: (Scenario) -> Void) -> [String] {
      let scenario = Scenario { $0.addressPeriod = .seconds(14) }
      return (0..<6_500).flatMap { number in
        step(scenario)
        return scenario.node.radio.takeCommands().map { "\(number) \($0)" }
      }
    }
    let quiet = told { $0.run(milliseconds: 7) }
    let loud = told {
      $0.pass(milliseconds: 7)
      $0.hear(DeviceAddress(high: 0x5000, low: 1, kind: .random), "020106")
    }
    #expect(quiet.count == 8)
    #expect(loud == quiet)
  }

  @Test("HP-24 Whatever connections do, a radio that cannot scan meanwhile scans at least every 30 s")
  func scanGuarantee() {
    var capabilities = MockRadio.usualCapabilities
    capabilities.canScanWhileConnecting = false
    let scenario = Scenario(capabilities: capabilities)
    // Eight phones that never take a connection, heard whenever the radio scans.
    for _ in 0..<1800 {
      if scenario.node.radio.scanning != nil {
        for number in 0..<8 {
          scenario.hear(DeviceAddress(high: 0x5000, low: UInt32(number), kind: .random), Peer.iPhoneAdvert)
        }
      }
      scenario.run(seconds: 1)
    }
    var scanEnd: UInt64? = 0
    var longest: UInt64 = 0
    var connects = 0
    for record in scenario.node.radio.commands {
      switch record.command {
      case .startScanning:
        if let end = scanEnd { longest = max(longest, record.time.milliseconds - end) }
        scanEnd = nil
      case .stopScanning: scanEnd = record.time.milliseconds
      case .connect: connects += 1
      default: break
      }
    }
    #expect(longest > 0)
    #expect(longest <= 30_000)
    // Eight that never take a connection are a flood: attempts at them are few.
    #expect(connects > 40)
    #expect(scenario.violations.isEmpty)
  }

  @Test(
    "HP-24 An attempt is cut short if the radio has not scanned for nearly 30 s, and that is not held against the peer"
  )
  func cutAttempt() {
    var capabilities = MockRadio.usualCapabilities
    capabilities.canScanWhileConnecting = false
    let scenario = Scenario(capabilities: capabilities) { $0.attemptTimeout = .minutes(2) }
    scenario.run(seconds: 2)
    scenario.hear(Peer.android, Peer.androidAdvert)
    _ = scenario.commands()
    scenario.run(milliseconds: 28_999)
    #expect(scenario.commands().isEmpty)
    scenario.run(milliseconds: 1)
    #expect(scenario.commands() == [.cancelConnect])
    #expect(scenario.node.radio.scanning != nil)
    #expect(scenario.count(.attemptsCut) == 1)
    let place = scenario.node.core.table.find(Peer.androidIdentity) ?? -1
    #expect(scenario.node.core.table[place].failures == 0)
  }

  @Test("The address changes every fifteen minutes; held back, it changes as soon as it is let go")
  func rotation() {
    let scenario = Scenario()
    let first = scenario.node.core.ownAddress
    scenario.run(seconds: 899)
    #expect(scenario.node.core.ownAddress == first)
    scenario.run(seconds: 1)
    let second = scenario.node.core.ownAddress
    #expect(second != first)
    #expect(scenario.node.radio.advertising?.ownAddress == second)
    #expect(scenario.node.radio.scanning?.ownAddress == second)
    scenario.node.core.holdsRotation = true
    scenario.run(seconds: 3600)
    #expect(scenario.node.core.ownAddress == second)
    scenario.node.core.holdsRotation = false
    scenario.poll()
    #expect(scenario.node.core.ownAddress != second)
  }

  @Test(
    "HP-14 Address and payload change together: a payload is made for the moment of the last change of address"
  )
  func payloadWithAddress() {
    let scenario = Scenario()
    #expect(scenario.node.core.values.supplier.asked == [.start])
    scenario.run(seconds: 600)
    scenario.happen(.opened(ConnectionID(index: 0), .peripheral, peer: Peer.iPhone))
    scenario.happen(.pdu(hex("0A 10 00"), on: ConnectionID(index: 0)))
    #expect(scenario.node.core.values.supplier.asked == [.start, .start])
    scenario.run(seconds: 300)
    scenario.happen(.opened(ConnectionID(index: 0), .peripheral, peer: Peer.iPhone))
    scenario.happen(.pdu(hex("0A 10 00"), on: ConnectionID(index: 0)))
    let changed = Instant(milliseconds: 900_000)
    #expect(scenario.node.core.values.supplier.asked == [.start, .start, changed, changed])
  }

  @Test("HP-03 A payload that changes sooner than the address takes the address with it")
  func shortPayload() {
    let scenario = Scenario()
    scenario.node.core.values.supplier.period = .minutes(6)
    scenario.run(seconds: 900)  // the supplier's period counts from the next change on
    let first = scenario.node.core.ownAddress
    scenario.run(seconds: 359)
    #expect(scenario.node.core.ownAddress == first)
    scenario.run(seconds: 1)
    #expect(scenario.node.core.ownAddress != first)
  }

  @Test("The address does not change while a connection is being attempted")
  func rotationWaits() {
    let scenario = Scenario()
    scenario.run(milliseconds: 899_000)
    scenario.hear(Peer.android, Peer.androidAdvert)
    let first = scenario.node.core.ownAddress
    scenario.run(seconds: 7)
    #expect(scenario.node.core.ownAddress == first)
    scenario.run(seconds: 1)
    #expect(scenario.node.core.ownAddress != first)
    #expect(scenario.violations.isEmpty)
  }

  @Test("The date, once set, goes to the supplier with a new address, and into the log")
  func clock() {
    let scenario = Scenario()
    scenario.run(seconds: 100)
    let first = scenario.node.core.ownAddress
    let isSet = scenario.node.core.setClock(
      unixMilliseconds: 1_700_000_000_000, at: scenario.now, source: .host)
    #expect(isSet)
    scenario.poll()
    #expect(scenario.node.core.ownAddress != first)
    #expect(scenario.node.core.values.supplier.dates.last == 1_700_000_000)
    #expect(scenario.log().contains("100000 clock 1700000000000"))
  }

  @Test(
    "HP-11 HP-13 A pseudo device address is shown only if the address changes within a minute",
    arguments: [30, 900])
  func pseudoAddress(period: UInt32) {
    let scenario = Scenario { $0.addressPeriod = .seconds(period) }
    var data: [UInt8] = []
    for record in scenario.node.radio.commands {
      if case .startAdvertising(_, let bytes, _) = record.command { data = bytes }
    }
    if period == 30 {
      #expect(data.count == 31)
      #expect(Array(data[0..<25]) == hex("02 01 06 11 07 \(Peer.longService) 09 FF FA FF"))
    } else {
      #expect(data == hex("02 01 06 03 03 F6 FC 11 07 \(Peer.longService)"))
    }
  }

  @Test(
    "A flood of random addresses neither evicts a phone that keeps advertising nor prevents its reading"
  )
  func flood() {
    let scenario = Scenario()
    var reads = 0
    var readAt: UInt64 = .max
    for number in 0..<20_000 {
      let made = DeviceAddress(high: 0x7777, low: UInt32(number), kind: .random)
      scenario.node.radio.happen(.advertisement(made, RSSI(-80), .connectable, hex(Peer.iPhoneAdvert)))
      if number % 4 == 3 {
        scenario.node.radio.happen(
          .advertisement(Peer.android, RSSI(-50), .connectable, hex(Peer.androidAdvert)))
      }
      scenario.run(milliseconds: 10)
      if scenario.node.radio.connecting == Peer.android, reads == 0 {
        scenario.readAndroid()
        reads += 1
        readAt = scenario.now.milliseconds
      }
      if number % 1000 == 0 { _ = scenario.node.radio.takeCommands() }
    }
    // One attempt at a made-up address may have been under way when the phone was first heard, and takes 8 s.
    #expect(reads == 1)
    #expect(readAt <= 8_200)
    let place = scenario.node.core.table.find(Peer.androidIdentity) ?? -1
    #expect(place >= 0)
    #expect(scenario.node.core.table[place].state == .read)
    #expect(scenario.node.core.table.count == 8)
    #expect(scenario.violations.isEmpty)
  }

  @Test("HP-18 HP-45 The log has every row of a meeting, under one identity, in order")
  func logRows() {
    let scenario = Scenario()
    scenario.run(milliseconds: 1000)
    scenario.hear(Peer.android, Peer.androidAdvert, rssi: -61)
    scenario.readAndroid()
    scenario.run(milliseconds: 250)
    scenario.hear(Peer.android, Peer.androidAdvert, rssi: -63)
    scenario.run(seconds: 900)
    #expect(
      scenario.log() == [
        "0 started 0",
        "0 own 08 01 00 02 00 03 00 00 00 00 00 00 00",
        "1000 detect android",
        "1000 measure android -61",
        "1000 detectHerald android",
        "1000 read android \(Peer.payload)",
        "1250 measure android -63",
        "901250 delete android",
      ])
    #expect(scenario.count(.logErrors) == 0)
  }

  @Test("Every counter has a name of its own, and none beyond the last")
  func statistics() {
    let scenario = Scenario()
    scenario.hear(Peer.android, Peer.androidAdvert)
    var names: Set<String> = []
    var values: [String: UInt32] = [:]
    for index in 0..<Scenario.Node.Core.statisticsCount {
      let name = "\(Scenario.Node.Core.statisticName(index))"
      names.insert(name)
      values[name] = scenario.node.core.statistic(index)
    }
    #expect(names.count == Scenario.Node.Core.statisticsCount)
    #expect(!names.contains(""))
    #expect("\(Scenario.Node.Core.statisticName(names.count))" == "")
    #expect(scenario.node.core.statistic(names.count) == 0)
    // The names are one text, apart from the counters: each is that of its counter, with underscores.
    for index in 0..<HeraldCounter.count {
      let camel = HeraldCounter(rawValue: index).map { "\($0)" } ?? ""
      let name = camel.reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
      #expect("\(Scenario.Node.Core.statisticName(index))" == name)
    }
    #expect(values["adverts"] == 1)
    #expect(values["readings"] == 1)
    #expect(values["targets"] == 1)
    #expect(values["evictions"] == 0)
  }

  @Test("HP-19 A peer that has to make room is logged and reported as lost, like one that went silent")
  func evicted() {
    let scenario = Scenario()
    for peer in 0..<9 {
      scenario.hear(DeviceAddress(high: 0x4400, low: UInt32(peer), kind: .random), "02 01 06 03 03 F6 FC")
      scenario.run(milliseconds: 10)
    }
    // The first is being connected to and keeps its place.
    let oldest = TargetIdentity(kind: .randomAddress, high: 0x4400, low: 1)
    #expect(scenario.heard().filter { if case .lose = $0 { true } else { false } } == [.lose(oldest)])
    let deleted = scenario.log().filter { $0.contains("delete") }
    #expect(deleted.compactMap { $0.split(separator: " ").last.map(String.init) } == ["1"])
  }
}
