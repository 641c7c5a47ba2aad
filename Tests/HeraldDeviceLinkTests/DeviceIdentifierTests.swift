import HeraldBluetooth
import HeraldDeviceLink
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import Testing

/// A board that keeps the address key among its settings.
private struct PersistentBoard: ManagedBoard, ~Copyable {
  var settings: SettingsStore<MemoryFlash>
  mutating func information(_ field: InformationField, into text: inout MutableSpan<UInt8>) -> Int { 0 }
  mutating func restart(at now: Instant) {}
}

/// Random bytes 01, 02, 03…, so that the first address key is 01 02 … 10.
private struct RisingRandom: RandomSource {
  var last: UInt8 = 0
  mutating func next() -> UInt32 {
    var word: UInt32 = 0
    for _ in 0..<4 {
      last &+= 1
      word = word >> 8 | UInt32(last) << 24
    }
    return word
  }
}

@Suite("The identifier of a device")
struct DeviceIdentifierTests {
  private typealias Device = ManagedNode<
    MockRadio,
    ManagedPartList<
      MemoryFlash, RisingRandom, StoredPayloadSupplier<129>, NoDelegate, HeraldGATTTable,
      PersistentBoard
    >, 4, 1, 1
  >

  // Python: hashlib.sha256(b"herald device 1" + bytes(range(1, 17))).digest()[:8]
  private let expected = hex("230C01CFC95E0B2B")

  private func key(_ bytes: [UInt8]) -> IdentityResolvingKey {
    var key = IdentityResolvingKey.none
    for index in 0..<16 { key.bytes[index] = bytes[index] }
    return key
  }

  @Test("is the beginning of a SHA-256, by a value computed with Python")
  func digest() {
    var identifier = DeviceIdentifier()
    identifier.derive(from: key(Array(1...16)))
    #expect((0..<8).map { identifier.bytes[$0] } == expected)
    #expect(identifier.bytes.count == 8)
  }

  @Test("is a field of the log status, and zeros without a kept address key")
  func status() {
    var device = Device(
      radio: MockRadio(), flash: MemoryFlash(FlashImage(pageSize: 512, pageCount: 3, wordSize: 4)),
      random: RisingRandom(),
      supplier: StoredPayloadSupplier(
        otherwise: FixedPayloadSupplier(country: 1, state: 0, clientIdentifier: 1)),
      delegate: NoDelegate(),
      board: PersistentBoard(
        settings: SettingsStore(
          flash: MemoryFlash(FlashImage(pageSize: 1024, pageCount: 2, wordSize: 4)))))
    var server = SMPServer()
    func ask(_ device: inout Device) -> [UInt8] {
      var buffer = hex("08000001 0048 0100 A0") + [UInt8](repeating: 0, count: 256)
      var span = buffer.mutableSpan
      let count = server.respond(to: &span, count: 9, at: .start, device: &device)
      return Array(buffer[..<count])
    }
    device.takeSettings(at: .start)
    // A key of which the board keeps nothing is another one after each restart.
    device.node.core.key = key(Array(1...16))
    #expect(Array(ask(&device).suffix(12)) == hex("62 6964 48 0000000000000000"))
    var random = RisingRandom()
    device.node.core.key = device.board.settings.addressKey(random: &random)
    #expect(Array(ask(&device).suffix(12)) == hex("62 6964 48") + expected)
  }
}
