import HeraldSimulation
import Testing

@testable import HeraldEmbedded

@Suite("Coordinator: fewer buffers for payloads than connections")
struct FewBuffersStories {
  private typealias Node = HeraldNode<
    MockRadio, MemoryFlash, StoryRandom, ScriptedSupplier, Recorder, NoNeighbours, 8, 4, 2
  >

  private static func ask(_ node: inout Node, _ request: String, on index: Int) -> [[UInt8]] {
    node.radio.happen(.pdu(hex(request), on: ConnectionID(index: index)))
    _ = node.poll(at: .start)
    return node.radio.takeCommands().compactMap { if case .answer(let bytes, _) = $0 { bytes } else { nil } }
  }

  @Test(
    "Of three peers that read our payload in pieces the third has to come again, and is served once another is through"
  )
  func readers() {
    let payload = (0..<30).map { UInt8($0) }
    var node = Node(
      radio: MockRadio(capabilities: MockRadio.usualCapabilities),
      flash: MemoryFlash(pageSize: 4096, pageCount: 16, wordSize: 4), random: StoryRandom(),
      supplier: ScriptedSupplier(payload), delegate: Recorder())
    for _ in 0..<20 { _ = node.poll(at: .start) }
    for index in 0..<3 {
      node.radio.happen(.opened(ConnectionID(index: index), .peripheral, peer: Peer.iPhone))
    }
    _ = node.poll(at: .start)
    _ = node.radio.takeCommands()
    let first = [0x0B] + payload[..<22]
    #expect(Self.ask(&node, "0A 10 00", on: 0) == [first])
    #expect(Self.ask(&node, "0A 10 00", on: 1) == [first])
    // Insufficient Resources.
    #expect(Self.ask(&node, "0A 10 00", on: 2) == [hex("01 0A 10 00 11")])
    #expect(Self.ask(&node, "0C 10 00 16 00", on: 0) == [[0x0D] + payload[22...]])
    #expect(Self.ask(&node, "0A 10 00", on: 2) == [first])
    // Who asks once more for what is behind the end is answered, too, when there is room for that.
    #expect(Self.ask(&node, "0C 10 00 16 00", on: 1) == [[0x0D] + payload[22...]])
    #expect(Self.ask(&node, "0C 10 00 1E 00", on: 1) == [[0x0D]])
    #expect(node.core.counter(.payloadsServed) == 3)
  }

  @Test("What we want to do takes its buffer from a peer that reads our payload; what peers want does not")
  func priority() {
    var pool = PayloadPool<2>()
    let claimed = [
      pool.claim(ConnectionID(index: 0), .serving), pool.claim(ConnectionID(index: 1), .hearing),
      pool.claim(ConnectionID(index: 2), .serving), pool.claim(ConnectionID(index: 2), .hearing),
      pool.claim(ConnectionID(index: 2), .reading), pool.find(ConnectionID(index: 0), .serving),
      pool.claim(ConnectionID(index: 3), .signalling),
    ]
    #expect(claimed == [0, 1, nil, nil, 0, nil, nil])
  }
}
