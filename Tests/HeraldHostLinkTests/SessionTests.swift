import Foundation
import Testing

@testable import HeraldHostLink

/// Pulls in a session, from the firmware's own server.
@Suite("Sessions of a pull")
struct SessionTests {
  private let key = [UInt8](0..<32)

  private func pull(
    _ served: ServedLog, window: Int = 4, losing: Set<Int> = [], changing: Set<Int> = []
  ) throws -> (report: PullReport, client: SMPClient, bytes: [[UInt8]]) {
    var count = 0
    let transport = DirectTransport(window: window) { packet in
      count += 1
      let answers = served.answer(packet)
      guard !losing.contains(count) else { return [] }
      guard changing.contains(count) else { return answers }
      return answers.map { Array($0.dropLast()) + [$0[$0.count - 1] ^ 1] }
    }
    let client = SMPClient(transport: transport, timeouts: .init(timeout: .milliseconds(1), attempts: 3))
    let device = DeviceClient(client)
    if !served.key.isEmpty {
      let path = NSTemporaryDirectory() + "herald-key-" + UUID().uuidString
      try Data(served.key).write(to: URL(fileURLWithPath: path))
      defer { try? FileManager.default.removeItem(atPath: path) }
      try device.unlock(AccessKey.read(path))
    }
    let folder = TemporaryFolder()
    let pageStore = try PageStore(path: folder.path, create: true)
    var download = LogDownload(device: device, pageStore: pageStore, inspect: { _, _, _ in .good })
    let report = try download.run()
    let pages = try pageStore.pages().map { try pageStore.read($0) }
    return (report, client, pages)
  }

  @Test(
    "brings the same bytes as a pull without one, whatever the size of a packet", arguments: [128, 256, 1024])
  func same(packetSize: Int) throws {
    let served = ServedLog(pages: 3, pageSize: 1024, packetSize: packetSize)
    let open = try pull(served)
    served.key = key
    let sealed = try pull(served)
    #expect(open.bytes.count == 4 && sealed.bytes == open.bytes && sealed.client.isSealed)
    #expect(sealed.report.problems.isEmpty && sealed.client.repeats == 0)
  }

  @Test(
    "loses nothing when answers are lost or changed on their way: they are asked for again, under new numbers"
  )
  func losses() throws {
    let served = ServedLog(pages: 3, pageSize: 1024, packetSize: 256)
    let open = try pull(served)
    served.key = key
    let lossy = try pull(served, losing: [6, 9, 10], changing: [7, 12])
    #expect(lossy.bytes == open.bytes && lossy.client.repeats > 0 && lossy.client.unexpectedPackets == 2)
  }

  @Test("continues in another session when the device has ended it, with several requests on their way")
  func renewal() throws {
    let served = ServedLog(pages: 3, pageSize: 1024, packetSize: 256)
    let open = try pull(served)
    served.key = key
    served.endsSessionAfter = 9
    let renewed = try pull(served)
    #expect(renewed.bytes == open.bytes && renewed.report.stoppedBy == nil && renewed.client.isSealed)
  }

  @Test("ends when the device has no access key any longer: an unsealed response is no result")
  func downgrade() throws {
    let served = ServedLog(pages: 3, pageSize: 1024, packetSize: 256)
    served.key = key
    let transport = DirectTransport { packet in
      // Whoever is in between responses in the device's place once there is a session.
      guard packet[1] == 1 else { return served.answer(packet) }
      let body = [0xA1, 0x64] + Array("data".utf8) + [0x44, 1, 2, 3, 4]
      return [[packet[0] + 1, 0, 0, UInt8(body.count)] + packet[4..<8] + body]
    }
    let device = DeviceClient(
      SMPClient(transport: transport, timeouts: .init(timeout: .milliseconds(1), attempts: 1)))
    let path = NSTemporaryDirectory() + "herald-key-" + UUID().uuidString
    try Data(key).write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    try device.unlock(AccessKey.read(path))
    let error = #expect(throws: HostLinkError.self) {
      _ = try device.client.ask(DeviceClient.logStream(sequence: 1, offset: 0, length: nil))
    }
    #expect(error?.cause == .refused && error?.what.contains("ended the session") == true)
  }
}
