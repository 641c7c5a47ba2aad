import HeraldBluetooth
import HeraldCrypto
import HeraldDeviceLink
import HeraldEmbedded
import HeraldHAL
import LinkDoubles
import Testing

/// A managed device with made-up content: two groups of counters, a log of pages, a clock.
struct TestDevice: ManagedDevice, ArrayImageSlot, ~Copyable {
  var clock = WallClock()
  var pages: [UInt32: [UInt8]] = [:]
  var status = LogStatus(
    epoch: 0xCAFE_F00D, oldest: 3, newest: 5, openBytes: 10, pageSize: 4096, boot: 7, keptDays: 14)
  var restarts = 0
  var isFlashBroken = false
  var serial = "0123456789AB"
  var acknowledged: [UInt32] = []
  var tap = LiveTap()
  var release = "0.1.0"
  var erasing = FactoryResetProgress()
  var slot: [UInt8] = []
  var plan = ImagePlan.none
  var imageUpload = ImageUpload()
  /// The one signature that its key makes, and the digest of which; `nil` without a key.
  var imageSignature: (signature: [UInt8], digest: [UInt8])?
  /// The hash of the running image; empty if there is none.
  var runningHash: [UInt8] = []
  func copyRunningHash(into hash: inout MutableSpan<UInt8>) -> Bool {
    guard runningHash.count == hash.count else { return false }
    for index in runningHash.indices { hash[index] = runningHash[index] }
    return true
  }
  func hasImageKey() -> Bool { imageSignature != nil }
  func isSignature(_ signature: Span<UInt8>, of digest: Span<UInt8>) -> Bool {
    guard let known = imageSignature else { return false }
    return signature.equalsInConstantTime(known.signature.span)
      && digest.equalsInConstantTime(known.digest.span)
  }
  /// Its key is named by bytes `4B`.
  func isImageKey(_ entry: Span<UInt8>) -> Bool {
    entry.count == 32 && entry.equalsInConstantTime([UInt8](repeating: 0x4B, count: 32).span)
  }

  var addressKey = IdentityResolvingKey.none
  /// What it knows of its debug port.
  var port = DebugPortState.notKnown
  mutating func debugPort() -> DebugPortState { port }

  mutating func logStatus() -> LogStatus { status }

  mutating func identify(_ identifier: inout DeviceIdentifier) {
    identifier.derive(from: addressKey)
  }

  mutating func logReadableBytes(sequence: UInt32) -> Int? { pages[sequence]?.count }

  mutating func readLog(sequence: UInt32, offset: Int, into buffer: inout MutableSpan<UInt8>) -> Int {
    guard !isFlashBroken, let page = pages[sequence], offset <= page.count else { return 0 }
    let count = min(buffer.count, page.count - offset)
    for index in 0..<count { buffer[index] = page[offset + index] }
    return count
  }

  mutating func acknowledgeLog(_ sequence: UInt32, digest: Span<UInt8>) -> LogAcknowledgement {
    guard sequence < status.newest, let page = pages[sequence] else { return .outOfOrder }
    guard !isFlashBroken else { return .unreadable }
    guard digest.equalsInConstantTime(SHA256.digest(of: page.span).span) else { return .otherDigest }
    acknowledged.append(sequence)
    return .taken
  }

  /// When it was asked to commit its log.
  var commits: [Instant] = []
  mutating func commitLog(at now: Instant) { commits.append(now) }

  static var hasLive: Bool { true }
  mutating func watch(at now: Instant) -> Int { tap.watch(at: now) }
  mutating func nextLive() -> LiveEvent? { tap.nextLive() }
  mutating func takeLost() -> UInt32 { tap.takeLost() }

  mutating func factoryReset() -> FactoryResetProgress { erasing }
  /// How often its button has permitted a factory reset; `nil` without a button.
  var permissions: Int?
  mutating func takeResetPermission(at now: Instant) -> Bool {
    guard let permissions else { return true }
    self.permissions = max(permissions - 1, 0)
    return permissions > 0
  }
  /// Whether it can record a factory reset.
  var takesReset = false
  mutating func beginFactoryReset() -> Bool {
    if takesReset { erasing.total = 3 }
    return takesReset
  }

  static var hasSignal: Bool { true }
  /// What its light was told to show, and whether it does.
  var signals: [CollectionSignal] = []
  var takesSignals = true
  mutating func signal(_ signal: CollectionSignal, at now: Instant) -> Bool {
    guard takesSignals else { return false }
    signals.append(signal)
    return true
  }

  static var hasFiles: Bool { true }
  static var bootLoader: StaticString { "none" }
  static var slotSize: Int { 200 }
  var takesImages: Bool { !isFlashBroken }

  static var statisticsGroupCount: Int { 2 }
  static func statisticsGroupName(_ group: Int) -> StaticString { group == 0 ? "radio" : "log" }
  static func statisticsCount(group: Int) -> Int { group == 0 ? 2 : 30 }
  static func statisticName(group: Int, _ index: Int) -> StaticWord {
    if group == 0 { return index == 0 ? "adverts" : "reads" }
    return letters[index % letters.count]
  }
  func statistic(group: Int, _ index: Int) -> UInt32 { group == 0 && index == 0 ? 1_000_000 : UInt32(index) }

  private static let letters: [StaticWord] = [
    "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t", "u",
    "v",
    "w", "x", "y", "z", "aa", "bb", "cc", "dd",
  ]

  func unixMilliseconds(at now: Instant) -> UInt64? { clock.unixMilliseconds(at: now) }
  mutating func setClock(unixMilliseconds: UInt64, at now: Instant) -> Bool {
    clock.set(unixMilliseconds: unixMilliseconds, at: now, source: .host)
  }

  func information(_ field: InformationField, into text: inout MutableSpan<UInt8>) -> Int {
    let value =
      switch field {
      case .kernelName: "Herald"
      case .nodeName: serial
      case .kernelRelease: release
      case .machine: "test"
      case .operatingSystem: "none"
      default: ""
      }
    let bytes = Array(value.utf8)
    guard bytes.count <= text.count else { return 0 }
    for index in bytes.indices { text[index] = bytes[index] }
    return bytes.count
  }

  /// What was set; the defaults otherwise.
  var numbers: [Setting: UInt32] = [:]
  /// Whether it was told to stay open, unless a test sets `access/stay-open`.
  var staysOpen = true
  func inEffect(_ setting: Setting) -> UInt32 {
    let standard = setting == .stayOpen ? (staysOpen ? 1 : 0) : setting.description.standard ?? 0
    return numbers[setting] ?? standard
  }
  mutating func keep(_ setting: Setting, value: UInt32?, at now: Instant) -> Bool {
    guard !isFlashBroken else { return false }
    numbers[setting] = value
    return true
  }

  var accessKey: [UInt8] = []
  var access = AccessGate()
  /// The nonces it makes are 1, 1, …, 2, 2, ….
  var nonces: UInt8 = 0
  func hasAccessKey() -> Bool { !accessKey.isEmpty }
  func copyAccessKey(into key: inout MutableSpan<UInt8>) -> Bool {
    for index in accessKey.indices { key[index] = accessKey[index] }
    return !accessKey.isEmpty
  }
  mutating func keepAccessKey(_ key: Span<UInt8>) -> Bool {
    guard !isFlashBroken else { return false }
    accessKey = (0..<key.count).map { key[$0] }
    return true
  }
  mutating func fillRandom(_ bytes: inout MutableSpan<UInt8>) {
    nonces += 1
    for index in 0..<bytes.count { bytes[index] = nonces }
  }

  var report: RestartReport?
  func restartReport() -> RestartReport? { report }

  /// Whether it takes a payload from a host; it has room for none.
  var takesPayloads = false
  var storedPayloadCapacity: Int { takesPayloads ? 100 : 0 }

  mutating func restart(at now: Instant) { restarts += 1 }
}

/// Bytes from hexadecimal digits; spaces are for the eye.
func hex(_ text: String) -> [UInt8] {
  let digits = text.filter { !$0.isWhitespace }.map { UInt8($0.hexDigitValue ?? 0) }
  return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

/// The response of a device to a packet, in a buffer of `room` bytes.
func answer(
  _ request: [UInt8], _ device: inout TestDevice, room: Int = 256, at now: Instant = .start
) -> [UInt8] {
  var buffer = request + [UInt8](repeating: 0xEE, count: max(0, room - request.count))
  var server = SMPServer()
  var span = buffer.mutableSpan
  let count = server.respond(to: &span, count: request.count, bufferCount: 2, at: now, device: &device)
  return Array(buffer[..<count])
}

/// `#expect` for conditions on values that cannot leave their scope, which the macro would capture.
func check(_ condition: Bool, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation) {
  #expect(condition, comment, sourceLocation: sourceLocation)
}
