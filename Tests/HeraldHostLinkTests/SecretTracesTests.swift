import Foundation
import Testing

@testable import HeraldHostLink

/// What is left of a secret in the memory of this process.
@Suite("Traces of secrets", .serialized)
struct SecretTracesTests {
  /// Looks through the memory of this process. What it needs it has from the beginning, as memory that was
  /// given back is to stay as it was until it has been looked at.
  private final class Search {
    private static let size = 1 << 16
    private let regions: [Range<UInt>]
    private let memory: Int32
    private let buffer: UnsafeMutablePointer<UInt8>

    /// A search of the heap and the stacks, as they are now.
    init() throws {
      regions = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8).split(separator: "\n")
        .compactMap {
          line in
          let ends = line.prefix { $0 != " " }.split(separator: "-").compactMap {
            UInt(String($0), radix: 16)
          }
          return line.contains(" rw-p ") && ends.count == 2 ? ends[0]..<ends[1] : nil
        }
      memory = open("/proc/self/mem", O_RDONLY)
      buffer = .allocate(capacity: Self.size)
    }

    deinit {
      close(memory)
      buffer.deallocate()
    }

    /// How often a run of `length` bytes is there. `byte` describes it, so that looking for it makes no copy
    /// of it.
    func count(_ length: Int, _ byte: (Int) -> UInt8) -> Int {
      let own = UInt(bitPattern: buffer)..<UInt(bitPattern: buffer) + UInt(Self.size)
      var found = 0
      for region in regions {
        var place = region.lowerBound
        while place < region.upperBound {
          let wanted = min(Self.size, Int(region.upperBound - place))
          let read = pread(memory, buffer, wanted, off_t(place))
          guard read > length else { break }
          var offset = 0
          while let hit = memchr(buffer + offset, Int32(byte(0)), read - offset) {
            let start = Int(bitPattern: hit) - Int(bitPattern: buffer)
            offset = start + 1
            guard read - start >= length else { break }
            if own.contains(place + UInt(start)) { continue }
            var index = 1
            while index < length, buffer[start + index] == byte(index) { index += 1 }
            if index == length { found += 1 }
          }
          // A run that continues behind what was read is found in the next piece.
          place += UInt(read == wanted && wanted == Self.size ? read - length + 1 : read)
        }
      }
      explicit_bzero(buffer, Self.size)
      return found
    }
  }

  /// Takes every packet permanently, but does not know of access keys; keeps none, and calls `look` when one
  /// has been sent, before its memory is used for anything else.
  private final class Forgetful: SMPTransport {
    let location = "test"
    let window = 1
    let damagedPackets = 0
    private var head: [UInt8] = []
    private let look: () -> Void

    init(_ look: @escaping () -> Void) { self.look = look }

    func send(_ packet: [UInt8], by deadline: Deadline) throws(HostLinkError) { head = Array(packet[..<8]) }
    func receive(by deadline: Deadline) throws(HostLinkError) -> [UInt8]? {
      look()
      let body: [UInt8] = head[5] == 72 ? [0xA1, 0x62, 0x72, 0x63, 0x08] : [0xA0]
      return [head[0] + 1, 0, 0, UInt8(body.count)] + head[4..<8] + body
    }
    func close() {}
  }

  @Test("an access key that was set leaves no copy in memory")
  func accessKey() throws {
    func byte(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: index &* 41 &+ 0x9D ^ index &* index) }
    let path = NSTemporaryDirectory() + "herald-key-" + UUID().uuidString
    defer { unlink(path) }
    var bytes = (0..<32).map(byte)
    #expect(try Search().count(32, byte) > 0)
    _ = bytes.withUnsafeBytes { pointer in
      let file = open(path, O_WRONLY | O_CREAT, 0o600)
      defer { close(file) }
      return write(file, pointer.baseAddress, pointer.count)
    }
    bytes.wipe()
    let search = try Search()
    #expect(search.count(32, byte) == 0)
    var whileAsking: [Int] = []
    whileAsking.reserveCapacity(4)
    let transport = Forgetful { whileAsking.append(search.count(32, byte)) }
    let device = DeviceClient(SMPClient(transport: transport))
    do {
      let key = try AccessKey.read(path)
      // The transport proves nothing: no session follows.
      #expect(throws: HostLinkError.self) { try device.setAccessKey(key) }
      #expect(search.count(32, byte) == 1)
    }
    // When it is asked whether it is locked: the key itself. Then that, what is written, and the request,
    // which may be sent again; of the packet nothing.
    #expect(whileAsking.dropFirst().first == 3)
    #expect(search.count(32, byte) == 0)
  }

  @Test("a packet with a secret is overwritten when it is sent, and the request when it is answered")
  func packet() throws {
    func byte(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: index &* 59 &+ 0x35 ^ index &* index) }
    var value = (0..<400).map(byte)
    defer { value.wipe() }
    let search = try Search()
    var whileAsking: [Int] = []
    whileAsking.reserveCapacity(4)
    let transport = Forgetful { whileAsking.append(search.count(400, byte)) }
    try DeviceClient(SMPClient(transport: transport)).write(.accessKey, value, "to keep this")
    // What is written, and the request, which may be sent again.
    #expect(whileAsking == [2])
    #expect(search.count(400, byte) == 1)
  }
}
