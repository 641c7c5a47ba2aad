import HeraldBluetooth
import TestInputs
import Testing

@Suite("AES-128-CCM")
struct AES128CCMTests {
  private static let key: [16 of UInt8] = [
    0xC0, 0xC1, 0xC2, 0xC3, 0xC4, 0xC5, 0xC6, 0xC7, 0xC8, 0xC9, 0xCA, 0xCB, 0xCC, 0xCD, 0xCE, 0xCF,
  ]

  private func cipher(_ nonce: [UInt8]) -> AES128CCM {
    var bytes: [13 of UInt8] = .init(repeating: 0)
    for index in 0..<13 { bytes[index] = nonce[index] }
    return AES128CCM(key: Self.key, nonce: bytes)
  }

  /// The packet with its text encrypted and `tag` bytes behind it; no bytes if it is refused.
  private func sealed(_ packet: [UInt8], _ clear: Int, _ tag: Int, _ nonce: [UInt8]) -> [UInt8] {
    var bytes = packet + [UInt8](repeating: 0, count: tag)
    var cipher = cipher(nonce)
    var span = bytes.mutableSpan
    return cipher.seal(&span, clear: clear, tag: tag) ? bytes : []
  }

  /// The packet without its tag and with its text decrypted; `nil` if the tag is not its own.
  private func opened(_ packet: [UInt8], _ clear: Int, _ tag: Int, _ nonce: [UInt8]) -> [UInt8]? {
    var bytes = packet
    var cipher = cipher(nonce)
    var span = bytes.mutableSpan
    return cipher.open(&span, clear: clear, tag: tag) ? Array(bytes.dropLast(tag)) : nil
  }

  /// Packet vectors 1 to 12 of RFC 3610, section 8: the nonce, how much is in the clear, the size of the tag,
  /// and the result. The packet is 00 01 02 ….
  private static let vectors: [(nonce: StaticString, clear: Int, tag: Int, packet: StaticString)] = [
    (
      "00000003020100a0a1a2a3a4a5", 8, 8,
      "0001020304050607 588c979a61c663d2f066d0c2c0f989806d5f6b61dac384 17e8d12cfdf926e0"
    ),
    (
      "00000004030201a0a1a2a3a4a5", 8, 8,
      "0001020304050607 72c91a36e135f8cf291ca894085c87e3cc15c439c9e43a3b a091d56e10400916"
    ),
    (
      "00000005040302a0a1a2a3a4a5", 8, 8,
      "0001020304050607 51b1e5f44a197d1da46b0f8e2d282ae871e838bb64da859657 4adaa76fbd9fb0c5"
    ),
    (
      "00000006050403a0a1a2a3a4a5", 12, 8,
      "000102030405060708090a0b a28c6865939a9a79faaa5c4c2a9d4a91cdac8c 96c861b9c9e61ef1"
    ),
    (
      "00000007060504a0a1a2a3a4a5", 12, 8,
      "000102030405060708090a0b dcf1fb7b5d9e23fb9d4e131253658ad86ebdca3e 51e83f077d9c2d93"
    ),
    (
      "00000008070605a0a1a2a3a4a5", 12, 8,
      "000102030405060708090a0b 6fc1b011f006568b5171a42d953d469b2570a4bd87 405a0443ac91cb94"
    ),
    (
      "00000009080706a0a1a2a3a4a5", 8, 10,
      "0001020304050607 0135d1b2c95f41d5d1d4fec185d166b8094e999dfed96c 048c56602c97acbb7490"
    ),
    (
      "0000000a090807a0a1a2a3a4a5", 8, 10,
      "0001020304050607 7b75399ac0831dd2f0bbd75879a2fd8f6cae6b6cd9b7db24 c17b4433f434963f34b4"
    ),
    (
      "0000000b0a0908a0a1a2a3a4a5", 8, 10,
      "0001020304050607 82531a60cc24945a4b8279181ab5c84df21ce7f9b73f42e197 ea9c07e56b5eb17e5f4e"
    ),
    (
      "0000000c0b0a09a0a1a2a3a4a5", 12, 10,
      "000102030405060708090a0b 07342594157785152b074098330abb141b947b 566aa9406b4d999988dd"
    ),
    (
      "0000000d0c0b0aa0a1a2a3a4a5", 12, 10,
      "000102030405060708090a0b 676bb20380b0e301e8ab79590a396da78b834934 f53aa2e9107a8b6c022c"
    ),
    (
      "0000000e0d0c0ba0a1a2a3a4a5", 12, 10,
      "000102030405060708090a0b c0ffa0d6f05bdb67f24d43a4338d2aa4bed7b20e43 cd1aa31662e7ad65d6db"
    ),
  ]

  @Test("Packet vectors 1 to 12 of RFC 3610, in both directions, and no bit of them may change")
  func publishedVectors() {
    for vector in Self.vectors {
      let nonce = hexBytes(vector.nonce)
      let packet = hexBytes(vector.packet)
      let plain = Array(UInt8(0)..<UInt8(packet.count - vector.tag))
      #expect(sealed(plain, vector.clear, vector.tag, nonce) == packet)
      #expect(opened(packet, vector.clear, vector.tag, nonce) == plain)
      for bit in 0..<packet.count * 8 {
        var wrong = packet
        wrong[bit / 8] ^= 1 << UInt8(bit % 8)
        #expect(opened(wrong, vector.clear, vector.tag, nonce) == nil, "bit \(bit)")
      }
      for place in 0..<13 {
        var other = nonce
        other[place] ^= 1
        #expect(opened(packet, vector.clear, vector.tag, other) == nil, "another nonce")
      }
    }
  }

  @Test("A packet without text has a tag as well; what has not the form of a packet is refused")
  func form() {
    let nonce = hexBytes("00000003020100a0a1a2a3a4a5")
    // cryptography's AESCCM(key, tag_length=8).encrypt(nonce, b"", bytes(range(8)))
    #expect(sealed(Array(0..<8), 8, 8, nonce) == hexBytes("0001020304050607 e4288ac378000ff5"))
    #expect(sealed(Array(0..<7), 8, 8, nonce).isEmpty && opened(Array(0..<15), 8, 8, nonce) == nil)
    for (clear, tag) in [(0, 8), (15, 8), (8, 2), (8, 7), (8, 18)] {
      #expect(sealed(Array(0..<40), clear, tag, nonce).isEmpty, "\(clear) \(tag)")
    }
  }
}
