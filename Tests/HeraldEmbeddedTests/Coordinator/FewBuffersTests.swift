import HeraldSimulation
import Testing

@testable import HeraldBluetooth
@testable import HeraldEmbedded
@testable import HeraldHAL

@Suite("Coordinator: fewer buffers for payloads than connections")
struct FewBuffersTests {
  private typealias Node = HeraldNode<
    MockRadio,
    PartList<MemoryFlash, ScenarioRandom, ScriptedSupplier, Recorder, HeraldGATTTable>, 8, 4, 2
  >

  /// What is offered, and the responses that it takes at the default ATT_MTU.
  private static let payload = (0..<30).map { UInt8($0) }
  private let first = [0x0B] + payload[..<22]
  private let rest = [0x0D] + payload[22...]

  private static func ask(_ node: inout Node, _ request: String, on index: Int) -> [[UInt8]] {
    node.radio.happen(.pdu(hex(request), on: ConnectionID(index: index)))
    _ = node.poll(at: .start)
    return node.radio.takeCommands().compactMap { if case .answer(let bytes, _) = $0 { bytes } else { nil } }
  }

  /// A device that offers it, to which so many peers have opened a connection.
  private static func node(peers: Int) -> Node {
    var node = Node(
      radio: MockRadio(capabilities: MockRadio.usualCapabilities),
      flash: MemoryFlash(pageSize: 4096, pageCount: 16, wordSize: 4), random: ScenarioRandom(),
      supplier: ScriptedSupplier(payload), delegate: Recorder())
    for _ in 0..<20 { _ = node.poll(at: .start) }
    for index in 0..<peers {
      node.radio.happen(.opened(ConnectionID(index: index), .peripheral, peer: Peer.iPhone))
    }
    _ = node.poll(at: .start)
    _ = node.radio.takeCommands()
    return node
  }

  @Test(
    "Of three peers that read our payload in pieces the third has to come again, and is served once another is through"
  )
  func readers() {
    var node = Self.node(peers: 3)
    #expect(Self.ask(&node, "0A 10 00", on: 0) == [first])
    #expect(Self.ask(&node, "0A 10 00", on: 1) == [first])
    // Insufficient Resources.
    #expect(Self.ask(&node, "0A 10 00", on: 2) == [hex("01 0A 10 00 11")])
    #expect(Self.ask(&node, "0C 10 00 16 00", on: 0) == [rest])
    #expect(Self.ask(&node, "0A 10 00", on: 2) == [first])
    // Who asks again for what is behind the end is answered, too, when there is room for that.
    #expect(Self.ask(&node, "0C 10 00 16 00", on: 1) == [rest])
    #expect(Self.ask(&node, "0C 10 00 1E 00", on: 1) == [[0x0D]])
    #expect(node.core.counter(.payloadsServed) == 3)
  }

  @Test(
    "A prepared write has one buffer from its first part on: others read with the other, and are told to come again like others that prepare"
  )
  func preparing() {
    var node = Self.node(peers: 3)
    #expect(Self.ask(&node, "16 0E 00 00 00 04 04 00 68", on: 0) == [hex("17 0E 00 00 00 04 04 00 68")])
    #expect(Self.ask(&node, "0A 10 00", on: 1) == [first])
    // Insufficient Resources, and Prepare Queue Full.
    #expect(Self.ask(&node, "0A 10 00", on: 2) == [hex("01 0A 10 00 11")])
    #expect(Self.ask(&node, "16 0E 00 00 00 04", on: 2) == [hex("01 16 0E 00 09")])
    // Neither who writes nor who reads notices.
    #expect(Self.ask(&node, "16 0E 00 04 00 69 6A", on: 0) == [hex("17 0E 00 04 00 69 6A")])
    #expect(Self.ask(&node, "0C 10 00 16 00", on: 1) == [rest])
    #expect(Self.ask(&node, "0A 10 00", on: 2) == [first])
    #expect(Self.ask(&node, "16 0E 00 06 00 6B", on: 0) == [hex("17 0E 00 06 00 6B")])
    #expect(Self.ask(&node, "18 01", on: 0) == [hex("19")])
    #expect(node.core.counter(.signalMessages) == 1)
    // The buffer is free again.
    #expect(Self.ask(&node, "0A 10 00", on: 1) == [first])
    #expect(Self.ask(&node, "0C 10 00 16 00", on: 2) == [rest])
  }

  @Test(
    "While two peers read in pieces a third finds no room to prepare, until one is through; who reads may prepare, and begins to read again"
  )
  func readingAndPreparing() {
    var node = Self.node(peers: 3)
    #expect(Self.ask(&node, "0A 10 00", on: 0) == [first])
    #expect(Self.ask(&node, "0A 10 00", on: 1) == [first])
    #expect(Self.ask(&node, "16 0E 00 00 00 04 01 00", on: 2) == [hex("01 16 0E 00 09")])
    #expect(Self.ask(&node, "0C 10 00 16 00", on: 0) == [rest])
    #expect(Self.ask(&node, "16 0E 00 00 00 04 01 00", on: 2) == [hex("17 0E 00 00 00 04 01 00")])
    #expect(Self.ask(&node, "18 00", on: 2) == [hex("19")])
    // The rest of the payload is made again when the write is done.
    #expect(Self.ask(&node, "0A 10 00", on: 0) == [first])
    #expect(Self.ask(&node, "16 0E 00 00 00 04 01 00", on: 1) == [hex("17 0E 00 00 00 04 01 00")])
    #expect(Self.ask(&node, "16 0E 00 03 00 68", on: 1) == [hex("17 0E 00 03 00 68")])
    #expect(Self.ask(&node, "18 01", on: 1) == [hex("19")])
    #expect(Self.ask(&node, "0C 10 00 16 00", on: 1) == [rest])
    #expect(node.core.counter(.signalMessages) == 1)
  }

  @Test("What is prepared and left for more than 30 s is dropped, counted, and its buffer free again")
  func leftPrepared() {
    var node = Self.node(peers: 1)
    #expect(Self.ask(&node, "16 0E 00 00 00 04 02 00", on: 0) == [hex("17 0E 00 00 00 04 02 00")])
    node.core.values.dropStalled(at: Instant(milliseconds: 30_000))
    #expect(node.core.counter(.signalsMalformed) == 0)
    node.core.values.dropStalled(at: Instant(milliseconds: 30_001))
    #expect(node.core.counter(.signalsMalformed) == 1)
    #expect(Self.ask(&node, "16 0E 00 03 00 68", on: 0) == [hex("01 16 0E 00 09")])
    // Unlikely Error.
    #expect(Self.ask(&node, "18 01", on: 0) == [hex("01 18 0E 00 0E")])
    #expect(Self.ask(&node, "16 0E 00 00 00 04 01 00 68", on: 0) == [hex("17 0E 00 00 00 04 01 00 68")])
    #expect(Self.ask(&node, "18 01", on: 0) == [hex("19")])
    #expect(node.core.counter(.signalMessages) == 1)
  }

  @Test("What we want to do takes its buffer from a peer that reads our payload; what peers want does not")
  func priority() {
    var pool = PayloadPool<2>()
    let claimed = [
      pool.claim(ConnectionID(index: 0), .serving), pool.claim(ConnectionID(index: 1), .receiving),
      pool.claim(ConnectionID(index: 2), .serving), pool.claim(ConnectionID(index: 2), .receiving),
      pool.claim(ConnectionID(index: 2), .reading), pool.find(ConnectionID(index: 0), .serving),
      pool.claim(ConnectionID(index: 3), .signalling),
    ]
    #expect(claimed == [0, 1, nil, nil, 0, nil, nil])
  }
}
