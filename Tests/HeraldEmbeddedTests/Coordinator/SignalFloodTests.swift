import HeraldBluetooth
import HeraldEmbedded
import HeraldSimulation
import Testing

private func patient() -> Scenario {
  let scenario = Scenario {
    $0.servingIdle = .minutes(30)
    $0.servingLife = .minutes(60)
  }
  scenario.node.core.values.supplier.fixedLength = 21
  return scenario
}

private func phone(_ number: Int) -> DeviceAddress {
  DeviceAddress(high: 0x7000, low: UInt32(number), kind: .random)
}

extension Scenario {
  /// Every byte of log that was ever written.
  fileprivate var logged: Int {
    let status = node.core.log.committedStatus()
    return Int(status.newest) * status.pageSize + status.openBytes
  }
}

@Suite("Coordinator: floods of signal messages")
struct SignalFloodTests {
  @Test(
    "Fifty phones that write their payload, and every 15 s how strong they hear us, lose nothing in ten minutes"
  )
  func crowd() {
    let scenario = patient()
    var measured = 0
    for second in 0..<600 {
      for number in 0..<50 where number % 15 == second % 15 {
        let connection = number % 4
        scenario.comes(phone(number), on: connection)
        if second % 300 < 15 { scenario.write(hex("01 15 00") + payload(number), .parts, on: connection) }
        scenario.write(hex("02 C8 FF"), on: connection)
        measured += scenario.heard().filter { if case .measure = $0 { true } else { false } }.count
        scenario.goes(connection)
      }
      scenario.run(seconds: 1)
    }
    #expect(measured == 2000)
    #expect(scenario.count(.signalsDropped) == 0)
    #expect(scenario.count(.signalsMalformed) == 0)
    #expect(scenario.count(.signalsWithoutBuffer) == 0)
  }

  /// A payload of phone `number`.
  private func payload(_ number: Int) -> [UInt8] {
    hex("10 3A 03 00 00") + [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 16)
  }

  @Test("Fifty phones that share five payloads every 15 s lose nothing in ten minutes")
  func sharingCrowd() {
    let scenario = patient()
    for second in 0..<600 {
      for number in 0..<50 where number % 15 == second % 15 {
        scenario.comes(phone(number), on: number % 4)
        let shared = (1...5).flatMap { payload((number + $0) % 50) }
        scenario.write(hex("03 BA FF 69 00") + shared, .parts, on: number % 4)
        scenario.goes(number % 4)
      }
      scenario.run(seconds: 1)
    }
    #expect(scenario.count(.signalShares) == 2000)
    #expect(scenario.count(.signalsDropped) == 0)
  }

  @Test("A flood over one connection is answered, counted and hardly logged; others are heard as before")
  func oneConnection() {
    let scenario = patient()
    scenario.comes(phone(1))
    scenario.comes(phone(2), on: 1)
    let before = scenario.logged
    for second in 0..<600 {
      for turn in 0..<20 {
        let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: second &* 20 &+ turn), count: 240)
        scenario.write(hex("04 F0 00") + bytes)
      }
      if second % 15 == 0 { scenario.write(hex("02 C8 FF"), on: 1) }
      scenario.run(seconds: 1)
    }
    let grown = scenario.logged - before
    #expect(grown < 600 * 63 + 2048 + 4096, "\(grown) bytes")
    #expect(scenario.count(.signalMessages) == 12_000)
    #expect(scenario.count(.signalsDropped) > 11_000)
    let measured = scenario.heard().filter { $0 == .measure(TargetIdentity(phone(2)), -56) }
    #expect(measured.count == 40)
    #expect(scenario.node.radio.scanning != nil)
  }

  @Test(
    "A flood over ever new connections brings no more than 500 bytes a second to the log, and hides nobody")
  func manyConnections() {
    let scenario = patient()
    scenario.hear(Peer.android, Peer.androidAdvert)
    scenario.readAndroid()
    scenario.happen(.closed(ConnectionID(index: 0), .localHostTerminated))
    let before = scenario.logged
    var readings = 0
    for second in 0..<300 {
      for turn in 0..<4 {
        scenario.comes(phone(1000 + second * 4 + turn), on: turn)
        for number in 0..<4 {
          scenario.write(
            hex("03 BA FF E7 00") + (0..<11).flatMap { payload(second &+ turn &+ number &+ $0) }, on: turn)
        }
        scenario.goes(turn)
      }
      _ = scenario.heard()
      scenario.hear(Peer.android, Peer.androidAdvert)
      readings += scenario.heard().filter { $0 == .measure(Peer.androidIdentity, -50) }.count
      scenario.run(seconds: 1)
    }
    let grown = scenario.logged - before
    #expect(grown < 300 * 500 + 8192 + 4096, "\(grown) bytes")
    #expect(scenario.count(.signalsDropped) > 3000)
    #expect(readings == 300)
    #expect(scenario.count(.reads) == 1)  // the phone that was known stays known
    #expect(scenario.node.radio.scanning != nil)
    #expect(scenario.violations.isEmpty)
  }

  @Test("A flood of new addresses, each of which writes, evicts its own kind")
  func newAddresses() {
    let scenario = patient()
    scenario.hear(Peer.android, Peer.androidAdvert)
    scenario.readAndroid()
    scenario.happen(.closed(ConnectionID(index: 0), .localHostTerminated))
    for number in 0..<1000 {
      scenario.comes(phone(number), on: number % 4)
      scenario.write(hex("02 C8 FF"), on: number % 4)
      scenario.goes(number % 4)
      if number % 4 == 3 {
        scenario.run(seconds: 1)
        scenario.hear(Peer.android, Peer.androidAdvert)
      }
    }
    #expect(scenario.count(.signalStrengths) == 1000)
    #expect(scenario.count(.signalsDropped) == 0)
    #expect(scenario.count(.detections) == 1001)
    #expect(scenario.count(.reads) == 1)
    #expect(scenario.node.core.table.find(Peer.androidIdentity) != nil)
    #expect(scenario.node.core.table.count == 8)
    #expect(scenario.node.radio.scanning != nil)
    scenario.run(seconds: 1000)
    #expect(scenario.node.core.table.count == 0)
  }

  @Test("After a flood a connection writes again at its own pace")
  func recovers() {
    let scenario = patient()
    scenario.comes(phone(1))
    let message = hex("04 FD 01") + [UInt8](repeating: 7, count: 509)
    // The fifth is beyond 2 KiB.
    for _ in 0..<5 { scenario.write(message, .prepared) }
    #expect(scenario.count(.signalsDropped) == 1)
    scenario.run(seconds: 9)
    scenario.write(hex("02 C8 FF"))
    #expect(scenario.count(.signalsDropped) == 1)
    scenario.goes()
    scenario.comes(phone(1))
    scenario.write(message, .prepared)
    #expect(scenario.count(.signalsDropped) == 1)
  }

  /// What a peer brings to the log in a minute that writes messages of 240 bytes as quickly as it can, and
  /// comes again after every eight.
  private func brought(reconnecting: Bool, address: (Int) -> DeviceAddress) -> Int {
    let scenario = patient()
    scenario.comes(address(0))
    let before = scenario.logged
    for turn in 0..<600 {
      if reconnecting, turn % 8 == 7 {
        scenario.goes()
        scenario.comes(address(turn))
      }
      scenario.write(hex("04 F0 00") + [UInt8](repeating: UInt8(truncatingIfNeeded: turn), count: 240))
      scenario.run(milliseconds: 100)
    }
    return scenario.logged - before
  }

  @Test("A peer that comes again and again brings no more to the log than one that stays")
  func reconnecting() {
    let staying = brought(reconnecting: false) { _ in phone(1) }
    let coming = brought(reconnecting: true) { _ in phone(1) }
    #expect(staying > 3000)
    #expect(coming <= staying + 300, "\(coming) bytes, and \(staying) if it stays")
  }

  @Test("A peer that comes with a new address each time brings no more than a third of what all may bring")
  func changingAddress() {
    let coming = brought(reconnecting: true) { phone(100 + $0) }
    #expect(coming < 60 * 167 + 2048 + 1024, "\(coming) bytes in a minute")
  }

  @Test(
    "A peer that was read is heard while another one comes with ever new addresses over the same connection")
  func othersKeepTheirs() {
    let scenario = patient()
    scenario.hear(Peer.iPhone, Peer.iPhoneAdvert)
    scenario.readIPhone()
    scenario.happen(.closed(ConnectionID(index: 0), .localHostTerminated))
    var measured = 0
    for second in 0..<300 {
      if second % 3 == 0 { scenario.hear(Peer.iPhone, Peer.iPhoneAdvert) }
      scenario.comes(phone(100 + second))
      for _ in 0..<8 { scenario.write(hex("04 F0 00") + [UInt8](repeating: UInt8(second & 255), count: 240)) }
      scenario.goes()
      if second % 15 == 0 {
        scenario.comes(Peer.iPhone)
        scenario.write(hex("02 C8 FF"))
        measured +=
          scenario.heard().filter {
            if case .measure(TargetIdentity(Peer.iPhone), _) = $0 { true } else { false }
          }.count
        scenario.goes()
      }
      scenario.run(seconds: 1)
    }
    #expect(measured == 20)
  }

  @Test(
    "A connection that holds prepared writes and says nothing more is closed after 10 s; others after 15 s")
  func silentPreparing() {
    let scenario = Scenario()
    scenario.comes(phone(1))
    scenario.comes(phone(2), on: 1)
    #expect(scenario.ask(hex("16 0E 00 00 00 04 04 00")) == hex("17 0E 00 00 00 04 04 00"))
    scenario.run(milliseconds: 9_990)
    #expect(scenario.node.radio.open.count == 2)
    scenario.run(milliseconds: 20)
    #expect(scenario.node.radio.open == [ConnectionID(index: 1)])
    scenario.run(seconds: 6)
    #expect(scenario.node.radio.open.isEmpty)
  }

  @Test("A phone that was read prepares a write while a stranger comes again and again to hold the queue")
  func heldQueue() {
    let scenario = patient()
    scenario.hear(Peer.iPhone, Peer.iPhoneAdvert)
    scenario.readIPhone()
    scenario.happen(.closed(ConnectionID(index: 0), .localHostTerminated))
    for turn in 0..<5 {
      scenario.comes(phone(turn))
      #expect(scenario.ask(hex("16 0E 00 00 00 04 04 00")) == hex("17 0E 00 00 00 04 04 00"))
      scenario.comes(Peer.iPhone, on: 1)
      scenario.write(hex("04 02 00 68 69"), .prepared, on: 1)
      scenario.goes(1)
      scenario.goes()
      scenario.run(seconds: 1)
    }
    #expect(scenario.count(.signalMessages) == 5)
  }
}
