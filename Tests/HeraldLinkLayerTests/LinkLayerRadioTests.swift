import HeraldBluetooth
import HeraldHAL
import HeraldSimulation
import TestInputs
import Testing

@testable import HeraldLinkLayer

/// A host that uses the link layer as its `Radio`.
@Suite("A link layer as a radio")
struct LinkLayerRadioTests {
  let medium = RadioMedium(seed: 11)

  private func pair() throws -> (peripheral: RadioDevice<4>, central: RadioDevice<4>) {
    let pair = (RadioDevice<4>(medium, 0), RadioDevice<4>(medium, 1))
    try pair.0.advertise()
    try pair.1.connect(to: pair.0.address)
    medium.run(until: medium.time + milliseconds(200))
    #expect(pair.0.host.opened.count == 1 && pair.1.host.opened.count == 1)
    return pair
  }

  private func run(_ count: Int) { medium.run(until: medium.time + milliseconds(count)) }

  @Test("The radio is ready after the first poll, with 247 bytes for an ATT PDU")
  func start() {
    let device = RadioDevice<3>(medium, 0)
    #expect(device.host.states == [.ready])
    let capabilities = device.radio.capabilities
    #expect(capabilities.maximumPDU == 247 && capabilities.connections == 3)
    #expect(capabilities.canAdvertiseWhileConnected && capabilities.canScanWhileConnecting)
  }

  @Test("Advertisements and scan responses are reported as HCI reports them")
  func reports() throws {
    let advertiser = RadioDevice<1>(medium, 0)
    let scanner = RadioDevice<1>(medium, 1)
    try advertiser.advertise()
    try scanner.scan(active: true)
    run(300)
    let kinds = Set(scanner.host.reports.map { [$0.report.kind.rawValue] + $0.data })
    // Event_Type of the legacy PDUs (Vol 4, Part E, 7.7.65.13, table 7.1): ADV_IND, SCAN_RSP to an ADV_IND.
    #expect(kinds == [[0x13, 2, 1, 6], [0x1A, 3, 0xFF, 0xAA, 0xBB]])
    #expect(scanner.host.reports.allSatisfy { $0.report.address == advertiser.address })
    scanner.radio.stopScanning()
    try advertiser.advertise(connectable: false, response: [])
    run(40)
    try scanner.scan()
    scanner.host.reports = []
    run(100)
    #expect(Set(scanner.host.reports.map(\.report.kind.rawValue)) == [0x10])
  }

  @Test("The longest ATT PDU is divided into payloads of 27 bytes, and reassembled", arguments: [1, 23, 247])
  func pdus(size: Int) throws {
    let (peripheral, central) = try pair()
    let request = [UInt8](repeating: 0, count: size).enumerated().map {
      UInt8(truncatingIfNeeded: $0.offset &* 2)
    }
    try central.send(request)
    run(500)
    #expect(peripheral.host.pdus == [request])
    #expect(central.host.pdus == [[1] + request.dropFirst()])
    let expected = (size + 4 + 26) / 27
    #expect(Transcript(medium).data(1).map(\.pdu).filter { $0[1] > 0 }.count >= expected)
    #expect(!central.radio.procedures.isWrong && !peripheral.radio.procedures.isWrong)
  }

  @Test("A second PDU of the host is refused until the first has been passed on, then announced")
  func flowControl() throws {
    let (peripheral, central) = try pair()
    // A write command, which has no response.
    let long = [0x53] + [UInt8](repeating: 7, count: 246)
    try central.send(long)
    #expect(central.refusal(of: long) == .busy)
    run(300)
    #expect(central.host.ready == 1)
    try central.send(long)
    run(300)
    #expect(peripheral.host.pdus == [long, long])
    #expect(central.refusal(of: long, on: 1) == .notConnected)
    #expect(central.refusal(of: [UInt8](repeating: 1, count: 248)) == .tooLong)
    #expect(central.refusal(of: []) == .invalidParameter)
  }

  @Test("Payloads that the host does not take are not acknowledged, and none is lost")
  func slowHost() throws {
    let (peripheral, central) = try pair()
    peripheral.isAsleep = true
    var sent = 0
    for _ in 0..<40 {
      if (try? central.send([0x53, UInt8(sent)])) != nil { sent += 1 }
      run(20)
    }
    // Six payloads in the queue of the peripheral, two in that of the central, and one in its host.
    #expect(sent < 12)
    peripheral.isAsleep = false
    peripheral.poll()
    run(500)
    #expect(peripheral.host.pdus.map { $0[1] } == (0..<sent).map(UInt8.init))
  }

  @Test("Signalling and security requests are answered, literal bytes")
  func controlChannels() throws {
    let device = RadioDevice<1>(medium, 0)
    let central = ScriptedCentral(medium, 1)
    // A connection parameter update request to a peripheral, and a pairing request.
    let update: [UInt8] = [12, 0, 5, 0, 0x12, 9, 8, 0, 6, 0, 6, 0, 0, 0, 100, 0]
    let pairing: [UInt8] = [7, 0, 6, 0, 1, 3, 0, 1, 16, 0, 1]
    central.queue = [(2, update), (2, pairing)]
    try device.advertise()
    central.connect()
    run(600)
    // Command Reject, not understood; Pairing Failed, pairing not supported.
    #expect(
      central.got.map(\.payload) == [[6, 0, 5, 0, 1, 9, 2, 0, 0, 0], [2, 0, 6, 0, 5, 5]])
    #expect(device.radio.counters[.signalsRejected] == 1 && device.radio.counters[.pairingsRefused] == 1)
  }

  @Test("The central accepts the timing that the peripheral requests, and sets it")
  func parameterUpdate() throws {
    let advertiser = LinkLayerDevice(medium, 0)
    let central = RadioDevice<1>(medium, 1)
    try advertiser.advertise()
    try central.connect(to: advertiser.address)
    run(200)
    // 30 to 50 ms, latency 4, supervision timeout 2 s.
    let request: [UInt8] = [12, 0, 5, 0, 0x12, 1, 8, 0, 24, 0, 40, 0, 4, 0, 200, 0]
    try advertiser.send(request)
    run(500)
    #expect(advertiser.payloads.map(\.bytes) == [[6, 0, 5, 0, 0x13, 1, 2, 0, 0, 0]])
    // LL_CONNECTION_UPDATE_IND: interval 40, latency 4, timeout 200.
    let update = Transcript(medium).data(1).map(\.pdu).first { (pdu: [UInt8]) -> Bool in
      pdu[0] & 3 == 3 && pdu[2] == 0
    }
    #expect(try Array(#require(update)[6..<12]) == [40, 0, 4, 0, 200, 0])
    let intervals = Transcript(medium).data(1).suffix(3).map(\.start)
    #expect(zip(intervals, intervals.dropFirst()).allSatisfy { $1 - $0 == 50_000_000 })
  }

  @Test("While all connections are in use it advertises as scannable, then connectable again")
  func advertisingType() throws {
    let device = RadioDevice<1>(medium, 0)
    let central = RadioDevice<1>(medium, 1)
    try device.advertise()
    try central.connect(to: device.address)
    run(200)
    medium.forget()
    run(200)
    let connected = Transcript(medium).advertising(0).map { $0.pdu[0] & 15 }
    // ADV_SCAN_IND.
    #expect(connected.count > 9 && connected.allSatisfy { $0 == 6 })
    central.radio.disconnect(ConnectionID(index: 0))
    run(200)
    #expect(device.host.closed == [.remoteUserTerminated] && central.host.closed == [.localHostTerminated])
    medium.forget()
    run(200)
    let free = Transcript(medium).advertising(0).map { $0.pdu[0] & 15 }
    #expect(free.count > 9 && free.allSatisfy { $0 == 0 })
  }

  @Test("Initiating reserves a connection, and its cancellation releases it")
  func reservation() throws {
    let device = RadioDevice<1>(medium, 0)
    try device.advertise()
    try device.connect(to: DeviceAddress(high: 0xC000, low: 99, kind: .random))
    run(50)
    medium.forget()
    run(100)
    #expect(Transcript(medium).advertising(0).allSatisfy { $0.pdu[0] & 15 == 6 })
    device.radio.cancelConnect()
    device.poll()
    #expect(device.host.failed == [.cancelled])
    run(50)
    medium.forget()
    run(100)
    #expect(Transcript(medium).advertising(0).allSatisfy { $0.pdu[0] & 15 == 0 })
  }

  @Test("A CONNECT_IND to the former address is ignored")
  func formerAddress() throws {
    let device = RadioDevice<2>(medium, 0)
    let central = ScriptedCentral(medium, 1)
    try device.advertise()
    // The host changes its address when the advertisement has been transmitted.
    var isChanged = false
    for moment in stride(from: 0, to: 40_000_000, by: 50_000) {
      medium.at(moment) {
        guard !isChanged, medium.transmissions.contains(where: { $0.pdu[0] & 15 == 5 }) else { return }
        isChanged = true
        try? device.advertise(as: DeviceAddress(high: 0xC000, low: 55, kind: .random))
      }
    }
    central.connect()
    run(300)
    #expect(isChanged)
    #expect(device.host.opened.isEmpty)
    #expect(device.layer.pointee.counters.requestsRefused == 1)
    #expect(Transcript(medium).advertising(0).suffix(3).allSatisfy { $0.pdu[2] == 55 })
  }

  @Test("The RSSI of a connection is that of the last packet")
  func rssi() throws {
    let (peripheral, central) = try pair()
    central.radio.readRSSI(ConnectionID(index: 0))
    run(100)
    #expect(central.host.measured.count == 1)
    #expect(central.host.measured.first?.rawValue == central.layer.pointee.rssi(0))
    _ = peripheral
  }

  @Test("The counters of the link layer and of L2CAP have names and values")
  func statistics() throws {
    let (_, central) = try pair()
    try central.send([0x52, 1])
    run(100)
    typealias Radio = LinkLayerRadio<MediumRadio, CheckedHold, 4>
    let names = (0..<Radio.statisticsCount).map { "\(Radio.statisticName($0))" }
    #expect(Set(names).count == names.count && !names.contains(""))
    let place = try #require(names.firstIndex(of: "pdus_sent"))
    let sent = central.radio.statistic(place)
    let beyond = (central.radio.statistic(-1), central.radio.statistic(names.count))
    #expect(sent == 1 && beyond == (0, 0))
  }
  @Test("Each role has a group of counters")
  func roles() throws {
    let (peripheral, central) = try pair()
    run(1000)
    typealias Radio = LinkLayerRadio<MediumRadio, CheckedHold, 4>
    #expect(
      (-1...5).map { "\(Radio.statisticsRoleName($0))" }
        == ["", "advertiser", "scanner", "initiator", "peripheral", "central", ""])
    #expect(
      (0...8).map { "\(Radio.roleStatisticName($0))" }
        == ["receive_ms", "transmit_ms", "ramp_ms", "crystal_ms", "events", "late", "skipped", "lost", ""])
    #expect(Radio.statisticsRoles == 5 && Radio.roleStatisticsCount == 8)
    let counters = central.layer.pointee.counters
    let values = (-1...8).map { central.radio.roleStatistic($0, of: 4) }
    #expect(values == [0] + LinkLayerCounter.allCases.map { counters[$0, .central] } + [0])
    #expect(values[1...5].allSatisfy { $0 > 0 })
    #expect([-1, 5].map { central.radio.roleStatistic(0, of: $0) } == [0, 0])
    let events = (0..<5).map { peripheral.radio.roleStatistic(4, of: $0) }
    #expect(events[0] > 0 && events[3] > 0 && events[1] == 0 && events[2] == 0 && events[4] == 0)
  }

  /// Two devices on a medium of their own, of which one connects to the other.
  private final class Pair {
    let medium = RadioMedium(seed: 12)
    let peripheral: RadioDevice<2>
    let central: RadioDevice<2>

    init() throws {
      (peripheral, central) = (RadioDevice<2>(medium, 0), RadioDevice<2>(medium, 1))
      try peripheral.advertise()
    }

    func run(_ count: Int) { medium.run(until: medium.time + milliseconds(count)) }

    func connect() throws {
      try central.connect(to: peripheral.address)
      run(200)
    }

    /// One step on the connection: PDUs, of which the second is refused while the first waits, or the RSSI.
    func step(_ random: inout SplitMix64) -> String {
      let device = random.next() % 2 == 0 ? central : peripheral
      let pdu =
        [random.next() % 2 == 0 ? 0x53 : 0x0A] + [UInt8](repeating: 7, count: Int(random.next() % 247))
      switch random.next() % 8 {
      case 0:
        device.radio.readRSSI(ConnectionID(index: 0))
        device.poll()
        return ""
      case 1...3:
        let refusals = [device.refusal(of: pdu), device.refusal(of: pdu)]
        return "\(refusals)"
      default: return "\(String(describing: device.refusal(of: pdu)))"
      }
    }

    /// What happened to the hosts since the last call.
    func told() -> String {
      defer {
        peripheral.host = EventRecorder()
        central.host = EventRecorder()
      }
      return [peripheral.host, central.host].map {
        "\($0.opened.count) \($0.closed) \($0.pdus) \($0.ready) \($0.measured.count)"
      }.joined(separator: " ")
    }
  }

  @Test("A connection is as the first one in its place, whatever those before it had not finished")
  func life() throws {
    for seed in 0..<8 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let (used, fresh) = (try Pair(), try Pair())
      for _ in 0..<(1 + random.next() % 2) {
        try used.connect()
        for _ in 0..<(random.next() % 6) {
          used.peripheral.isAsleep = random.next() % 3 == 0
          _ = used.step(&random)
          used.run(Int(random.next() % 20))
        }
        if random.next() % 3 == 0 { used.central.radio.readRSSI(ConnectionID(index: 0)) }
        (random.next() % 2 == 0 ? used.central : used.peripheral).radio.disconnect(ConnectionID(index: 0))
        used.run(300)
        used.peripheral.isAsleep = false
        used.peripheral.poll()
        used.central.poll()
      }
      _ = (used.told(), fresh.told())
      try used.connect()
      try fresh.connect()
      for number in 0..<10 {
        var copy = random
        let (result, expectedResult) = (used.step(&random), fresh.step(&copy))
        used.run(500)
        fresh.run(500)
        let (seen, expected) = (used.told(), fresh.told())
        guard result == expectedResult, seen == expected else {
          Issue.record(
            "seed \(seed), step \(number): \(result) \(seen) instead of \(expectedResult) \(expected)")
          return
        }
      }
    }
  }
}
