import HeraldBluetooth
import HeraldHAL
import HeraldHCI

@testable import HeraldEmbedded
@testable import HeraldSimulation

/// A `SimulatedController` with peers around it, behind a line that delays every packet of the host.
final class SlowController {
  private var controller = SimulatedController()
  /// The simulated time in milliseconds.
  var now = 0
  /// How long the line takes for a packet of the host.
  private let delay: Int
  private var packets: [(due: Int, bytes: [UInt8])] = []
  private(set) var isScanning = false
  /// The time in ms for which it has scanned so far.
  private(set) var scanned = 0

  init(delay: Int, answeringHigh: UInt16) {
    self.delay = delay
    controller.answeringHigh = answeringHigh
  }

  /// Takes a packet of the host.
  func write(_ packet: Span<UInt8>) {
    packets.append((now + delay, packet.indices.map { packet[$0] }))
    pass()
  }

  func read(into buffer: inout MutableSpan<UInt8>) -> Int { controller.read(into: &buffer) }

  var isIdle: Bool { controller.isIdle }

  /// Hands over the packets that have arrived by now.
  func pass() {
    while let first = packets.first, first.due <= now {
      packets.removeFirst()
      // LE Set Scan Enable
      if first.bytes.starts(with: [0x01, 0x0C, 0x20]) { isScanning = first.bytes[4] == 1 }
      _ = controller.write(first.bytes.span)
    }
  }

  /// A millisecond has passed.
  func tick() {
    if isScanning { scanned += 1 }
    now += 1
    pass()
  }

  /// An advertisement of a peer, which is received only while the controller scans.
  func hear(_ data: [UInt8], from address: DeviceAddress) -> Bool {
    if isScanning { controller.hear(data.span, from: address, rssi: -60) }
    return isScanning
  }
}

/// The host's end of the line.
struct SlowLine: ControllerTransport, ~Copyable {
  let controller: SlowController
  static var readsAll: Bool { true }
  mutating func read(into buffer: inout MutableSpan<UInt8>) -> Int { controller.read(into: &buffer) }
  mutating func write(_ packet: Span<UInt8>) -> Bool {
    controller.write(packet)
    return true
  }
}

/// A device with `HCIRadio` on a `SlowController`, and peers that advertise every 250 ms.
final class SlowRoom {
  typealias Node = HeraldNode<
    HCIRadio<SlowLine, 4>,
    PartList<MemoryFlash, SeededRandom, FixedPayloadSupplier, NoDelegate, HeraldGATTTable>, 64,
    4, 4
  >

  let controller: SlowController
  var node: Node
  private var random: SeededRandom
  /// The next event of each peer in µs, and its delays; `nil` if these are random.
  private var peers: [(next: Int, rhythm: AdvertisingRhythm?)] = []
  /// How many of 100 events are lost.
  private let loss: UInt32
  /// When each peer was received last, in ms; and the longest time that one was not, since `forget`.
  private var heardAt: [Int]
  private(set) var longest = 0
  private var due = 0

  init(peers count: Int, isRandom: Bool, delay: Int, seed: UInt64, loss: UInt32 = 3) {
    controller = SlowController(delay: delay, answeringHigh: 0xC000)
    self.loss = loss
    random = SeededRandom(seed: seed)
    node = Node(
      radio: HCIRadio(transport: SlowLine(controller: controller)),
      flash: MemoryFlash(FlashImage(pageSize: 4096, pageCount: 4, wordSize: 8)),
      random: SeededRandom(seed: seed + 1000),
      supplier: FixedPayloadSupplier(country: 826, state: 0, clientIdentifier: 1_234_567_890),
      delegate: NoDelegate())
    heardAt = Array(repeating: 0, count: count)
    for number in 0..<count {
      var rhythm = AdvertisingRhythm()
      rhythm.follow(Self.address(number), chance: random.next())
      peers.append((Int(random.below(250_000)), isRandom ? nil : rhythm))
    }
  }

  static func address(_ peer: Int) -> DeviceAddress {
    DeviceAddress(high: 0xC000, low: UInt32(peer + 1), kind: .random)
  }

  /// Lets time pass.
  func run(seconds: Int) {
    for _ in 0..<(seconds * 1000) {
      var hasNews = false
      for peer in peers.indices where peers[peer].next / 1000 <= controller.now {
        if random.below(100) >= loss, controller.hear([2, 1, 6, 3, 3, 0xF6, 0xFC], from: Self.address(peer)) {
          hasNews = true
          longest = max(longest, controller.now - heardAt[peer])
          heardAt[peer] = controller.now
        }
        peers[peer].next += 250_000 + Int(peers[peer].rhythm?.next(interval: 250) ?? random.below(10_000))
      }
      if hasNews || !controller.isIdle || controller.now >= due {
        let now = Instant(milliseconds: UInt64(controller.now))
        var rounds = 0
        var next = Instant.start
        repeat {
          next = node.poll(at: now)
          rounds += 1
        } while rounds < 100 && (!controller.isIdle || next <= now)
        due = next == .never ? .max : Int(next.milliseconds)
      }
      controller.tick()
    }
  }

  /// Begins to measure anew.
  func forget() {
    longest = 0
  }

  /// How many of the peers are awaited in short windows.
  var awaited: Int {
    var count = 0
    for peer in peers.indices {
      if let place = node.core.table.find(TargetIdentity(Self.address(peer))),
        node.core.table[place].trust > 0
      {
        count += 1
      }
    }
    return count
  }
}
