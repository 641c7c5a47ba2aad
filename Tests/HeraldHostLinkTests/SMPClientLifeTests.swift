import Foundation
import HeraldDeviceLink
import TestInputs
import Testing

@testable import HeraldHostLink

/// A device that answers each request with its number, and whose answers are lost, doubled or late.
private final class UnreliableDevice {
  private let seed: UInt64
  /// Whether answers come with a later one.
  var isSlow = true
  private var late: [[UInt8]] = []
  private var attempts: [UInt32: UInt64] = [:]

  init(seed: UInt64) { self.seed = seed }

  /// The answers to an attempt at a request, whatever came between.
  func answer(_ packet: [UInt8]) -> [[UInt8]] {
    var header = Array(packet[..<8])
    header[0] += 1
    // The body is that of the request: {"n": number}.
    let body = Array(packet.dropFirst(8))
    let answer = header + body
    let number = CBORValue.decode(body.span)?["n"]?.number32 ?? 0
    attempts[number, default: 0] += 1
    var random = SplitMix64(seed: seed << 32 ^ UInt64(number) << 8 ^ attempts[number, default: 0])
    switch random.next() % 8 {
    case 0, 1: return []
    case 2: return [answer, answer]
    case 3 where isSlow:
      late.append(answer)
      return []
    default:
      defer { late = [] }
      return late + [answer]
    }
  }
}

@Suite("The life of an SMP client")
struct SMPClientLifeTests {
  private static let timeouts = SMPClient.Timeouts(timeout: .milliseconds(1), attempts: 2)

  private static func request(_ number: UInt32, isRepeatable: Bool) -> ManagementRequest {
    ManagementRequest("its number", .read, .os, 0, isRepeatable: isRepeatable) {
      $0.map(1)
      $0.text("n")
      $0.unsigned(number)
    }
  }

  /// Sends some requests at once. The results of `next` in their order, each with the number of its request.
  private static func run(
    _ client: SMPClient, _ numbers: Range<UInt32>, isRepeatable: Bool, awaited: Int
  ) throws -> [String] {
    var asked: [SMPClient.RequestHandle: UInt32] = [:]
    for number in numbers { asked[try client.submit(request(number, isRepeatable: isRepeatable))] = number }
    var found: [String] = []
    for _ in 0..<awaited {
      guard let (handle, result) = try client.next() else { break }
      let number = asked[handle].map { "\($0)" } ?? "none"
      switch result {
      case .success(let body):
        let value = body["n"]?.number32.map { "\($0)" }
        found.append("\(number) is \(value ?? "nothing")")
      case .failure(let failure): found.append("\(number) \(failure)")
      }
    }
    return found
  }

  @Test("after its requests are discarded a client has the results of one that never had a request")
  func forgotten() throws {
    for seed in 0..<40 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let devices = [UnreliableDevice(seed: seed), UnreliableDevice(seed: seed)]
      let clients = devices.map { device in
        SMPClient(transport: DirectTransport { device.answer($0) }, timeouts: Self.timeouts)
      }
      // Only the first one has requests before.
      for round in 0..<UInt32(random.next() % 6) {
        let first = 1000 + 10 * round
        _ = try Self.run(
          clients[0], first..<(first + 1 + UInt32(random.next() % 4)),
          isRepeatable: random.next() % 2 == 0, awaited: Int(random.next() % 4))
        if random.next() % 3 == 0 { clients[0].forgetAll() }
      }
      clients[0].forgetAll()
      #expect(clients[0].inFlight == 0 && clients[0].room == clients[1].room, "seed \(seed)")
      for device in devices { device.isSlow = false }
      for round in 0..<10 as Range<UInt32> {
        let numbers = 10 * round..<(10 * round + 1 + UInt32(random.next() % 4))
        let isRepeatable = random.next() % 2 == 0
        let seen = try Self.run(clients[0], numbers, isRepeatable: isRepeatable, awaited: 9).sorted()
        let expected = try Self.run(clients[1], numbers, isRepeatable: isRepeatable, awaited: 9).sorted()
        guard seen == expected else {
          Issue.record("seed \(seed), round \(round): \(seen) instead of \(expected)")
          return
        }
      }
    }
  }

  @Test("a session is as the first one of a client, whichever it replaces, and however that ended")
  func sessions() throws {
    let key = [UInt8](0..<32)
    let path = NSTemporaryDirectory() + "herald-key-" + UUID().uuidString
    try Data(key).write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let accessKey = try AccessKey.read(path)
    for seed in 0..<20 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let served = ServedLog(pages: 1, pageSize: 512, packetSize: 256)
      served.key = key
      var loses = false
      let transport = DirectTransport { packet in
        let answers = served.answer(packet)
        return loses ? [] : answers
      }
      let client = SMPClient(transport: transport, timeouts: Self.timeouts)
      let device = DeviceClient(client)
      func read() -> String {
        let request = DeviceClient.logStream(sequence: 1, offset: 0, length: 20)
        guard let body = try? client.ask(request) else { return "nothing" }
        return "\(body["data"]?.byteString ?? [])"
      }
      for _ in 0..<random.next() % 8 {
        switch random.next() % 6 {
        case 0: client.forgetSession()
        case 1: client.closeSession()
        case 2: served.endsSession()
        case 3:
          loses = true
          _ = read()
          if random.next() % 2 == 0 { client.closeSession() }
          loses = false
        case 4: _ = try? device.unlock(accessKey)
        default: _ = read()
        }
      }
      try device.unlock(accessKey)
      let fresh = SMPClient(transport: DirectTransport { served.answer($0) }, timeouts: Self.timeouts)
      let (repeats, strays) = (client.repeats, client.unexpectedPackets)
      let seen = read()
      #expect(client.isSealed && client.repeats == repeats && client.unexpectedPackets == strays)
      client.closeSession()
      #expect(!client.isSealed && !fresh.isSealed && client.inFlight == 0, "seed \(seed)")
      // A client without a session has no access, whichever it had before.
      #expect(read() == "nothing", "seed \(seed)")
      try DeviceClient(fresh).unlock(accessKey)
      let expected = try fresh.ask(DeviceClient.logStream(sequence: 1, offset: 0, length: 20))
      #expect(seen == "\(expected["data"]?.byteString ?? [])", "seed \(seed)")
      fresh.closeSession()
    }
  }
}
