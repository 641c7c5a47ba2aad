import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import Testing

/// Bytes from hexadecimal text; spaces do not count.
func hex(_ text: String) -> [UInt8] {
  let digits = text.filter { !$0.isWhitespace }
  var bytes: [UInt8] = []
  var index = digits.startIndex
  while index < digits.endIndex {
    let end = digits.index(index, offsetBy: 2)
    bytes.append(UInt8(digits[index..<end], radix: 16) ?? 0)
    index = end
  }
  return bytes
}

/// What a delegate heard.
enum Heard: Equatable {
  case detect(TargetIdentity)
  case measure(TargetIdentity, Int8)
  case read(TargetIdentity, [UInt8], known: Bool)
  case measureWithPayload(TargetIdentity, Int8)
  case share(TargetIdentity, [UInt8])
  case receive(TargetIdentity, [UInt8])
  case txPower(TargetIdentity, Int8)
  case observe(TargetIdentity, ServiceNumber, [UInt8])
  case lose(TargetIdentity)
  case state(SensorState)
}

struct Recorder: SensorDelegate, ~Copyable {
  var heard: [Heard] = []
  mutating func didDetect(_ target: TargetIdentity, at now: Instant) { heard.append(.detect(target)) }
  mutating func didMeasure(_ target: TargetIdentity, _ rssi: RSSI, at now: Instant) {
    heard.append(.measure(target, rssi.rawValue))
  }
  mutating func didRead(_ target: TargetIdentity, _ payload: Span<UInt8>, known: Bool, at now: Instant) {
    heard.append(.read(target, Self.copy(payload), known: known))
  }
  mutating func didMeasureWithPayload(
    _ target: TargetIdentity, _ rssi: RSSI, payloadDigest: UInt64, at now: Instant
  ) { heard.append(.measureWithPayload(target, rssi.rawValue)) }
  mutating func didShare(_ sharer: TargetIdentity, _ payloads: Span<UInt8>, at now: Instant) {
    heard.append(.share(sharer, Self.copy(payloads)))
  }
  mutating func didReceive(_ sender: TargetIdentity, _ message: Span<UInt8>, at now: Instant) {
    heard.append(.receive(sender, Self.copy(message)))
  }
  mutating func didChangeTxPower(_ target: TargetIdentity, _ dBm: Int8, at now: Instant) {
    heard.append(.txPower(target, dBm))
  }
  mutating func didObserve(
    _ target: TargetIdentity, _ service: ServiceNumber, _ code: Span<UInt8>, at now: Instant
  ) {
    var bytes: [UInt8] = []
    for index in 0..<code.count { bytes.append(code[index]) }
    heard.append(.observe(target, service, bytes))
  }
  mutating func didLose(_ target: TargetIdentity, at now: Instant) { heard.append(.lose(target)) }
  mutating func didUpdateState(_ state: SensorState, at now: Instant) { heard.append(.state(state)) }

  private static func copy(_ span: Span<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    for index in 0..<span.count { bytes.append(span[index]) }
    return bytes
  }
}

/// Gives the bytes it is told to, and counts how often it was asked.
struct ScriptedSupplier: PayloadSupplier, ~Copyable {
  var bytes: [UInt8]
  var asked: [Instant] = []
  var dates: [UInt64?] = []
  var period: Interval?
  /// Whose payloads it gives in the place of its own, if anybody's.
  var simple: SimplePayloadSupplier<InlineMatchingKeys<4>>?
  /// What it gives to readers of a legacy characteristic, if that is not the same.
  var legacy: [UInt8]?
  var fixedLength = 0
  init(_ bytes: [UInt8]) { self.bytes = bytes }
  mutating func payload(
    at unixSeconds: UInt64?, now: Instant, into buffer: inout MutableSpan<UInt8>
  ) -> Int {
    asked.append(now)
    dates.append(unixSeconds)
    if let count = simple?.payload(at: unixSeconds, now: now, into: &buffer) { return count }
    guard bytes.count <= buffer.count else { return 0 }
    for index in bytes.indices { buffer[index] = bytes[index] }
    return bytes.count
  }
  mutating func legacyPayload(
    at unixSeconds: UInt64?, now: Instant, into buffer: inout MutableSpan<UInt8>
  ) -> Int {
    guard let legacy else { return payload(at: unixSeconds, now: now, into: &buffer) }
    for index in legacy.indices { buffer[index] = legacy[index] }
    return legacy.count
  }
  mutating func dateIs(certain: Bool) { simple?.dateIs(certain: certain) }
  func nextChange(after unixSeconds: UInt64?, now: Instant) -> Instant {
    if let change = simple?.nextChange(after: unixSeconds, now: now) { return change }
    guard let period else { return .never }
    return now + period
  }
}

/// A random source whose sequence is the same in every run.
struct ScenarioRandom: RandomSource, ~Copyable {
  var generator = SeededGenerator(state: 1)
  mutating func next() -> UInt32 { UInt32(truncatingIfNeeded: generator.next()) }
}

/// A device under a mock radio, and the clock that drives it: what a test tells happens, what it asks for is
/// looked at.
typealias Scenario = TableScenario<HeraldGATTTable>

/// The same with another table to serve.
typealias TableScenario<Table: GATTTable> = ScenarioWith<NoAdditionalServices, Table>

/// The parts of the device of a scenario.
enum ScenarioParts<Services: AdditionalServices, Table: GATTTable>: DeviceParts {
  typealias FlashType = MemoryFlash
  typealias RandomType = ScenarioRandom
  typealias SupplierType = ScriptedSupplier
  typealias DelegateType = Recorder
  typealias ServicesType = Services
  typealias TableType = Table
}

/// The same with additional services, or with another table to serve.
final class ScenarioWith<Services: AdditionalServices, Table: GATTTable> {
  typealias Node = HeraldNode<MockRadio, ScenarioParts<Services, Table>, 8, 4, 4>
  var node: Node
  private(set) var now: Instant = .start

  init(
    capabilities: RadioCapabilities = MockRadio.usualCapabilities,
    payload: [UInt8] = hex("08 01 00 02 00 03 00 00 00 00 00 00 00"), key: IdentityResolvingKey = .none,
    _ configure: (inout HeraldConfiguration) -> Void = { _ in }
  ) {
    // Steady: most tests are about what follows from a reception, and take no part in scanning in rounds.
    var configuration = HeraldConfiguration.steady
    configure(&configuration)
    node = Node(
      radio: MockRadio(capabilities: capabilities),
      flash: MemoryFlash(pageSize: 4096, pageCount: 16, wordSize: 4), random: ScenarioRandom(),
      supplier: ScriptedSupplier(payload), delegate: Recorder(), configuration: configuration)
    node.core.key = key
    poll()
  }

  /// Polls until nothing more is to be done at this moment.
  @discardableResult
  func poll() -> Instant {
    for _ in 0..<200 {
      let next = node.poll(at: now)
      if next > now { return next }
    }
    Issue.record("the node wants to be polled for ever at \(now.milliseconds) ms")
    return .never
  }

  /// Lets time pass, polling whenever the node asks for it.
  func run(milliseconds: UInt64) {
    let end = Instant(milliseconds: now.milliseconds + milliseconds)
    while true {
      let next = poll()
      guard next <= end else { break }
      now = next
    }
    now = end
    poll()
  }

  /// Lets time pass in which nobody polls.
  func pass(milliseconds: UInt64) { now = Instant(milliseconds: now.milliseconds + milliseconds) }

  func run(seconds: UInt64) { run(milliseconds: seconds * 1000) }

  /// Something happens now, and the node deals with it.
  func happen(_ event: MockRadio.Event) {
    node.radio.happen(event)
    poll()
  }

  /// An advertisement is heard.
  func hear(
    _ address: DeviceAddress, _ data: String, rssi: Int8 = -50,
    kind: AdvertisingReport.Kind = .connectable.union(.scannable).union(.legacy)
  ) {
    happen(.advertisement(address, RSSI(rssi), kind, hex(data)))
  }

  /// The commands since the last look, without scanning, advertising and responses.
  func commands() -> [MockRadio.Command] {
    node.radio.takeCommands().filter {
      switch $0 {
      case .startAdvertising, .stopAdvertising, .startScanning, .stopScanning, .answer: false
      default: true
      }
    }
  }

  /// What was answered since the last look.
  func answers() -> [[UInt8]] {
    node.radio.takeCommands().compactMap { if case .answer(let bytes, _) = $0 { bytes } else { nil } }
  }

  /// What we sent since the last look, as hexadecimal text.
  func requests() -> [[UInt8]] {
    node.radio.takeCommands().compactMap { if case .send(let bytes, _) = $0 { bytes } else { nil } }
  }

  func heard() -> [Heard] {
    defer { node.core.delegate.heard = [] }
    return node.core.delegate.heard
  }

  func count(_ counter: HeraldCounter) -> UInt32 { node.core.counter(counter) }

  /// We send exactly `request`, and the peer answers `answer`.
  func exchange(
    _ request: String, _ answer: String, on connection: Int = 0,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(requests() == [hex(request)], sourceLocation: sourceLocation)
    happen(.pdu(hex(answer), on: ConnectionID(index: connection)))
  }

  var violations: [String] { node.radio.violations }
}

/// Peers and what they send, as the specification and the phones have it.
enum Peer {
  static let android = DeviceAddress(high: 0x6A01, low: 0x0203_0405, kind: .random)
  static let iPhone = DeviceAddress(high: 0x5B01, low: 0x0203_0405, kind: .random)

  /// Flags, 0xFCF6, pseudo device address A0A1A2A3A4A5 under the Linux Foundation's company identifier.
  static let androidAdvert = "02 01 1A 03 03 F6 FC 09 FF F1 05 A0 A1 A2 A3 A4 A5"
  static let androidIdentity = TargetIdentity(kind: .pseudoAddress, high: 0xA5A4, low: 0xA3A2_A1A0)
  /// An iPhone whose application is in the foreground, as recorded.
  static let iPhoneAdvert = "02 01 1A 02 0A 0C 11 07 9B FD 5B D6 72 45 1E 80 D3 42 46 47 AF 32 81 42"
  /// An iPhone whose application is in the background: nearby information and an overflow area.
  static let iPhoneBackground =
    "02 01 1A 02 0A 0C 0B FF 4C 00 10 06 07 1E A3 DD 89 E0 14 FF 4C 00 01 00 00 00 00 00 00 00 00 00 00 00 20 00 00 00 00 00"

  static let signalUUID = "11 1A 82 80 9A E0 24 83 7A 43 2E 09 13 B8 17 F6"
  static let otherSignalUUID = "63 43 2D B0 AD A4 F3 8A 9A 4A E4 EA F2 D5 B0 0E"
  static let payloadUUID = "E7 33 89 8F E3 43 21 A1 29 48 05 8F F8 C0 98 3E"
  static let longService = "9B FD 5B D6 72 45 1E 80 D3 42 46 47 AF 32 81 42"
  static let payload = "10 3A 03 00 00 A1 A2 A3 A4 A5 A6 A7 A8 A9 AA AB AC AD AE AF B0"
}

extension ScenarioWith {
  /// An Android phone takes the connection, answers everything up to the payload, which is read.
  func readAndroid(
    on connection: Int = 0, payload: String = Peer.payload, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    _ = commands()
    happen(.opened(ConnectionID(index: connection), .central, peer: Peer.android))
    exchange("02 F7 00", "03 00 02", on: connection, sourceLocation: sourceLocation)
    exchange(
      "06 01 00 FF FF 00 28 F6 FC", "07 28 00 2C 00", on: connection, sourceLocation: sourceLocation)
    exchange(
      "08 28 00 2C 00 03 28",
      "09 15 29 00 08 2A 00 \(Peer.signalUUID) 2B 00 02 2C 00 \(Peer.payloadUUID)",
      on: connection, sourceLocation: sourceLocation)
    exchange("0A 2C 00", "0B \(payload)", on: connection, sourceLocation: sourceLocation)
  }
}

extension ScenarioWith {
  /// The rows of the log so far, in the words of the contact log: time in milliseconds, event, identity,
  /// payload.
  func log() -> [String] {
    let status = node.core.log.committedStatus()
    var rows: [String] = []
    var sequence = status.oldest
    while sequence <= status.newest {
      var page = [UInt8](repeating: 0xFF, count: status.pageSize)
      var count = 0
      do {
        var span = page.mutableSpan
        count = try node.core.log.read(sequence: sequence, offset: 0, into: &span)
      } catch {
        Issue.record("page \(sequence) cannot be read: \(error)")
        return rows
      }
      if var decoder = LogPageDecoder(page[0..<count].span) {
        var payload = [UInt8](repeating: 0, count: LogEvent.maximumBytes)
        while true {
          var span = payload.mutableSpan
          guard let record = decoder.next(payload: &span) else { break }
          rows.append(Self.row(record, Array(payload[0..<record.byteCount])))
        }
      }
      sequence += 1
    }
    return rows
  }

  private static func row(_ record: LogRecord, _ payload: [UInt8]) -> String {
    let bytes = payload.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(
      separator: " ")
    let what =
      switch record.event {
      case .detected(let target): "detect \(name(target))"
      case .measured(let target, let rssi): "measure \(name(target)) \(rssi.rawValue)"
      case .read(let target): "read \(name(target)) \(bytes)"
      case .shared(let target): "share \(name(target)) \(bytes)"
      case .heraldDetected(let target): "detectHerald \(name(target))"
      case .lost(let target): "delete \(name(target))"
      case .txPower(let target, let power): "txPower \(name(target)) \(power)"
      case .received(let target): "received \(name(target)) \(bytes)"
      case .model(let target): "model \(name(target)) \(bytes)"
      case .observed(let target, let service): "observed \(name(target)) \(service.rawValue) \(bytes)"
      case .ownCode(let service): "ownCode \(service.rawValue) \(bytes)"
      case .visited(let target, let first, let last): "visited \(name(target)) \(first) \(last)"
      case .ownPayload: "own \(bytes)"
      case .motion(let state): "motion \(state)"
      case .battery(let level, _): "battery \(level)"
      case .started(let reason): "started \(reason)"
      case .restarted: "restarted \(bytes)"
      case .clockSet(let milliseconds, _): "clock \(milliseconds)"
      case .dropped(let count): "dropped \(count)"
      }
    return "\(record.at.milliseconds) \(what)"
  }

  static func name(_ target: TargetIdentity) -> String {
    switch target {
    case Peer.androidIdentity: "android"
    case TargetIdentity(Peer.iPhone): "iPhone"
    default: String(target.low, radix: 16)
    }
  }
}
