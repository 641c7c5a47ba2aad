import HeraldBluetooth
import HeraldHAL
import HeraldSimulation
import TestInputs
import Testing

@testable import HeraldLinkLayer

@Suite("Advertising and scanning")
struct AdvertisingTests {
  let medium = RadioMedium(seed: 2)

  @Test("A non-connectable advertisement is transmitted on three channels without reception")
  func nonConnectable() throws {
    let device = LinkLayerDevice(medium, 0)
    try device.advertise(.nonConnectable, every: 100, data: [2, 1, 6])
    medium.run(until: milliseconds(1000))
    let sent = Transcript(medium).advertising(0)
    #expect(sent.count >= 27 && sent.count % 3 == 0)
    #expect(sent.prefix(3).map(\.channel) == [37, 38, 39])
    #expect(Set(sent.map(\.pdu)) == [hexBytes("4209 0000000000c0 020106")])
    for (first, second) in zip(sent, sent.dropFirst()) where second.channel > first.channel {
      #expect(second.start - first.start <= milliseconds(10))
    }
  }

  /// The times from each advertising event to the next, less the interval.
  private func delays(_ device: Int, _ interval: UInt32) -> [Int] {
    let starts = medium.transmissions.filter { $0.channel == 37 && $0.device == device }.map(\.start)
    return zip(starts, starts.dropFirst()).map { $1 - $0 - milliseconds(Int(interval)) }
  }

  @Test(
    "Event spacing is the interval plus the delays of the address", arguments: [20, 100, 1000] as [UInt32])
  func delay(interval: UInt32) throws {
    let device = LinkLayerDevice(medium, 0)
    try device.advertise(.scannable, every: interval)
    medium.run(until: milliseconds(50 * Int(interval)))
    let delays = delays(0, interval)
    #expect(delays.count > 30)
    #expect(delays.allSatisfy { $0 >= -1000 && $0 <= milliseconds(10) + 1000 })
    // Those of address 0xC000_00000000 (`AdvertisingRhythmTests`), beginning with any of them, and up to
    // 80 ppm of the interval. The first event is later than it was due, by the time the radio needs.
    let all = [7560, 2952, 5472, 6156]
    let perMicrosecond = milliseconds(1) / 1000
    let found = delays.dropFirst(2).map { $0 / perMicrosecond }
    let most = Int(interval) * 80 / 1000 + 1
    let begins = (0..<4).filter { first in
      found.enumerated().allSatisfy { event in
        let excess: Int = event.element - all[(first + event.offset) % 4]
        return excess >= -1 && excess <= most
      }
    }
    #expect(begins.count == 1, "\(found.prefix(8))")
  }

  @Test("Two devices that advertise at the same moment do not collide again for long")
  func lockstep() throws {
    let devices = [LinkLayerDevice(medium, 0), LinkLayerDevice(medium, 1)]
    for device in devices { try device.advertise(.scannable, every: 250) }
    medium.run(until: milliseconds(30_000))
    let starts = (0..<2).map { device in
      medium.transmissions.filter { $0.channel == 37 && $0.device == device }.map(\.start)
    }
    let meet = starts[0].map { one in starts[1].contains { abs($0 - one) < milliseconds(1) } }
    #expect(meet.count > 110)
    #expect(meet.first == true)
    #expect(meet.count { $0 } < 12)
    // Not in two events in succession after the first.
    #expect(!zip(meet.dropFirst(), meet.dropFirst(2)).contains { $0 && $1 })
  }

  @Test(
    "After an event that was delayed the next ones are earlier, by their delays, until the sequence is met")
  func lag() throws {
    let device = LinkLayerDevice(medium, 0)
    try device.advertise(.scannable, every: 100)
    medium.run(until: milliseconds(2000))
    device.layer.advertisingTimes.due = device.layer.advertisingTimes.due + 12_000
    device.layer.reschedule()
    medium.run(until: milliseconds(6000))
    let starts = medium.transmissions.filter { $0.channel == 37 }.map(\.start)
    let delays = delays(0, 100)
    #expect(delays.count { $0 > milliseconds(10) } == 1)
    #expect(delays.dropFirst().allSatisfy { $0 >= -1000 })
    // Four events, whenever they begin: 422.14 ms, and up to 32 µs. Twelve milliseconds are made up for in
    // four events at most.
    let wanted: Int = milliseconds(42_214) / 100
    let range: Int = milliseconds(1) / 20
    let four: [Int] = zip(starts, starts.dropFirst(4)).map { $1 - $0 }
    let usual = four.count { abs($0 - wanted) <= range }
    #expect(usual >= four.count - 12 && usual < four.count)
    // The second and the last of the same place in the sequence.
    let last = (starts.count - 2) / 4 * 4
    let mean: Int = (starts[last + 1] - starts[1]) / (last / 4)
    #expect(abs(mean - wanted) <= range)
  }

  @Test("A scan request to this device is answered after 150 µs")
  func scanRequest() throws {
    let device = LinkLayerDevice(medium, 0)
    let scanner = RawDevice(medium, 1)
    try device.advertise(.scannable, data: [2, 1, 6], response: [3, 9, 0x41, 0x42])
    scanner.next = { scanner, outcome in
      guard outcome.kind != .silent else { return .stop }
      if outcome.kind == .sent { return .receiveAfterSpace }
      guard scanner.heard.last?.first == 0x46 else { return .stop }
      scanner.radio.load(hexBytes("c30c 060504030201 0000000000c0"))
      return .transmitAfterSpace
    }
    scanner.receive(from: scanner.now + 1000, window: 100_000)
    medium.run(until: milliseconds(200))
    #expect(scanner.heard.contains(hexBytes("440a 0000000000c0 03094142")))
    #expect(Transcript(medium).answers == [0, 0])
  }

  @Test(
    "A scan request for another device, or a malformed one, is not answered",
    arguments: [
      // Wrong address; wrong address type; one byte too few and too many; SCAN_RSP; 0 bytes.
      "c30c 060504030201 0100000000c0", "430c 060504030201 0000000000c0", "c30b 060504030201 0000000000",
      "c30d 060504030201 0000000000c0 00", "c40c 060504030201 0000000000c0", "c300",
      "cf0c060504030201 0000000000c0",
    ])
  func foreignScanRequest(request: String) throws {
    let device = LinkLayerDevice(medium, 0)
    let scanner = RawDevice(medium, 1)
    try device.advertise(.scannable)
    scanner.next = { scanner, outcome in
      guard outcome.kind == .received else { return outcome.kind == .sent ? .receiveAfterSpace : .stop }
      scanner.radio.load(hexBytes(request))
      return .transmitAfterSpace
    }
    scanner.receive(from: scanner.now + 250, window: 100_000)
    medium.run(until: milliseconds(100))
    #expect(scanner.outcomes.map(\.kind) == [.received, .sent, .silent])
    // The event continues on the other channels.
    #expect(Transcript(medium).advertising(0).prefix(3).map(\.channel) == [37, 38, 39])
  }

  @Test("Non-connectable advertising answers no request")
  func silentAdvertiser() throws {
    let device = LinkLayerDevice(medium, 0)
    let scanner = LinkLayerDevice(medium, 1)
    try device.advertise(.nonConnectable, response: [2, 10, 0])
    try scanner.scan(active: true)
    medium.run(until: milliseconds(2000))
    #expect(Transcript(medium).advertising(1).isEmpty)
    #expect(!scanner.reports.isEmpty && scanner.reports.allSatisfy { $0.kind == .nonConnectable })
  }

  @Test("A passive scanner reports advertisements and does not transmit")
  func passive() throws {
    let device = LinkLayerDevice(medium, 0)
    let scanner = LinkLayerDevice(medium, 1)
    try device.advertise(.connectable, every: 50, data: [2, 1, 6], response: [2, 10, 0])
    try scanner.scan()
    medium.run(until: milliseconds(5000))
    let events = Transcript(medium).advertising(0).count / 3
    // Each advertising event is on the scanner's channel once, except at a change of channels.
    #expect(scanner.reports.count > events * 9 / 10 && scanner.reports.count <= events * 11 / 10)
    #expect(
      Set(scanner.reports.map(\.data)) == [[2, 1, 6]]
        && scanner.reports.allSatisfy { $0.address == device.address })
    #expect(Transcript(medium).advertising(1).isEmpty)
  }

  @Test("An active scanner transmits scan requests and reports both PDUs")
  func active() throws {
    let device = LinkLayerDevice(medium, 0)
    let scanner = LinkLayerDevice(medium, 1)
    try device.advertise(.scannable, every: 50, data: [2, 1, 6], response: [2, 10, 0])
    try scanner.scan(active: true)
    medium.run(until: milliseconds(5000))
    let advertised = scanner.reports.filter { $0.kind == .scannable }
    let responses = scanner.reports.filter { $0.kind == .scanResponse }
    #expect(advertised.count > 80 && responses.count > advertised.count * 9 / 10)
    #expect(Set(responses.map(\.data)) == [[2, 10, 0]])
    #expect(Transcript(medium).answers.allSatisfy { abs($0) <= 1000 })
  }

  @Test(
    "A scan response is accepted from the addressed device only",
    arguments: [
      ("440a 0605040302c1 03094142", true), ("440a 0605040302c2 03094142", false),
      ("040a 0605040302c1 03094142", false), ("460a 0605040302c1 03094142", false),
    ])
  func response(pdu: String, isTaken: Bool) throws {
    let scanner = LinkLayerDevice(medium, 0)
    let advertiser = RawDevice(medium, 1)
    try scanner.scan(active: true)
    advertiser.next = { advertiser, outcome in
      switch outcome.kind {
      case .sent: return advertiser.outcomes.count == 1 ? .receiveAfterSpace : .stop
      case .received:
        advertiser.radio.load(hexBytes(pdu))
        return .transmitAfterSpace
      default: return .stop
      }
    }
    advertiser.transmit(hexBytes("4609 0605040302c1 020106"), at: advertiser.now + 5000)
    medium.run(until: milliseconds(20))
    #expect(advertiser.heard[1] == hexBytes("c30c 0000000000c0 0605040302c1"))
    #expect(scanner.reports.map(\.kind) == (isTaken ? [.scannable, .scanResponse] : [.scannable]))
  }

  @Test(
    "A scanner receives in its scan windows only, on the next channel in each, also while it advertises",
    arguments: [false, true])
  func windows(advertises: Bool) throws {
    let scanner = LinkLayerDevice(medium, 0)
    let sender = RawDevice(medium, 1)
    try scanner.scan(every: 100, for: 20)
    if advertises { try scanner.advertise(.nonConnectable, every: 30) }
    // A packet every 2 ms, on a channel that changes with each packet.
    for count in 1..<1500 {
      medium.at(milliseconds(2 * count)) {
        let tenth = UInt8(count / 5 % 10)
        let bytes = [UInt8(2), 7, 1, 2, 3, 4, 5, 6, tenth]
        sender.transmit(bytes, at: sender.now + 500, channel: 37 + UInt8(count % 3))
      }
    }
    medium.run(until: milliseconds(3000))
    // 30 windows of 20 ms, in each of which a third of 10 packets is received. A window is two tenths of 10
    // ms.
    #expect((advertises ? 50...105 : 75...105).contains(scanner.reports.count))
    let inWindow = scanner.reports.count { $0.data[0] < 2 }
    #expect(inWindow == scanner.reports.count)
  }

  @Test("The back-off grows with unanswered scan requests and shrinks with answered ones")
  func backoff() {
    var backoff = ScanBackoff()
    func limits(_ answers: [Bool]) -> [UInt16] {
      answers.map {
        backoff.asked(wasAnswered: $0, random: 0xFFFF_FFFF)
        // The largest random number results in the limit itself.
        #expect(backoff.count == backoff.upperLimit && backoff.mayAsk == (backoff.count == 1))
        return backoff.upperLimit
      }
    }
    #expect(limits([false, false, false, false, false, false]) == [1, 2, 2, 4, 4, 8])
    #expect(limits([true, true, true, true]) == [8, 4, 4, 2])
    #expect(limits(Array(repeating: false, count: 40)).last == 256)
    #expect(limits([true, false, true, false, false]) == [256, 256, 256, 256, 256])
    for _ in 0..<255 { backoff.passed() }
    #expect(backoff.mayAsk)
  }

  @Test("Directed advertising permits a connection by its target only")
  func directed() throws {
    let device = LinkLayerDevice(medium, 0)
    let friend = LinkLayerDevice(medium, 1)
    let stranger = LinkLayerDevice(medium, 2)
    try device.advertise(.directed(to: friend.address, isHighDuty: false), every: 50)
    try stranger.scan(active: true)
    try stranger.connect(to: device)
    medium.run(until: milliseconds(500))
    #expect(stranger.reports.isEmpty && stranger.events.isEmpty && device.events.isEmpty)
    #expect(Transcript(medium).advertising(0)[0].pdu == hexBytes("c10c 0000000000c0 0100000000c0"))
    try friend.connect(to: device)
    medium.run(until: milliseconds(1000))
    #expect(device.events == [.opened(connection: 0, role: .peripheral, peer: friend.address)])
    #expect(friend.events == [.opened(connection: 0, role: .central, peer: device.address)])
  }

  @Test("High duty cycle advertising repeats within 3.75 ms and ends after 1.28 s")
  func highDuty() throws {
    let device = LinkLayerDevice(medium, 0)
    let friend = LinkLayerDevice(medium, 1)
    try device.advertise(.directed(to: friend.address, isHighDuty: true))
    medium.run(until: milliseconds(3000))
    let starts = medium.transmissions.filter { $0.channel == 37 }.map(\.start)
    #expect(zip(starts, starts.dropFirst()).allSatisfy { $1 - $0 <= 3_750_000 })
    #expect(starts.last.map { $0 < milliseconds(1285) && $0 > milliseconds(1270) } == true)
    #expect(device.events == [.directedAdvertisingEnded])
  }

  @Test("New data and a new address take effect together, between two events")
  func change() throws {
    let device = LinkLayerDevice(medium, 0)
    let other = DeviceAddress(high: 0xC1C1, low: 0xC1C1_C1C1, kind: .random)
    try device.advertise(.scannable, every: 20, data: [2, 1, 6], response: [])
    for count in 0..<100 {
      medium.at(milliseconds(10 + 7 * count) + 1000 * 37 * count) {
        let isOther = count % 2 == 0
        let data: [UInt8] = isOther ? [1, 0xC1] : [2, 1, 6]
        try? device.advertise(.scannable, as: isOther ? other : nil, every: 20, data: data)
      }
    }
    medium.run(until: milliseconds(1500))
    let sent = Transcript(medium).advertising(0)
    #expect(
      Set(sent.map(\.pdu)) == [hexBytes("4609 0000000000c0 020106"), hexBytes("4608 c1c1c1c1c1c1 01c1")])
    // An event has three packets with the same content.
    for place in stride(from: 0, to: sent.count - 3, by: 3) {
      #expect(Set(sent[place..<(place + 3)].map(\.pdu)).count == 1)
      #expect(sent[place..<(place + 3)].map(\.channel) == [37, 38, 39])
    }
  }

  @Test("Advertising and scanning continue after late operations")
  func lateness() throws {
    medium.trouble.lateness = 20_000
    medium.trouble.loss = 20_000
    medium.trouble.delay = 400
    let device = LinkLayerDevice(medium, 0)
    let scanner = LinkLayerDevice(medium, 1)
    try device.advertise(.scannable, every: 20, response: [2, 10, 0])
    try scanner.scan(active: true)
    medium.run(until: milliseconds(10_000))
    #expect(scanner.reports.count > 150)
    #expect(device.layer.counters.late > 50 && scanner.layer.counters.late > 20)
    #expect(Transcript(medium).answers.allSatisfy { abs($0) <= 1000 })
  }

  @Test("Invalid advertising and scanning parameters are refused")
  func refusals() throws {
    let device = LinkLayerDevice(medium, 0)
    #expect(throws: RadioError.invalidParameter) { try device.advertise(every: 19) }
    #expect(throws: RadioError.invalidParameter) { try device.advertise(every: 10_241) }
    #expect(throws: RadioError.tooLong) { try device.advertise(data: [UInt8](repeating: 0, count: 32)) }
    #expect(throws: RadioError.tooLong) { try device.advertise(response: [UInt8](repeating: 0, count: 32)) }
    #expect(throws: RadioError.invalidParameter) { try device.scan(every: 30, for: 31) }
    #expect(throws: RadioError.invalidParameter) { try device.scan(every: 30, for: 2) }
    #expect(throws: RadioError.invalidParameter) { try device.scan(every: 10_241, for: 30) }
    try device.advertise(data: [UInt8](repeating: 0, count: 31))
    device.layer.stopAdvertising()
    medium.run(until: milliseconds(1000))
    #expect(medium.transmissions.isEmpty)
  }
}
