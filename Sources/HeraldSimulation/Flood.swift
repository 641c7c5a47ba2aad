import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldHCI

/// The advertising data of a flood of generated advertisements.
public enum FloodKind: String, CaseIterable, Sendable {
  /// Herald's short service, each with another address.
  case herald
  /// Apple's manufacturer data, as of phones on which Herald may run in the background, each with another
  /// address.
  case apple
  /// No Herald data, each with another address.
  case plain
  /// Herald's short service and the same pseudo device address, each with another address.
  case sender
  /// Herald's short service, three advertisements with each address.
  case triple

  var data: [UInt8] {
    switch self {
    case .herald, .triple: [2, 1, 6, 3, 3, 0xF6, 0xFC]
    case .apple: [2, 1, 0x1A, 2, 0x0A, 0x0C, 0x0B, 0xFF, 0x4C, 0x00, 0x10, 0x06, 0x13, 0x1A, 1, 2, 3, 4]
    case .plain: [2, 1, 6, 5, 9, 0x61, 0x62, 0x63, 0x64]
    case .sender: [2, 1, 6, 3, 3, 0xF6, 0xFC, 9, 0xFF, 0xFA, 0xFF, 1, 2, 3, 4, 5, 6]
    }
  }
}

/// The parameters of a simulated flood.
public struct FloodConfiguration: Sendable {
  /// The kind of the flood; `nil` for none.
  public var kind: FloodKind?
  /// The duration of the flood in seconds.
  public var seconds = 3600
  /// Generated advertisements per second, 1…1,000.
  public var perSecond = 1000
  /// The time in seconds from switching on to the start of the flood: a multiple of 30.
  public var secondsBefore = 1800
  /// The number of peers that are detected and read in that time.
  public var contacts = 40
  /// The number of these peers that are present during the flood. Each is received every 2.4 s on average, as
  /// with the default scan timing.
  public var residents = 10
  /// The number of 4 KB pages in the device's flash.
  public var flashPages = 40
  /// The seed: equal seeds give equal histories.
  public var seed: UInt64 = 1

  /// Creates the parameters of an hour without a flood, with a log of 160 KB.
  public init() {}
}

/// The results of a flood.
public struct FloodOutcome: Equatable, Sendable {
  /// The number of peers whose payloads were read before the flood.
  public var contacts = 0
  /// The number of those of which every record is still in its page of the log.
  public var contactsKept = 0
  /// The number of 30 s windows of the peers that were present throughout.
  public var windows = 0
  /// The number of those windows with at least one reading.
  public var windowsWithReading = 0
  /// The time in seconds from the arrival, during the flood, of a peer that advertises four times a second to
  /// its first reading; `nil` if there is none.
  public var arrivalSeconds: Double?
  /// The same time for a peer that is received once a second and opens a connection to the device five
  /// seconds after its arrival.
  public var callerSeconds: Double?
  /// The number of flash pages erased during the flood.
  public var erasures = 0
  /// Advertisements of unknown addresses that were refused, as counted by the device.
  public var strangersRefused: UInt32 = 0
  /// Readings of unknown addresses that were refused, as counted by the device.
  public var readingsRefused: UInt32 = 0
  /// The number of lost events recorded in the log.
  public var dropped: UInt64 = 0
}

/// A device with 64 targets and earlier contacts that then receives a flood of generated advertisements,
/// simulated from HCI advertising reports to the pages of the log. Generated addresses do not respond.
public final class Flood {
  typealias Node = HeraldNode<
    HCIRadio<SimulatedController, 4>,
    PartList<MemoryFlash, SeededRandom, FixedPayloadSupplier, FloodRecorder, HeraldGATTTable>,
    64, 4,
    4
  >

  /// The upper 16 bits of the addresses of the present peers.
  static var presentHigh: UInt16 { 0x5A00 }
  private static var arrival: Int { 1000 }
  private static var connectingPeer: Int { 1001 }

  private let configuration: FloodConfiguration
  private let image: FlashImage
  private var node: Node
  private var random: SeededRandom
  private var now: UInt64 = 0
  private let present = FloodKind.herald.data
  /// The time, in milliseconds, at which each present peer is received next.
  private var due: [(peer: Int, at: UInt64, period: UInt32)] = []

  /// Creates a device that is switched off.
  public init(_ configuration: FloodConfiguration) {
    self.configuration = configuration
    random = SeededRandom(seed: configuration.seed)
    image = FlashImage(pageSize: 4096, pageCount: configuration.flashPages, wordSize: 4)
    node = Node(
      radio: HCIRadio(transport: SimulatedController()), flash: MemoryFlash(image),
      random: SeededRandom(seed: configuration.seed &+ 1),
      supplier: FixedPayloadSupplier(country: 826, state: 0, clientIdentifier: 1), delegate: FloodRecorder())
    node.radio.transport.answeringHigh = Self.presentHigh
  }

  private static func address(_ peer: Int) -> DeviceAddress {
    DeviceAddress(high: presentHigh, low: UInt32(peer), kind: .random)
  }

  private func poll() {
    let moment = Instant(milliseconds: now)
    for _ in 0..<64 {
      if node.poll(at: moment) > moment { break }
    }
  }

  private func hear(_ data: [UInt8], _ address: DeviceAddress) {
    node.radio.transport.hear(data.span, from: address, rssi: Int8(-50 - Int(random.below(40))))
  }

  /// Delivers the advertisements of the present peers that are due.
  private func hearPresent() {
    for index in due.indices where due[index].at <= now {
      hear(present, Self.address(due[index].peer))
      due[index].at = now + UInt64(due[index].period / 2 + random.below(due[index].period))
    }
  }

  private func come(_ peer: Int, every period: UInt32) {
    due.append((peer, now + UInt64(random.below(period)), period))
  }

  /// The start of the flood in milliseconds.
  private var beginning: UInt64 { UInt64(configuration.secondsBefore) * 1000 }

  /// Runs the time with contacts, the flood, and 31 s after it, and evaluates the results.
  public func run() throws -> FloodOutcome {
    for peer in 0..<configuration.contacts { come(peer, every: 2400) }
    while now < beginning {
      now += 50
      hearPresent()
      poll()
    }
    var outcome = FloodOutcome()
    let before = try node.core.log.committedPages()
    let erased = image.erasures.reduce(0, +)
    due.removeAll { $0.peer >= configuration.residents }
    node.core.delegate = FloodRecorder()
    rain()
    // The log records lost events twice a minute.
    let quiet = now + 31_000
    while now < quiet {
      now += 50
      hearPresent()
      poll()
    }
    outcome.erasures = image.erasures.reduce(0, +) - erased
    outcome.strangersRefused = node.core.counter(.strangersRefused)
    outcome.readingsRefused = node.core.counter(.readingsRefused)
    let windows = configuration.seconds / 30
    let firstWindow = configuration.secondsBefore / 30
    for peer in 0..<configuration.residents {
      outcome.windows += windows
      outcome.windowsWithReading +=
        node.core.delegate.windows(of: peer).filter { $0 - firstWindow < windows }.count
    }
    let came = Double(arrivesAt)
    outcome.arrivalSeconds = node.core.delegate.first(of: Self.arrival).map { (Double($0) - came) / 1000 }
    outcome.callerSeconds = node.core.delegate.first(of: Self.connectingPeer).map {
      (Double($0) - came) / 1000
    }
    judge(before, try node.core.log.committedPages(), &outcome)
    return outcome
  }

  private var arrivesAt: UInt64 { beginning + UInt64(configuration.seconds) * 250 }

  private func rain() {
    let start = now
    let end = start + UInt64(configuration.seconds) * 1000
    var sent: UInt64 = 0
    var made = DeviceAddress.zero
    let data = configuration.kind?.data ?? []
    while now < end {
      now += 5
      if let kind = configuration.kind {
        while sent < (now - start) * UInt64(configuration.perSecond) / 1000 {
          if kind != .triple || sent % 3 == 0 {
            // Resolvable private addresses, as phones have.
            let high = UInt16(truncatingIfNeeded: random.next() & 0x3FFF | 0x4000)
            made = DeviceAddress(
              high: high == Self.presentHigh ? 0x4000 : high, low: random.next(), kind: .random)
          }
          hear(data, made)
          sent += 1
        }
      }
      if now == arrivesAt {
        come(Self.arrival, every: 250)
        come(Self.connectingPeer, every: 1000)
      }
      if now == arrivesAt + 5000 { node.radio.transport.open(from: Self.address(Self.connectingPeer)) }
      if now == arrivesAt + 6000 { node.radio.transport.close() }
      hearPresent()
      poll()
    }
  }

  private func judge(_ before: [MemoryLogPage], _ after: [MemoryLogPage], _ outcome: inout FloodOutcome) {
    let later = Dictionary(uniqueKeysWithValues: after.map { ($0.sequence, $0.bytes) })
    var contacts: Set<TargetIdentity> = []
    var lost: Set<TargetIdentity> = []
    for page in before {
      let isKept = later[page.sequence]?.starts(with: page.bytes) ?? false
      Self.records(of: page) { event in
        switch event {
        case .read(let identity): contacts.insert(identity)
        default: break
        }
        if !isKept, let identity = Self.target(of: event) { lost.insert(identity) }
      }
    }
    outcome.contacts = contacts.count
    outcome.contactsKept = contacts.subtracting(lost).count
    for page in after {
      Self.records(of: page) { event in
        if case .dropped(let count) = event { outcome.dropped += UInt64(count) }
      }
    }
  }

  private static func target(of event: LogEvent) -> TargetIdentity? {
    switch event {
    case .detected(let target), .measured(let target, _), .read(let target), .heraldDetected(let target),
      .lost(let target):
      target
    default: nil
    }
  }

  private static func records(of page: MemoryLogPage, _ body: (LogEvent) -> Void) {
    guard var decoder = LogPageDecoder(page.bytes.span) else { return }
    var payload = [UInt8](repeating: 0, count: LogEvent.maximumBytes)
    var buffer = payload.mutableSpan
    while let record = decoder.next(payload: &buffer) { body(record.event) }
  }
}

/// Records the times at which the present peers were received.
struct FloodRecorder: SensorDelegate {
  private var heard: [UInt32: Set<Int>] = [:]
  private var firsts: [UInt32: UInt64] = [:]

  mutating func didMeasure(_ target: TargetIdentity, _ rssi: RSSI, at now: Instant) {
    guard target.high == Flood.presentHigh else { return }
    heard[target.low, default: []].insert(Int(now.milliseconds / 30_000))
    if firsts[target.low] == nil { firsts[target.low] = now.milliseconds }
  }

  /// The 30 s windows since start-up in which a peer was received.
  func windows(of peer: Int) -> Set<Int> { heard[UInt32(peer)] ?? [] }

  /// The time at which a peer was first received, in milliseconds.
  func first(of peer: Int) -> UInt64? { firsts[UInt32(peer)] }
}
