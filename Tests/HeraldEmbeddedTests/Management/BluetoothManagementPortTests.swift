import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import Testing

/// A port of 40 bytes, and what is written to it.
private struct Writes: ~Copyable {
  var port = BluetoothManagementPort<40>()
  var now = Instant.start + .seconds(10)

  init() { port.isOpen = true }

  mutating func write(_ bytes: [UInt8], on connection: Int = 0) {
    port.receive(bytes.span, on: ConnectionID(index: connection), at: now)
  }

  mutating func take(room: Int = 40) -> [UInt8] {
    var packet = [UInt8](repeating: 0xEE, count: room)
    var span = packet.mutableSpan
    let count = port.take(into: &span)
    return Array(packet[..<count])
  }

  /// Packets, dropped, refused, clients.
  var counts: [UInt32] { mutating get { (0..<4).map { port.statistic($0) } } }
}

@Suite("Requests of the management link over Bluetooth")
struct BluetoothManagementPortTests {
  /// Echo of "hi!": SMP header (write, version 2, seven bytes, group 0, sequence 5, command 0), {"d": "hi!"}.
  private let echo = hex("0A000007 0000 0500 A1 61 64 63 686921")

  @Test("a request in one write, and one in many, the first of which is the header")
  func reassembly() {
    var writes = Writes()
    writes.write(echo)
    #expect(writes.take() == echo)
    writes.write(Array(echo[..<8]))
    for byte in echo[8...] {
      #expect(writes.take() == [])
      writes.write([byte])
    }
    #expect(writes.take() == echo)
    #expect(writes.take() == [])
    #expect(writes.counts == [2, 0, 0, 1])
  }

  @Test("requests wait in their order, and one without room is dropped as a whole")
  func queue() {
    var writes = Writes()
    let second = hex("0A000007 0000 0600 A1 61 64 63 686922")
    writes.write(echo)
    writes.write(second)
    // 30 of 40 bytes are in use. The rest of what is dropped is no request.
    writes.write(Array(echo[..<12]))
    writes.write(Array(echo[12...]))
    #expect(writes.counts == [2, 1, 0, 1])
    #expect(writes.take() == echo)
    writes.write(echo)
    #expect(writes.take() == second)
    #expect(writes.take() == echo)
    #expect(writes.take() == [])
  }

  @Test("a request that is longer than there is room is dropped, with its last byte")
  func tooLong() {
    var writes = Writes()
    let long = hex("0A000021 0000 0500") + [UInt8](repeating: 0x0A, count: 33)
    writes.write(Array(long[..<20]))
    writes.write(Array(long[20..<40]))
    writes.write(Array(long[40...]))
    writes.write(echo)
    #expect(writes.take() == echo)
    #expect(writes.counts == [1, 1, 0, 1])
    // One that fits exactly.
    let longest = hex("0A000020 0000 0500") + [UInt8](repeating: 0x0A, count: 32)
    writes.write(longest)
    #expect(writes.take(room: 39) == [])
    writes.write(longest)
    #expect(writes.take() == longest)
    #expect(writes.counts == [3, 2, 0, 1])
  }

  @Test("bytes behind the end of a request: the request is dropped, and the next write begins another")
  func behindTheEnd() {
    var writes = Writes()
    writes.write(echo + [0])
    #expect(writes.take() == [])
    writes.write(Array(echo[..<12]))
    writes.write(Array(echo[12...]) + [0])
    #expect(writes.take() == [])
    writes.write(echo)
    #expect(writes.take() == echo)
    #expect(writes.counts == [1, 2, 0, 1])
  }

  @Test("what begins no request is dropped with all that follows, until nothing was received for a second")
  func garbage() {
    for start in ["0A000007 0000 05", "8A000007 0000 0500", "0C000000 0000 0500", "00"] {
      var writes = Writes()
      writes.write(hex(start))
      writes.write(echo)
      #expect(writes.take() == [])
      writes.now = writes.now + .milliseconds(1000)
      writes.write(echo)
      #expect(writes.take() == [])
      writes.now = writes.now + .milliseconds(1001)
      writes.write(echo)
      #expect(writes.take() == echo, "\(start)")
      #expect(writes.counts == [1, 1, 0, 1])
    }
  }

  @Test("half a request is given up after a second, and does not become part of another")
  func halfOpen() {
    var writes = Writes()
    writes.write(Array(echo[..<12]))
    writes.now = writes.now + .milliseconds(1001)
    writes.write(echo)
    #expect(writes.take() == echo)
    #expect(writes.take() == [])
    #expect(writes.counts == [1, 1, 0, 1])
  }

  @Test("one client at a time: another connection is refused until the client's has ended")
  func oneClient() {
    var writes = Writes()
    #expect(writes.port.session == 0)
    writes.write(Array(echo[..<12]), on: 2)
    let first = writes.port.session
    #expect(first != 0 && writes.port.client == ConnectionID(index: 2))
    writes.write(echo, on: 1)
    writes.port.closed(ConnectionID(index: 1))
    writes.write(Array(echo[12...]), on: 2)
    #expect(writes.take() == echo)
    writes.write(echo, on: 2)
    writes.write(Array(echo[..<12]), on: 2)
    writes.port.closed(ConnectionID(index: 2))
    #expect(writes.take() == [] && writes.port.session == 0 && writes.port.client == nil)
    writes.write(echo, on: 1)
    #expect(writes.take() == echo && writes.port.session != first && writes.port.session != 0)
    #expect(writes.counts == [3, 0, 1, 2])
  }

  @Test("a closed service has no client")
  func closed() {
    var writes = Writes()
    writes.port.isOpen = false
    writes.write(echo)
    #expect(writes.port.session == 0 && writes.take() == [] && writes.counts == [0, 0, 0, 0])
  }

  @Test("random writes neither trap nor yield a packet that differs from the length in its header")
  func fuzz() {
    var generator = ScenarioRandom()
    var writes = Writes()
    for _ in 0..<20_000 {
      let number = generator.next()
      switch number % 16 {
      case 0: writes.port.closed(ConnectionID(index: Int(number >> 8) % 3))
      case 1: writes.now = writes.now + .milliseconds((number >> 8) % 2000)
      case 2, 3:
        let packet = writes.take()
        #expect(packet.isEmpty || packet.count == 8 + Int(packet[2]) << 8 + Int(packet[3]))
      case 4, 5, 6: writes.write(echo, on: Int(number >> 8) % 2)
      default:
        let start: [UInt8] = [0x0A, 0, 0, UInt8((number >> 16) % 50), 0, 0, 0, 0]
        writes.write(Array((start + echo).prefix(Int(number >> 8) % 20)), on: Int(number >> 24) % 2)
      }
    }
    #expect(writes.counts[0] > 100)
  }
}
