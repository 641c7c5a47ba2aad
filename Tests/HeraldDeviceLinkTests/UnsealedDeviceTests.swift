import HeraldDeviceLink
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import Testing

/// The flash of a chip without room for the code that seals a log.
private struct SmallFlash: Flash, ~Copyable {
  var base: MemoryFlash
  static var canSeal: Bool { false }
  var pageSize: Int { base.pageSize }
  var pageCount: Int { base.pageCount }
  var wordSize: Int { base.wordSize }
  mutating func read(page: Int, offset: Int, into buffer: inout MutableSpan<UInt8>) throws(FlashError) {
    try base.read(page: page, offset: offset, into: &buffer)
  }
  mutating func program(page: Int, offset: Int, _ bytes: Span<UInt8>) throws(FlashError) {
    try base.program(page: page, offset: offset, bytes)
  }
  mutating func clear(page: Int, offset: Int, count: Int) throws(FlashError) {
    try base.clear(page: page, offset: offset, count: count)
  }
  mutating func erase(page: Int) throws(FlashError) { try base.erase(page: page) }
}

private typealias SmallDevice = ManagedNode<
  MockRadio,
  ManagedPartList<
    SmallFlash, CountingRandom, FixedPayloadSupplier, NoDelegate, HeraldGATTTable, PlainBoard
  >, 4, 1, 1
>

@Suite("A device that cannot seal its log")
struct UnsealedDeviceTests {
  private let value = "63 76616C"

  private func write(_ body: String, command: UInt8 = 0, to device: inout SmallDevice) -> [UInt8] {
    let bytes = hex(body)
    let request = [0x0A, 0, 0, UInt8(bytes.count), 0, 3, 0, command] + bytes
    var buffer = request + [UInt8](repeating: 0, count: 128 - request.count)
    var server = SMPServer()
    var span = buffer.mutableSpan
    let count = server.respond(to: &span, count: request.count, at: .start, device: &device)
    return Array(buffer[8..<count])
  }

  @Test("settings that it has nothing for are refused as WRITE_NOT_SUPPORTED; it logs in clear")
  func refused() throws {
    let image = FlashImage(pageSize: 1024, pageCount: 4, wordSize: 4)
    var device = SmallDevice(
      radio: MockRadio(), flash: SmallFlash(base: MemoryFlash(image)), random: CountingRandom(last: 1),
      supplier: FixedPayloadSupplier(country: 1, state: 0, clientIdentifier: 1), delegate: NoDelegate(),
      board: PlainBoard())
    device.takeSettings(at: .start)
    // `log/owner-key`, 32 bytes and none; `bluetooth/management`; and without a value.
    let owner = "64 6E616D65 6D 6C6F672F6F776E65722D6B6579"
    let bluetooth = "64 6E616D65 74 626C7565746F6F74682F6D616E6167656D656E74"
    let refusal = hex("A1 63 657272 A2 65 67726F7570 03 62 7263 06")
    for key in ["5820" + String(repeating: "07", count: 32), "40"] {
      check(write("A2 \(owner) \(value) \(key)", to: &device) == refusal)
    }
    check(write("A2 \(bluetooth) \(value) 41 01", to: &device) == refusal)
    check(write("A1 \(owner)", command: 1, to: &device) == refusal)
    check(!device.board.settings.settings.hasOwnerKey && !device.advanceSealing(at: .start))
    // Others are taken: `log/keep-days`.
    check(write("A2 64 6E616D65 6D 6C6F672F6B6565702D64617973 \(value) 42 6D01", to: &device) == [0xA0])
    // Even with keys, which nothing gives it.
    device.node.core.log.sealer = made()
    check(device.node.core.log.sealer.isActive)
    device.node.core.log.mount(freshEpoch: 1)
    for index in 0..<400 {
      try device.node.core.log.append(
        .battery(level: UInt8(index % 100), external: false), at: Instant(milliseconds: UInt64(index) * 1000),
        clock: WallClock())
    }
    device.node.core.log.commit()
    check(Array(image.bytes[..<6]) == [0x48, 0x4C, 0x6F, 0x67, 3, 4] && image.bytes[7] == 0)
    check(firstEvent(Array(image.bytes[..<1024])) == .battery(level: 0, external: false))
  }

  private func firstEvent(_ page: [UInt8]) -> LogEvent? {
    var decoder = LogPageDecoder(page.span)
    var room: [UInt8] = []
    var payload = room.mutableSpan
    return decoder?.next(payload: &payload)?.event
  }

  /// Keys for an owner whose public key is the base point.
  private func made() -> LogSealer {
    let image = FlashImage(pageSize: 1024, pageCount: 4, wordSize: 4)
    var log = FlashLog<MemoryFlash, 4>(flash: MemoryFlash(image))
    let secret = [UInt8](1...32)
    let owner: [UInt8] = [9] + [UInt8](repeating: 0, count: 31)
    log.sealer.begin(secret: secret.span)
    for _ in 0..<2 {
      while !log.sealer.advance() {}
      log.makeKeys(owner: owner.span, serial: Span(), at: .start)
    }
    return log.sealer
  }
}
