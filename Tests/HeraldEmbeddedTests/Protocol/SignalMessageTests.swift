import HeraldEmbedded
import Testing

/// The bytes of signal messages, against examples computed by hand from the phones' layouts.
struct SignalMessageTests {
  private func read(_ bytes: [UInt8]) -> (SignalMessage.Kind, Int16, [UInt8])? {
    guard let message = SignalMessage(bytes.span) else { return nil }
    var data: [UInt8] = []
    for index in 0..<message.data.count { data.append(message.data[index]) }
    return (message.kind, message.rssi, data)
  }

  private func header(_ kind: SignalMessage.Kind, rssi: Int16 = 0, length: Int = 0) -> [UInt8] {
    var bytes = [UInt8](repeating: 0xEE, count: 8)
    var span = bytes.mutableSpan
    let count = SignalMessage.writeHeader(kind, rssi: rssi, length: length, to: &span)
    return Array(bytes[0..<count])
  }

  @Test("HP-06 A payload message: code, length, payload")
  func payload() throws {
    let bytes: [UInt8] = [0x01, 0x15, 0x00, 0x10, 0x3A, 0x03, 0x00, 0x00] + (0..<16).map { UInt8($0) }
    let message = try #require(read(bytes))
    #expect(message.0 == .payload)
    #expect(message.2 == Array(bytes[3...]))
    #expect(header(.payload, length: 21) == [0x01, 0x15, 0x00])
  }

  @Test("HP-06 An RSSI message has two bytes of RSSI, little-endian")
  func rssi() throws {
    #expect(header(.rssi, rssi: -56) == [0x02, 0xC8, 0xFF])
    #expect(header(.rssi, rssi: 0) == [0x02, 0x00, 0x00])
    #expect(header(.rssi, rssi: -128) == [0x02, 0x80, 0xFF])
    let message = try #require(read([0x02, 0xC8, 0xFF]))
    #expect(message.0 == .rssi)
    #expect(message.1 == -56)
    // iPhones allow more bytes after it.
    #expect(read([0x02, 0xC8, 0xFF, 0x00, 0x00])?.1 == -56)
    #expect(read([0x02, 0xC8]) == nil)
  }

  @Test("HP-42 A payload sharing message: code, RSSI, length, payloads")
  func sharing() throws {
    #expect(header(.payloadSharing, rssi: -70, length: 0) == [0x03, 0xBA, 0xFF, 0x00, 0x00])
    #expect(header(.payloadSharing, rssi: 127, length: 510) == [0x03, 0x7F, 0x00, 0xFE, 0x01])
    let message = try #require(read([0x03, 0xBA, 0xFF, 0x02, 0x00, 0xAA, 0xBB]))
    #expect(message.0 == .payloadSharing)
    #expect(message.1 == -70)
    #expect(message.2 == [0xAA, 0xBB])
  }

  @Test("HP-31 An immediate message: code, length, bytes")
  func immediate() throws {
    #expect(header(.immediate, length: 2) == [0x04, 0x02, 0x00])
    #expect(try #require(read([0x04, 0x02, 0x00, 0x68, 0x69])).2 == [0x68, 0x69])
    #expect(try #require(read([0x04, 0x00, 0x00])).2 == [])
  }

  @Test("A length that does not say what is there makes no message")
  func lengths() {
    for bytes: [UInt8] in [
      [], [0x00], [0x05, 0x00, 0x00], [0x01], [0x01, 0x00], [0x01, 0x02, 0x00, 0xAA],
      [0x01, 0x00, 0x00, 0xAA],
      [0x03, 0x00, 0x00], [0x03, 0, 0, 0, 0, 1], [0x03, 0, 0, 2, 0, 1], [0x04, 0xFF, 0xFF, 1], [0xFF],
    ] {
      #expect(read(bytes) == nil, "\(bytes)")
    }
  }

  @Test("The length of a message is known from its header")
  func lengthOfBeginning() {
    func length(_ bytes: [UInt8]) -> Int? { SignalMessage.length(startingWith: bytes.span) }
    #expect(length([]) == nil)
    #expect(length([0x01, 0x15]) == nil)
    #expect(length([0x01, 0x15, 0x00]) == 24)
    #expect(length([0x02]) == 3)
    #expect(length([0x03, 0, 0, 0xFE]) == nil)
    #expect(length([0x03, 0, 0, 0xFE, 0x01]) == 515)
    #expect(length([0x04, 0xFF, 0xFF]) == 65_538)
    #expect(length([0x09]) == 0)
  }

  @Test("A header that does not fit, or announces too much, is not written")
  func noRoom() {
    var bytes = [UInt8](repeating: 0, count: 4)
    var span = bytes.mutableSpan
    let sharing = SignalMessage.writeHeader(.payloadSharing, length: 1, to: &span)
    #expect(sharing == 0)
    #expect(header(.payload, length: 511) == [])
    #expect(header(.payload, length: -1) == [])
  }
}
