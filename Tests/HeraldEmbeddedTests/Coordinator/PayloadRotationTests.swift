import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import Testing

/// When day 0 of the phones' key schedule begins.
private let epoch: UInt64 = 1_600_905_600

/// A device with the simple payload under a mock radio, whose date is known from the start.
private final class RotatingDevice {
  typealias Node = HeraldNode<
    MockRadio,
    PartList<
      MemoryFlash, ScenarioRandom, SimplePayloadSupplier<InlineMatchingKeys<4>>, Recorder,
      HeraldGATTTable
    >,
    8, 4, 4
  >
  var node: Node
  private var now: Instant = .start

  /// Starts at this many seconds of day 0, with the keys of day 0 of the secret of zeros.
  init(second: UInt64) throws {
    let keys = try matchingKeys(first: 0, last: 0)
    node = Node(
      radio: MockRadio(), flash: MemoryFlash(pageSize: 4096, pageCount: 16, wordSize: 4),
      random: ScenarioRandom(),
      supplier: SimplePayloadSupplier(store: InlineMatchingKeys<4>()), delegate: Recorder())
    node.core.values.supplier.configure(country: 826, state: 0)
    try node.core.values.supplier.store.provide(firstDay: 0, keys: keys.span)
    node.core.values.supplier.keysChanged()
    let isTaken = node.core.setClock(unixMilliseconds: (epoch + second) * 1000, at: now, source: .host)
    #expect(isTaken)
    poll()
  }

  @discardableResult
  func poll() -> Instant {
    for _ in 0..<200 {
      let next = node.poll(at: now)
      if next > now { return next }
    }
    Issue.record("the node wants to be polled for ever at \(now.milliseconds) ms")
    return .never
  }

  /// Lets time pass until `milliseconds` after the start, polling whenever the node asks for it.
  func run(until milliseconds: UInt64) {
    let end = Instant(milliseconds: milliseconds)
    while true {
      let next = poll()
      guard next <= end else { break }
      now = next
    }
    now = end
    poll()
  }

  /// The addresses under which advertising was started since the last look.
  func starts() -> [DeviceAddress] {
    node.radio.takeCommands().compactMap {
      if case .startAdvertising(let parameters, _, _) = $0 { parameters.ownAddress } else { nil }
    }
  }

  /// What a peer that connects now reads.
  func read() -> [UInt8] {
    node.radio.happen(.opened(ConnectionID(index: 0), .peripheral, peer: Peer.iPhone))
    node.radio.happen(.pdu(hex("02 F7 00"), on: ConnectionID(index: 0)))
    node.radio.happen(.pdu(hex("0A 10 00"), on: ConnectionID(index: 0)))
    poll()
    node.radio.happen(.closed(ConnectionID(index: 0), .remoteUserTerminated))
    let answers: [[UInt8]] = node.radio.takeCommands().compactMap {
      if case .answer(let bytes, _) = $0 { bytes } else { nil }
    }
    poll()
    _ = node.radio.takeCommands()
    return answers.last ?? []
  }
}

@Suite("Coordinator: payload rotation")
struct PayloadRotationTests {
  /// Of the first and second six minutes of day 0, and of its last: the published identifiers of the secret
  /// of zeros.
  private let first = hex("0B 10 3A03 0000 e2cfbeb32de932c9171c658b5f57a337")
  private let second = hex("0B 10 3A03 0000 d7f8ef992e35091fed00b9c47dcfe398")
  private let last = hex("0B 10 3A03 0000 8c9a22759b2a87ff41a9391e8d390f35")

  @Test(
    "HP-03 HP-14 At the end of the six minutes advertising starts once, under a new address, and from then on the new payload is read"
  )
  func boundary() throws {
    let device = try RotatingDevice(second: 350)
    let old = device.node.core.ownAddress
    #expect(device.starts() == [old])
    #expect(device.read() == first)
    device.run(until: 9_999)
    #expect(device.starts() == [])
    #expect(device.read() == first)
    device.run(until: 10_000)
    let new = device.node.core.ownAddress
    #expect(new != old)
    #expect(device.starts() == [new])
    #expect(device.node.radio.advertising?.ownAddress == new)
    #expect(device.node.radio.scanning?.ownAddress == new)
    #expect(device.read() == second)
    device.run(until: 369_999)
    #expect(device.starts() == [])
    #expect(device.read() == second)
    device.run(until: 370_000)
    #expect(device.starts() == [device.node.core.ownAddress])
    #expect(device.node.core.ownAddress != new)
    #expect(device.node.radio.violations.isEmpty)
  }

  @Test(
    "HP-14 A payload held back at the boundary stays with its address until it is let go; then both change in one step"
  )
  func heldBack() throws {
    let device = try RotatingDevice(second: 350)
    let old = device.node.core.ownAddress
    _ = device.starts()
    device.node.core.holdsRotation = true
    device.run(until: 60_000)
    #expect(device.starts() == [])
    #expect(device.read() == first)
    #expect(device.node.core.ownAddress == old)
    device.node.core.holdsRotation = false
    device.run(until: 60_001)
    #expect(device.starts() == [device.node.core.ownAddress])
    #expect(device.node.core.ownAddress != old)
    #expect(device.read() == second)
    // The boundaries stay where they are.
    device.run(until: 369_999)
    #expect(device.starts() == [])
    device.run(until: 370_000)
    #expect(device.starts().count == 1)
  }

  @Test("When the last day's keys are over nothing more is advertised, and no payload is repeated")
  func windowEnds() throws {
    let device = try RotatingDevice(second: 86_390)
    #expect(device.read() == last)
    #expect(device.node.radio.advertising != nil)
    device.run(until: 10_000)
    #expect(device.node.radio.advertising == nil)
    // Insufficient resources: there is no payload.
    #expect(device.read() == hex("01 0A 10 00 11"))
    device.run(until: 3_600_000)
    #expect(device.node.radio.advertising == nil)
    #expect(device.starts() == [])
  }

  @Test("HP-48 Each payload of our own is in the log when it comes to be offered, once")
  func ownPayloadLogged() {
    let scenario = Scenario(payload: hex("08 01"))
    scenario.run(seconds: 1000)
    scenario.node.core.values.supplier.bytes = hex("08 02")
    scenario.run(seconds: 1900)
    let own = scenario.log().compactMap { $0.contains(" own ") ? String($0.suffix(9)) : nil }
    #expect(own == ["own 08 01", "own 08 02"])
  }
}
