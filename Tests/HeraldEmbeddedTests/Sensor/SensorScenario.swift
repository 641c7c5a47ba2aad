import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import Testing

/// What happened, in words, as several delegates wrote it down.
final class Trace {
  var lines: [String] = []
  func take() -> [String] {
    defer { lines = [] }
    return lines
  }
}

/// A delegate that writes down every event, under its own name.
struct Tracer: SensorDelegate {
  let name: String
  let trace: Trace

  init(_ name: String, _ trace: Trace) {
    self.name = name
    self.trace = trace
  }

  private func write(_ what: String) { trace.lines.append("\(name) \(what)") }
  private func text(_ bytes: Span<UInt8>) -> String {
    (0..<bytes.count).map { (bytes[$0] < 16 ? "0" : "") + String(bytes[$0], radix: 16) }.joined()
  }

  mutating func didDetect(_ target: TargetIdentity, at now: Instant) {
    write("detect \(Scenario.name(target))")
  }
  mutating func didMeasure(_ target: TargetIdentity, _ rssi: RSSI, at now: Instant) {
    write("measure \(Scenario.name(target)) \(rssi.rawValue)")
  }
  mutating func didRead(_ target: TargetIdentity, _ payload: Span<UInt8>, known: Bool, at now: Instant) {
    write("read \(Scenario.name(target)) \(text(payload))")
  }
  mutating func didMeasureWithPayload(
    _ target: TargetIdentity, _ rssi: RSSI, payloadDigest: UInt64, at now: Instant
  ) { write("measure with payload \(Scenario.name(target)) \(rssi.rawValue)") }
  mutating func didShare(_ sharer: TargetIdentity, _ payloads: Span<UInt8>, at now: Instant) {
    write("share \(Scenario.name(sharer)) \(text(payloads))")
  }
  mutating func didReceive(_ sender: TargetIdentity, _ message: Span<UInt8>, at now: Instant) {
    write("receive \(Scenario.name(sender)) \(text(message))")
  }
  mutating func didVisit(_ visit: Visit, at now: Instant) {
    write("visit \(Scenario.name(visit.venue)) \(visit.begin.milliseconds) \(visit.end.milliseconds)")
  }
  mutating func didReadModel(_ target: TargetIdentity, _ model: Span<UInt8>, at now: Instant) {
    write("model \(Scenario.name(target)) \(text(model))")
  }
  mutating func didObserve(
    _ target: TargetIdentity, _ service: ServiceNumber, _ code: Span<UInt8>, at now: Instant
  ) { write("observe \(Scenario.name(target)) \(service.rawValue) \(text(code))") }
  mutating func didChangeTxPower(_ target: TargetIdentity, _ dBm: Int8, at now: Instant) {
    write("power \(Scenario.name(target)) \(dBm)")
  }
  mutating func didLose(_ target: TargetIdentity, at now: Instant) { write("lose \(Scenario.name(target))") }
  mutating func didUpdateState(_ state: SensorState, at now: Instant) { write("state \(state)") }
}

/// A device with any delegate under a mock radio, among peers that answer by themselves.
final class SensorScenario<Delegate: SensorDelegate & ~Copyable> {
  typealias Node = HeraldNode<
    MockRadio,
    PartList<MemoryFlash, ScenarioRandom, ScriptedSupplier, Delegate, HeraldGATTTable>, 16, 4, 4
  >
  var node: Node
  private(set) var now: Instant = .start
  /// What a peer at an address has to offer. A peer without is there and never answers.
  var payloads: [DeviceAddress: [UInt8]] = [:]
  private var next: Instant = .start

  init(
    _ delegate: @autoclosure () -> Delegate,
    flash: consuming MemoryFlash = MemoryFlash(pageSize: 4096, pageCount: 16, wordSize: 4),
    _ configure: (inout HeraldConfiguration) -> Void = { _ in }
  ) {
    var configuration = HeraldConfiguration.steady
    configure(&configuration)
    node = Node(
      radio: MockRadio(), flash: flash, random: ScenarioRandom(),
      supplier: ScriptedSupplier([0x08, 1, 0, 2, 0, 3, 0, 0, 0, 0, 0, 0, 0]), delegate: delegate(),
      configuration: configuration)
    poll()
  }

  /// Polls until nothing more is to be done at this moment; peers do their part.
  func poll() {
    for _ in 0..<400 {
      next = node.poll(at: now)
      let hadWork = answer()
      if next > now, !hadWork { return }
    }
    Issue.record("the node wants to be polled for ever at \(now.milliseconds) ms")
  }

  /// Lets time pass, polling whenever the node asks for it.
  func run(to milliseconds: UInt64) {
    let end = Instant(milliseconds: milliseconds)
    poll()
    while next <= end {
      now = max(now, next)
      poll()
    }
    now = end
    poll()
  }

  /// A peer is heard, now.
  func hear(_ address: DeviceAddress, rssi: Int8 = -50, _ data: [UInt8] = hex("02 01 06 03 03 F6 FC")) {
    node.radio.happen(.advertisement(address, RSSI(rssi), .connectable.union(.legacy), data))
    poll()
  }

  /// A peer is heard at each of these times.
  func hear(_ address: DeviceAddress, at times: some Sequence<UInt64>) {
    for time in times {
      run(to: time)
      hear(address)
    }
  }

  private var called: DeviceAddress?

  /// What peers do about the commands since the last look: those with a payload take connections and answer.
  private func answer() -> Bool {
    var hadWork = false
    for command in node.radio.takeCommands() {
      switch command {
      case .connect(let address, _):
        guard payloads[address] != nil else { continue }
        called = address
        hadWork = true
        node.radio.happen(.opened(ConnectionID(index: 0), .central, peer: address))
      case .disconnect: hadWork = true
      case .send(let request, let connection):
        guard let called, let payload = payloads[called] else { continue }
        hadWork = true
        node.radio.happen(.pdu(Self.reply(to: request, payload), on: connection))
      default: break
      }
    }
    return hadWork
  }

  private static func reply(to request: [UInt8], _ payload: [UInt8]) -> [UInt8] {
    func piece(_ offset: Int) -> [UInt8] { Array(payload.dropFirst(offset).prefix(246)) }
    return switch request[0] {
    case 0x02: hex("03 F7 00")
    case 0x06: hex("07 28 00 2C 00")
    case 0x08:
      hex("09 15 29 00 08 2A 00 \(Peer.signalUUID) 2B 00 02 2C 00 \(Peer.payloadUUID)")
    case 0x0A: [0x0B] + piece(0)
    case 0x0C: [0x0D] + piece(Int(request[3]) | Int(request[4]) << 8)
    default: [0x01, request[0], 0, 0, 0x06]
    }
  }

  /// The log so far: time, event, bytes.
  func records() -> [PlainRecord] {
    node.core.log.commit()
    return node.core.log.records()
  }
}

/// An address with this number.
func peer(_ number: UInt32) -> DeviceAddress { DeviceAddress(high: 0x7000, low: number, kind: .random) }
