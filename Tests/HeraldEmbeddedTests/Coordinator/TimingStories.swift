import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import Testing

@Suite("Coordinator: time, addresses, floods and the log")
struct TimingStories {
  @Test("Advertisements, however many, put off nothing that is due")
  func crowd() {
    /// The steps of 7 ms in which the radio was told something, and what, in 45 seconds.
    func told(_ step: (Story) -> Void) -> [String] {
      let story = Story { $0.addressPeriod = .seconds(14) }
      return (0..<6_500).flatMap { number in
        step(story)
        return story.node.radio.takeCommands().map { "\(number) \($0)" }
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
    let story = Story(capabilities: capabilities)
    // Eight phones that never take a connection, heard whenever the radio scans.
    for _ in 0..<1800 {
      if story.node.radio.scanning != nil {
        for number in 0..<8 {
          story.hear(DeviceAddress(high: 0x5000, low: UInt32(number), kind: .random), Peer.iPhoneAdvert)
        }
      }
      story.run(seconds: 1)
    }
    var scanEnd: UInt64? = 0
    var longest: UInt64 = 0
    var connects = 0
    for record in story.node.radio.commands {
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
    #expect(story.violations.isEmpty)
  }

  @Test(
    "HP-24 An attempt is cut short if the radio has not scanned for nearly 30 s, and that is not held against the peer"
  )
  func cutAttempt() {
    var capabilities = MockRadio.usualCapabilities
    capabilities.canScanWhileConnecting = false
    let story = Story(capabilities: capabilities) { $0.attemptTimeout = .minutes(2) }
    story.run(seconds: 2)
    story.hear(Peer.android, Peer.androidAdvert)
    _ = story.commands()
    story.run(milliseconds: 28_999)
    #expect(story.commands().isEmpty)
    story.run(milliseconds: 1)
    #expect(story.commands() == [.cancelConnect])
    #expect(story.node.radio.scanning != nil)
    #expect(story.count(.attemptsCut) == 1)
    let place = story.node.core.table.find(Peer.androidIdentity) ?? -1
    #expect(story.node.core.table[place].failures == 0)
  }

  @Test("The address changes every fifteen minutes; held back, it changes as soon as it is let go")
  func rotation() {
    let story = Story()
    let first = story.node.core.ownAddress
    story.run(seconds: 899)
    #expect(story.node.core.ownAddress == first)
    story.run(seconds: 1)
    let second = story.node.core.ownAddress
    #expect(second != first)
    #expect(story.node.radio.advertising?.ownAddress == second)
    #expect(story.node.radio.scanning?.ownAddress == second)
    story.node.core.holdsRotation = true
    story.run(seconds: 3600)
    #expect(story.node.core.ownAddress == second)
    story.node.core.holdsRotation = false
    story.poll()
    #expect(story.node.core.ownAddress != second)
  }

  @Test(
    "HP-14 Address and payload change together: a payload is made for the moment of the last change of address"
  )
  func payloadWithAddress() {
    let story = Story()
    #expect(story.node.core.values.supplier.asked == [.start])
    story.run(seconds: 600)
    story.happen(.opened(ConnectionID(index: 0), .peripheral, peer: Peer.iPhone))
    story.happen(.pdu(hex("0A 10 00"), on: ConnectionID(index: 0)))
    #expect(story.node.core.values.supplier.asked == [.start, .start])
    story.run(seconds: 300)
    story.happen(.opened(ConnectionID(index: 0), .peripheral, peer: Peer.iPhone))
    story.happen(.pdu(hex("0A 10 00"), on: ConnectionID(index: 0)))
    let changed = Instant(milliseconds: 900_000)
    #expect(story.node.core.values.supplier.asked == [.start, .start, changed, changed])
  }

  @Test("HP-03 A payload that changes sooner than the address takes the address with it")
  func shortPayload() {
    let story = Story()
    story.node.core.values.supplier.period = .minutes(6)
    story.run(seconds: 900)  // the supplier's period counts from the next change on
    let first = story.node.core.ownAddress
    story.run(seconds: 359)
    #expect(story.node.core.ownAddress == first)
    story.run(seconds: 1)
    #expect(story.node.core.ownAddress != first)
  }

  @Test("The address does not change while a connection is being attempted")
  func rotationWaits() {
    let story = Story()
    story.run(milliseconds: 899_000)
    story.hear(Peer.android, Peer.androidAdvert)
    let first = story.node.core.ownAddress
    story.run(seconds: 7)
    #expect(story.node.core.ownAddress == first)
    story.run(seconds: 1)
    #expect(story.node.core.ownAddress != first)
    #expect(story.violations.isEmpty)
  }

  @Test("The date, once set, goes to the supplier with a new address, and into the log")
  func clock() {
    let story = Story()
    story.run(seconds: 100)
    let first = story.node.core.ownAddress
    let isSet = story.node.core.setClock(unixMilliseconds: 1_700_000_000_000, at: story.now, source: .host)
    #expect(isSet)
    story.poll()
    #expect(story.node.core.ownAddress != first)
    #expect(story.node.core.values.supplier.dates.last == 1_700_000_000)
    #expect(story.log().contains("100000 clock 1700000000000"))
  }

  @Test(
    "HP-11 HP-13 A pseudo device address is shown only if the address changes within a minute",
    arguments: [30, 900])
  func pseudoAddress(period: UInt32) {
    let story = Story { $0.addressPeriod = .seconds(period) }
    var data: [UInt8] = []
    for record in story.node.radio.commands {
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
    "A flood of made-up addresses neither drives out a phone that goes on advertising nor keeps us from reading it"
  )
  func flood() {
    let story = Story()
    var reads = 0
    var readAt: UInt64 = .max
    for number in 0..<20_000 {
      let made = DeviceAddress(high: 0x7777, low: UInt32(number), kind: .random)
      story.node.radio.happen(.advertisement(made, RSSI(-80), .connectable, hex(Peer.iPhoneAdvert)))
      if number % 4 == 3 {
        story.node.radio.happen(
          .advertisement(Peer.android, RSSI(-50), .connectable, hex(Peer.androidAdvert)))
      }
      story.run(milliseconds: 10)
      if story.node.radio.connecting == Peer.android, reads == 0 {
        story.readAndroid()
        reads += 1
        readAt = story.now.milliseconds
      }
      if number % 1000 == 0 { _ = story.node.radio.takeCommands() }
    }
    // One attempt at a made-up address may have been under way when the phone was first heard, and takes 8 s.
    #expect(reads == 1)
    #expect(readAt <= 8_200)
    let place = story.node.core.table.find(Peer.androidIdentity) ?? -1
    #expect(place >= 0)
    #expect(story.node.core.table[place].state == .read)
    #expect(story.node.core.table.count == 8)
    #expect(story.violations.isEmpty)
  }

  @Test("HP-18 HP-45 The log has every row of a meeting, under one identity, in order")
  func logRows() {
    let story = Story()
    story.run(milliseconds: 1000)
    story.hear(Peer.android, Peer.androidAdvert, rssi: -61)
    story.readAndroid()
    story.run(milliseconds: 250)
    story.hear(Peer.android, Peer.androidAdvert, rssi: -63)
    story.run(seconds: 900)
    #expect(
      story.log() == [
        "0 started 0",
        "0 own 08 01 00 02 00 03 00 00 00 00 00 00 00",
        "1000 detect android",
        "1000 measure android -61",
        "1000 detectHerald android",
        "1000 read android \(Peer.payload)",
        "1250 measure android -63",
        "901250 delete android",
      ])
    #expect(story.count(.logErrors) == 0)
  }

  @Test("Every counter has a name of its own, and none beyond the last")
  func statistics() {
    let story = Story()
    story.hear(Peer.android, Peer.androidAdvert)
    var names: Set<String> = []
    var values: [String: UInt32] = [:]
    for index in 0..<Story.Node.Core.statisticsCount {
      let name = "\(Story.Node.Core.statisticName(index))"
      names.insert(name)
      values[name] = story.node.core.statistic(index)
    }
    #expect(names.count == Story.Node.Core.statisticsCount)
    #expect(!names.contains(""))
    #expect("\(Story.Node.Core.statisticName(names.count))" == "")
    #expect(story.node.core.statistic(names.count) == 0)
    // The names are one text, apart from the counters: each is that of its counter, with underscores.
    for index in 0..<CoordinatorCounter.count {
      let camel = CoordinatorCounter(rawValue: index).map { "\($0)" } ?? ""
      let name = camel.reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
      #expect("\(Story.Node.Core.statisticName(index))" == name)
    }
    #expect(values["adverts"] == 1)
    #expect(values["readings"] == 1)
    #expect(values["targets"] == 1)
    #expect(values["evictions"] == 0)
  }

  @Test("HP-19 A peer that has to make room is logged and reported as lost, like one that went silent")
  func evicted() {
    let story = Story()
    for peer in 0..<9 {
      story.hear(DeviceAddress(high: 0x4400, low: UInt32(peer), kind: .random), "02 01 06 03 03 F6 FC")
      story.run(milliseconds: 10)
    }
    // The first is being connected to and keeps its place.
    let oldest = TargetIdentity(kind: .randomAddress, high: 0x4400, low: 1)
    #expect(story.heard().filter { if case .lose = $0 { true } else { false } } == [.lose(oldest)])
    #expect(story.log().filter { $0.contains("delete") }.map { $0.split(separator: " ").last } == ["1"])
  }
}
