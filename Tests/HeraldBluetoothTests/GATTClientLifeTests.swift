import HeraldBluetooth
import HeraldHAL
import TestInputs
import Testing

@Suite("The life of the procedures of a GATT client, and of responses on the other channels")
struct GATTClientLifeTests {
  /// Responses of a server, in any order, and PDUs that are none.
  private static let responses = [
    "03 B9 00", "03 05 00", "07 0C 00 10 00", "07 01 00 05 00 0C 00 10 00", "01 06 01 00 0A",
    "01 02 00 00 06",
    "09 07 02 00 02 03 00 00 2A 04 00 02 05 00 01 2A", "01 08 01 00 0A", "0B 01 02 03",
    "0B 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11 12 13 14 15 16", "0D 17 18", "0D",
    "01 0C 03 00 07",
    "01 0A 03 00 11", "13", "01 12 03 00 03", "17 03 00 00 00 11 22", "19", "01 16 03 00 09",
    "05 01 04 00 02 29", "01 04 03 00 0A", "1B 03 00 01", "08",
  ].map { pdu($0) }

  /// One of the procedures, with parameters of which some are outside their ranges.
  private static func procedure(_ random: inout SplitMix64) -> GATTProcedure {
    let first = UInt16(truncatingIfNeeded: random.next() % 6)
    let last = UInt16(truncatingIfNeeded: random.next() % 8)
    let range = HandleRange(first: first, last: last)
    return switch random.next() % 7 {
    case 0: .exchangeMTU(Int(20 + random.next() % 240))
    case 1: .discoverService16(UUID16(rawValue: 0xFCF6))
    case 2: .discoverService128(UUID128(random.next() % 3, 7))
    case 3: .discoverCharacteristics(range)
    case 4: .readLong(first)
    case 5: .write(first, length: Int(random.next() % 60))
    default: .subscribe(range, .notifications)
    }
  }

  /// One step with a client, and what is seen of it.
  private static func step(
    _ peer: TestClient, _ choice: UInt64, _ procedure: GATTProcedure, _ response: [UInt8]
  ) -> String {
    switch choice {
    case 0, 1: return "\(peer.begin(procedure, stepTimeout: .seconds(5)))"
    case 2, 3, 4: return peer.next()
    case 5: return "\(peer.expire(at: peer.now))"
    default: return "\(peer.client.receive(response.span, mtu: peer.mtu)) \(peer.client.isBroken)"
    }
  }

  @Test("a procedure begins as the first one, whichever came before it, and however they ended")
  func procedures() {
    var ended = 0
    for seed in 0..<400 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let used = TestClient()
      used.value = (0..<60).map { UInt8($0) }
      func next() -> (UInt64, GATTProcedure, [UInt8]) {
        used.now = used.now + .milliseconds(UInt32(random.next() % 2000))
        let procedure = Self.procedure(&random)
        let response =
          random.next() % 4 == 0
          ? random.mutated(Self.responses) : Self.responses[Int(random.next() % UInt64(Self.responses.count))]
        return (random.next() % 9, procedure, response)
      }
      for _ in 0..<(random.next() % 60) {
        let (choice, procedure, response) = next()
        _ = Self.step(used, choice, procedure, response)
        // Another connection has another client; a procedure that waits is not compared.
        if used.client.isBroken { used.client = GATTClient() }
      }
      guard !used.client.isBusy else { continue }
      ended += 1
      let fresh = TestClient()
      fresh.value = used.value
      for number in 0..<40 {
        let (choice, procedure, response) = next()
        fresh.now = used.now
        let seen = Self.step(used, choice, procedure, response)
        let expected = Self.step(fresh, choice, procedure, response)
        guard seen == expected, used.client.deadline == fresh.client.deadline else {
          Issue.record("seed \(seed), step \(number), \(procedure): \(seen) instead of \(expected)")
          return
        }
      }
    }
    #expect(ended > 100)
  }

  @Test("after a response was sent on the signalling or security channel, the next one is as the first")
  func channels() {
    let requests = [
      "12 01 08 00 18 00 28 00 00 00 F4 01", "12 02 08 00 28 00 18 00 00 00 F4 01", "14 03 02 00 01 00",
      "15 04 0A 00 01 00 01 00 01 00 01 00 01 00", "01 05 02 00 00 00", "12 00 00 00",
      "01 03 00 01 00 10 07 07",
      "0B 05", "05 03", "14 06 14 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11 12 13 14",
    ].map { pdu($0) }
    func step(_ channels: inout ControlChannels, _ request: [UInt8], _ choice: UInt64) -> String {
      var isDropped = false
      let outcome = channels.take(
        request.span, on: [4, 5, 6][Int(choice % 3)], role: choice & 8 == 0 ? .central : .peripheral,
        isDropped: &isDropped)
      var packet: [17 of UInt8] = .init(repeating: 0)
      let length = channels.isOwed ? channels.write(into: &packet) : 0
      let bytes = packet.span.withUnsafeBufferPointer { Array($0) }
      return "\(outcome) \(isDropped) \(length) \(length > 0 ? hex(bytes) : "")"
    }
    for seed in 0..<200 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var used = ControlChannels()
      for _ in 0..<(random.next() % 20) {
        _ = step(&used, requests[Int(random.next() % UInt64(requests.count))], random.next())
        if random.next() % 3 == 0 { used.sent() }
      }
      used.sent()
      var fresh = ControlChannels()
      for number in 0..<20 {
        let (request, choice) = (requests[Int(random.next() % UInt64(requests.count))], random.next())
        let seen = step(&used, request, choice)
        let expected = step(&fresh, request, choice)
        guard seen == expected, used.isOwed == fresh.isOwed else {
          Issue.record("seed \(seed), request \(number), \(hex(request)): \(seen) instead of \(expected)")
          return
        }
      }
    }
  }
}
