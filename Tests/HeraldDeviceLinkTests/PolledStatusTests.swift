import HeraldBluetooth
import HeraldDeviceLink
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import Testing

private struct FixedRandom: RandomSource {
  mutating func next() -> UInt32 { 0x1234_5678 }
}

@Suite("A whole device whose status is asked for again and again")
struct PolledStatusTests {
  private typealias Device = ManagedNode<
    MockRadio,
    ManagedPartList<
      MemoryFlash, FixedRandom, FixedPayloadSupplier, NoDelegate, HeraldGATTTable, PlainBoard
    >, 4,
    1, 1
  >

  /// Flash bytes of a log of 3,000 readings in five minutes, while `request` comes every 10 ms.
  private func bytes(polledWith request: [UInt8]?) throws -> Int {
    var device = Device(
      radio: MockRadio(), flash: MemoryFlash(FlashImage(pageSize: 4096, pageCount: 16, wordSize: 4)),
      random: FixedRandom(), supplier: FixedPayloadSupplier(country: 826, state: 0, clientIdentifier: 7),
      delegate: NoDelegate(), board: PlainBoard())
    var server = SMPServer()
    var now = Instant.start
    for tick in UInt32(0)..<30_000 {
      now = now + .milliseconds(10)
      if tick % 10 == 0 {
        // The commits each 30 s are made here.
        _ = device.node.poll(at: now)
        try device.node.core.log.append(
          .measured(
            TargetIdentity(kind: .randomAddress, high: 0x4000, low: tick / 10 % 5),
            RSSI(Int8(-60 - Int(tick / 10 * 7919 % 13)))),
          at: now, clock: WallClock())
      }
      guard let request else { continue }
      var buffer = request + [UInt8](repeating: 0, count: 128)
      var span = buffer.mutableSpan
      let count = server.respond(to: &span, count: request.count, at: now, device: &device)
      #expect(count > 0)
    }
    device.node.core.log.commit()
    let status = device.logStatus()
    return Int(status.newest - status.oldest) * status.pageSize + status.openBytes
  }

  @Test(
    "polled a hundred times a second for what needs no key, a device has the same bytes per reading as left alone"
  )
  func polled() throws {
    let alone = try bytes(polledWith: nil)
    for request in [
      // Log status, information, statistics, parameters, access, date.
      "08000001 0048 0000 A0", "0800000A 0000 0007 A1 66 666F726D6174 61 61",
      "08000009 0002 0000 A1 64 6E616D65 63 6C6F67",
      "08000001 0000 0006 A0", "08000001 0048 0005 A0", "08000001 0000 0004 A0",
    ] {
      let polled = try bytes(polledWith: hex(request))
      check(polled == alone, "\(request): \(polled) bytes instead of \(alone)")
    }
  }

  @Test(
    "asked a hundred times a second to commit, it takes at most eight bytes more for each ten seconds, and ten times eight at first"
  )
  func committing() throws {
    let alone = try bytes(polledWith: nil)
    let polled = try bytes(polledWith: hex("0A000001 0048 0000 A0"))
    check(polled - alone <= (300 / 10 + 10) * 8, "\(polled) bytes instead of \(alone)")
  }

  @Test(
    "a request makes readable what there is, ten times in a row, and again each ten seconds; one with nothing new costs none"
  )
  func share() throws {
    var device = Device(
      radio: MockRadio(), flash: MemoryFlash(FlashImage(pageSize: 4096, pageCount: 4, wordSize: 4)),
      random: FixedRandom(), supplier: FixedPayloadSupplier(country: 826, state: 0, clientIdentifier: 7),
      delegate: NoDelegate(), board: PlainBoard())
    _ = device.node.poll(at: .start)
    device.node.core.log.commit()
    var isCommitted: [Bool] = []
    // Seconds.
    let moments: [UInt64] =
      Array(repeating: 0, count: 11) + [9, 10, 11, 20] + Array(repeating: 200, count: 11) + [209, 210]
    for moment in moments {
      let now = Instant(milliseconds: moment * 1000)
      try device.node.core.log.append(
        .lost(TargetIdentity(kind: .randomAddress, high: 0x4000, low: 1)), at: now, clock: WallClock())
      device.commitLog(at: now)
      isCommitted.append(!device.node.core.log.hasPending)
      device.node.core.log.commit()
      for _ in 0..<20 { device.commitLog(at: now) }
    }
    let burst = Array(repeating: true, count: 10) + [false]
    #expect(isCommitted == burst + [false, true, false, true] + burst + [false, true])
  }
}
