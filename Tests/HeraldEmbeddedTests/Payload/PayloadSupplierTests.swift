import HeraldEmbedded
import HeraldHAL
import TestInputs
import Testing

/// What a supplier offers, in a buffer of `room` bytes.
func offered<Supplier: PayloadSupplier & ~Copyable>(
  by supplier: inout Supplier, at unixSeconds: UInt64?, room: Int = 512
) -> [UInt8] {
  var buffer = [UInt8](repeating: 0xEE, count: room)
  var count = 0
  do {
    var span = buffer.mutableSpan
    count = supplier.payload(at: unixSeconds, now: .start, into: &span)
  }
  return Array(buffer[0..<count])
}

/// An application's own supplier: as many bytes as it is told, and a number that counts how often it was
/// asked when.
private struct ApplicationSupplier: PayloadSupplier {
  var length: Int
  var asked: [UInt64?] = []
  var fixedLength: Int { 0 }

  mutating func payload(at unixSeconds: UInt64?, now: Instant, into buffer: inout MutableSpan<UInt8>) -> Int {
    asked.append(unixSeconds)
    guard length <= buffer.count else { return 0 }
    for index in 0..<length { buffer[index] = UInt8(truncatingIfNeeded: index) }
    return length
  }
}

private func firstLength<Supplier: PayloadSupplier & ~Copyable>(
  _ supplier: borrowing Supplier, _ shared: ArraySlice<UInt8>
) -> Int {
  supplier.lengthOfFirstPayload(inShared: Array(shared).span)
}

@Suite("Payload suppliers")
struct PayloadSupplierTests {
  @Test("HP-41 An application's supplier is asked with the time, and offers 1 to 510 bytes of any length")
  func ownSupplier() {
    var supplier = ApplicationSupplier(length: 1)
    #expect(offered(by: &supplier, at: 5) == [0])
    supplier.length = Payload.maximumLength
    #expect(Payload.maximumLength == 510)
    #expect(offered(by: &supplier, at: 6).count == 510)
    #expect(offered(by: &supplier, at: nil, room: 509).isEmpty)
    #expect(supplier.asked == [5, 6, nil])
    #expect(supplier.nextChange(after: 5, now: .start) == .never)
  }

  @Test("HP-41 The fixed payload is 13 bytes and needs no date")
  func fixedPayload() {
    var supplier = FixedPayloadSupplier(country: 826, state: 0, clientIdentifier: 1_234_567_890)
    #expect(offered(by: &supplier, at: nil) == hexBytes("08 3A03 0000 D202964900000000"))
    supplier = FixedPayloadSupplier(country: 0xDDEE, state: 0x11FF, clientIdentifier: 0x0102_0304_0506_0708)
    #expect(offered(by: &supplier, at: 99, room: 13) == hexBytes("08 EEDD FF11 0807060504030201"))
    #expect(supplier.fixedLength == 13)
    #expect(supplier.nextChange(after: nil, now: .start) == .never)
  }

  @Test("A fixed payload is not offered without a number, nor cut to fit")
  func fixedPayloadRefused() {
    var nobody = FixedPayloadSupplier(country: 826, state: 0, clientIdentifier: 0)
    #expect(offered(by: &nobody, at: nil).isEmpty)
    var somebody = FixedPayloadSupplier(country: 826, state: 0, clientIdentifier: 1)
    #expect(offered(by: &somebody, at: nil, room: 12).isEmpty)
    #expect(offered(by: &somebody, at: nil, room: 0).isEmpty)
  }

  @Test("HP-42 Shared payloads of fixed length are split by our own length; a rest is left alone")
  func splitting() {
    let supplier = FixedPayloadSupplier(country: 826, state: 0, clientIdentifier: 1)
    let shared = [UInt8](repeating: 8, count: 30)
    #expect(firstLength(supplier, shared[0...]) == 13)
    #expect(firstLength(supplier, shared[13...]) == 13)
    #expect(firstLength(supplier, shared[26...]) == 0)
    #expect(firstLength(supplier, []) == 0)
  }

  @Test("HP-42 Where payloads differ in length, all bytes are one payload")
  func notSplitting() {
    let supplier = ApplicationSupplier(length: 5)
    #expect(firstLength(supplier, [UInt8](repeating: 8, count: 30)[0...]) == 30)
  }

  @Test("HP-40 The first byte tells the family; what is unknown has a name for that and no error")
  func families() {
    let known: [(UInt8, PayloadFamily)] = [
      (0x00, .custom), (0x08, .customWithCountry), (0x10, .simple), (0x20, .secured), (0x30, .venueBeacon),
      (0x80, .exposureNotification), (0x88, .robert), (0x90, .blueTrace), (0x98, .dp3t), (0xA0, .pact),
    ]
    for byte in UInt8.min...UInt8.max {
      let expected = known.first { $0.0 == byte & 0xF8 }?.1 ?? .unknown
      #expect(PayloadFamily(typeAndVersion: byte) == expected)
    }
    #expect(PayloadFamily(typeAndVersion: 0x91) == .blueTrace)
    #expect(PayloadFamily(typeAndVersion: 0x1F) == .unknown)
    #expect(PayloadFamily(typeAndVersion: 0xFF) == .unknown)
  }
}
