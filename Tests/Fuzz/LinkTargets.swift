import HeraldBluetooth
import HeraldDeviceLink
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import LinkDoubles

let cborSeeds: [[UInt8]] = [
  [0xA1, 0x61, 0x64, 0x62, 0x68, 0x69],
  [
    0xBF, 0x63, 0x73, 0x65, 0x71, 0x1A, 0x00, 0x01, 0x00, 0x00, 0x63, 0x6F, 0x66, 0x66, 0x19, 0x10, 0x00,
    0xFF,
  ],
  [0x82, 0x9F, 0x01, 0x02, 0xFF, 0xA1, 0x61, 0x61, 0xF5],
  [0x5F, 0x42, 0x01, 0x02, 0x43, 0x03, 0x04, 0x05, 0xFF],
  [0xC1, 0x1A, 0x51, 0x4B, 0x67, 0xB0], [0x3B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
  [0xF9, 0x7E, 0x00],
]

/// Every value read as everything it could be, then skipped.
func fuzzCBOR(_ bytes: Span<UInt8>) {
  var reader = CBORReader(bytes)
  var steps = 0
  while !reader.isAtEnd {
    steps += 1
    if steps > bytes.count { broken("reading goes on without consuming anything") }
    let before = reader.offset
    if reader.unsigned() != nil || reader.integer() != nil || reader.boolean() != nil { continue }
    if let text = reader.text() {
      if text.count > bytes.count { broken("a text longer than the data") }
      continue
    }
    if reader.byteString() != nil { continue }
    if var map = reader.map() {
      while reader.next(in: &map) {
        guard reader.skip(), reader.skip() else { return }
      }
      if reader.offset == before { return }
      continue
    }
    guard reader.skip() else { return }
  }
}

/// A device that has everything the management groups ask for, and a log of one page.
struct FuzzDevice: ManagedDevice, ArrayImageSlot, ~Copyable {
  private var clock: UInt64?
  private var tap = LiveTap()
  var slot: [UInt8] = [] {
    didSet { if slot.count > Self.slotSize { broken("more bytes than the slot holds") } }
  }
  var plan = ImagePlan.none
  var imageUpload = ImageUpload()

  static var hasLive: Bool { true }
  mutating func watch(at now: Instant) -> Int {
    let waiting = tap.watch(at: now)
    tap.didMeasure(TargetIdentity(kind: .randomAddress, high: 1, low: 2), RSSI(-60), at: now)
    return waiting
  }
  mutating func nextLive() -> LiveEvent? { tap.nextLive() }
  mutating func takeLost() -> UInt32 { tap.takeLost() }
  mutating func acknowledgeLog(_ sequence: UInt32, digest: Span<UInt8>) -> LogAcknowledgement {
    if digest.count != 32 { broken("a digest of another size") }
    guard sequence < 1 else { return .outOfOrder }
    return digest[0] == 7 ? .taken : .otherDigest
  }
  static var hasFiles: Bool { true }
  static var bootLoader: StaticString { "none" }
  static var slotSize: Int { 4096 }
  private var settings = SettingsStore(flash: MemoryFlash(pageSize: 1024, pageCount: 2, wordSize: 8))
  var access = AccessGate()

  mutating func inEffect(_ setting: Setting) -> UInt32 {
    setting == .stayOpen ? 1 : setting.description.standard ?? 0
  }
  mutating func keep(_ setting: Setting, value: UInt32?, at now: Instant) -> Bool {
    if let value, !setting.description.allows(value) { broken("a setting is set out of its range") }
    return settings.keep(setting, value: value)
  }
  mutating func hasAccessKey() -> Bool { settings.settings.hasAccessKey }
  mutating func copyAccessKey(into key: inout MutableSpan<UInt8>) -> Bool {
    settings.copyAccessKey(into: &key)
  }
  mutating func keepAccessKey(_ key: Span<UInt8>) -> Bool {
    if key.count != 0, key.count != 32 { broken("an access key of another size") }
    return settings.keepAccessKey(key)
  }
  var storedPayloadCapacity: Int { 129 }
  mutating func stagePayload(offset: Int, total: Int, _ bytes: Span<UInt8>) -> PayloadStagingOutcome {
    settings.stagePayload(offset: offset, total: total, bytes, longest: 129)
  }

  mutating func logStatus() -> LogStatus {
    LogStatus(epoch: 1, oldest: 1, newest: 1, openBytes: 4096, pageSize: 4096, boot: 1)
  }
  mutating func logReadableBytes(sequence: UInt32) -> Int? { sequence == 1 ? 4096 : nil }
  mutating func readLog(sequence: UInt32, offset: Int, into buffer: inout MutableSpan<UInt8>) -> Int {
    guard sequence == 1, offset < 4096 else { return 0 }
    if offset < 0 { broken("a negative offset") }
    return min(buffer.count, 4096 - offset)
  }
  static var statisticsGroupCount: Int { 1 }
  static func statisticsGroupName(_ group: Int) -> StaticString { group == 0 ? "fuzz" : "" }
  static func statisticsCount(group: Int) -> Int { 3 }
  static func statisticName(group: Int, _ index: Int) -> StaticWord { "a" }
  func statistic(group: Int, _ index: Int) -> UInt32 { .max }
  func unixMilliseconds(at now: Instant) -> UInt64? { clock }
  mutating func setClock(unixMilliseconds: UInt64, at now: Instant) -> Bool {
    clock = unixMilliseconds
    return true
  }
  func information(_ field: InformationField, into text: inout MutableSpan<UInt8>) -> Int {
    min(text.count, 3)
  }
  mutating func restart(at now: Instant) {}
}

private func smpPacket(_ operation: UInt8, group: UInt8, command: UInt8, _ body: [UInt8]) -> [UInt8] {
  [0x08 | operation, 0, 0, UInt8(body.count), 0, group, 7, command] + body
}

let smpSeeds: [[UInt8]] = [
  // echo, as smpmgr sends it
  [0x0A, 0x00, 0x00, 0x06, 0x00, 0x00, 0x01, 0x00, 0xA1, 0x61, 0x64, 0x62, 0x68, 0x69],
  smpPacket(0, group: 0, command: 4, [0xA0]),
  smpPacket(
    2, group: 0, command: 4,
    [0xA1, 0x68] + Array("datetime".utf8) + [0x73] + Array("2026-01-02T03:04:05".utf8)),
  smpPacket(0, group: 0, command: 6, [0xA0]),
  smpPacket(0, group: 0, command: 7, [0xA1, 0x66] + Array("format".utf8) + [0x63] + Array("snv".utf8)),
  smpPacket(0, group: 2, command: 1, [0xA0]),
  smpPacket(0, group: 2, command: 0, [0xA1, 0x64] + Array("name".utf8) + [0x64] + Array("fuzz".utf8)),
  smpPacket(0, group: 72, command: 0, [0xA0]),
  smpPacket(
    0, group: 72, command: 1, [0xA2, 0x63] + Array("seq".utf8) + [1, 0x63] + Array("off".utf8) + [0]),
  smpPacket(
    0, group: 72, command: 8, [0xA2, 0x63] + Array("seq".utf8) + [1, 0x63] + Array("off".utf8) + [0]),
  smpPacket(
    2, group: 72, command: 4,
    [0xA3, 0x65] + Array("epoch".utf8) + [1, 0x63] + Array("seq".utf8) + [0, 0x66] + Array("digest".utf8)
      + [0x58, 32] + [UInt8](repeating: 7, count: 32)),
  smpPacket(2, group: 72, command: 0, [0xA0]),
  smpPacket(0, group: 72, command: 6, [0xA0]),
  smpPacket(0, group: 0, command: 8, [0xA1, 0x65] + Array("query".utf8) + [0x60]),
  smpPacket(2, group: 0, command: 5, [0xA1, 0x65] + Array("force".utf8) + [1]),
  smpPacket(
    0, group: 8, command: 0,
    [0xA2, 0x64] + Array("name".utf8) + [0x68] + Array("/log/all".utf8) + [0x63] + Array("off".utf8) + [0]),
  smpPacket(
    0, group: 8, command: 2,
    [0xA2, 0x64] + Array("name".utf8) + [0x78, 29] + Array("/log/00000001-0000000001.page".utf8) + [0x64]
      + Array("type".utf8) + [0x66] + Array("sha256".utf8)),
  smpPacket(0, group: 1, command: 0, [0xA0]),
  smpPacket(
    2, group: 1, command: 1,
    [0xA3, 0x63] + Array("len".utf8) + [0x18, 80, 0x63] + Array("off".utf8) + [0, 0x64] + Array("data".utf8)
      + [0x58, 80] + smpImageSeed),
  smpPacket(
    2, group: 1, command: 0,
    [0xA1, 0x64] + Array("hash".utf8) + [0x58, 32] + [UInt8](repeating: 0xC5, count: 32)),
  smpPacket(2, group: 1, command: 5, [0xA1, 0x64] + Array("slot".utf8) + [1]),
  smpPacket(0, group: 1, command: 6, [0xA0]),
  smpPacket(
    0, group: 3, command: 0, [0xA1, 0x64] + Array("name".utf8) + [0x6D] + Array("log/keep-days".utf8)),
  smpPacket(
    2, group: 3, command: 0,
    [0xA2, 0x64] + Array("name".utf8) + [0x6D] + Array("radio/setting".utf8) + [0x63] + Array("val".utf8)
      + [0x41, 2]),
  smpPacket(
    2, group: 3, command: 0,
    [0xA2, 0x64] + Array("name".utf8) + [0x6A] + Array("access/key".utf8) + [0x63] + Array("val".utf8)
      + [0x58, 32] + [UInt8](repeating: 7, count: 32)),
  smpPacket(0, group: 72, command: 5, [0xA0]),
  smpPacket(
    2, group: 72, command: 5,
    [0xA1, 0x65] + Array("proof".utf8) + [0x58, 32] + [UInt8](repeating: 7, count: 32)),
  smpPacket(
    2, group: 8, command: 0,
    [0xA4, 0x64] + Array("name".utf8) + [0x68] + Array("/payload".utf8) + [0x63] + Array("len".utf8)
      + [0x18, 45, 0x63] + Array("off".utf8) + [0, 0x64] + Array("data".utf8) + [0x58, 45]
      + storedPayloadSeeds[0]),
  smpPacket(0, group: 72, command: 7, [0xA0]),
]

/// A header, eight bytes, and a list with a hash.
private let smpImageSeed: [UInt8] =
  [
    0x3D, 0xB8, 0xF3, 0x96, 0, 0, 0, 0, 32, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 4, 0, 0, 0, 0, 0, 0,
    0,
  ]
  + [1, 2, 3, 4, 5, 6, 7, 8] + [0x07, 0x69, 40, 0, 0x10, 0, 32, 0] + [UInt8](repeating: 0xC5, count: 32)

func fuzzSMP(_ bytes: Span<UInt8>) {
  var server = SMPServer()
  var device = FuzzDevice()
  var buffer: [512 of UInt8] = .init(repeating: 0)
  let count = min(bytes.count, 512)
  for index in 0..<count { buffer[index] = bytes[index] }
  var span = buffer.mutableSpan
  // An image is there, whose list what comes may ask for.
  let image = smpImageSeed
  _ = device.appendImage(image.span)
  let length = server.respond(to: &span, count: count, at: .start, device: &device)
  if length > 512 { broken("an answer longer than the buffer") }
  if length > 0 {
    if length < 8 || span[0] & 1 == 0 { broken("an answer that is no answer") }
    if Int(span[2]) << 8 | Int(span[3]) != length - 8 { broken("a length that is not the answer's") }
    if span[6] != bytes[6] || span[7] != bytes[7] { broken("an answer to another question") }
  }
}

let smpSerialSeeds: [[UInt8]] = [
  // The echo above between 06 09 and 0A in base64, with its length in front and its CRC behind.
  [0x06, 0x09] + Array("ABAKAAAGAAABAKFhZGJoaaWv".utf8) + [0x0A],
  [0x06, 0x09] + Array("ABAKAAAGAAAB".utf8) + [0x0A, 0x04, 0x14] + Array("AKFhZGJoaaWv".utf8) + [0x0A],
]

/// A line's bytes, taken in one piece and again byte by byte: what comes back must be the same.
func fuzzSMPSerial(_ bytes: Span<UInt8>) {
  let whole = answers(to: bytes, inPiecesOf: max(bytes.count, 1))
  let single = answers(to: bytes, inPiecesOf: 1)
  if whole != single { broken("the answer depends on how the bytes arrive") }
}

/// A digest of all that the device's end of a line sends back.
private func answers(to bytes: Span<UInt8>, inPiecesOf size: Int) -> UInt64 {
  var link = SMPSerialLink<256>()
  var server = SMPServer()
  var device = FuzzDevice()
  var digest: UInt64 = 14_695_981_039_346_656_037
  var start = 0
  while start < bytes.count {
    let piece = bytes.extracting(start..<min(bytes.count, start + size))
    let taken = link.receive(piece, at: .start, server: &server, device: &device)
    if taken > piece.count { broken("more bytes taken than given") }
    let wasSending = link.isSending
    while link.isSending {
      var output: [64 of UInt8] = .init(repeating: 0)
      var span = output.mutableSpan
      let sent = link.send(into: &span)
      if sent == 0 { broken("a line with room takes nothing") }
      for index in 0..<sent { digest = (digest ^ UInt64(output[index])) &* 1_099_511_628_211 }
    }
    if taken == 0, !wasSending { broken("an idle link takes nothing") }
    start += taken
  }
  return digest
}
