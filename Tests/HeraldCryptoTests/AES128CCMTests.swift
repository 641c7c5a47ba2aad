import TestInputs
import Testing

@testable import HeraldCrypto

@Suite("AES-128-CCM")
struct AES128CCMTests {
  private static let key: [16 of UInt8] = [
    0xC0, 0xC1, 0xC2, 0xC3, 0xC4, 0xC5, 0xC6, 0xC7, 0xC8, 0xC9, 0xCA, 0xCB, 0xCC, 0xCD, 0xCE, 0xCF,
  ]

  private func cipher(_ nonce: [UInt8], key: [UInt8]?) -> AES128CCM {
    var secret = Self.key
    if let key { for index in 0..<16 { secret[index] = key[index] } }
    var bytes: [13 of UInt8] = .init(repeating: 0)
    for index in 0..<13 { bytes[index] = nonce[index] }
    return AES128CCM(key: secret, nonce: bytes)
  }

  /// The packet with its text encrypted and `tag` bytes behind it; no bytes if it is refused.
  private func sealed(
    _ packet: [UInt8], _ clear: Int, _ tag: Int, _ nonce: [UInt8], key: [UInt8]? = nil
  ) -> [UInt8] {
    var bytes = packet + [UInt8](repeating: 0, count: tag)
    var cipher = cipher(nonce, key: key)
    var span = bytes.mutableSpan
    return cipher.seal(&span, clear: clear, tag: tag) ? bytes : []
  }

  /// The packet without its tag and with its text decrypted; `nil` if the tag is not its own.
  private func opened(
    _ packet: [UInt8], _ clear: Int, _ tag: Int, _ nonce: [UInt8], key: [UInt8]? = nil
  ) -> [UInt8]? {
    var bytes = packet
    var cipher = cipher(nonce, key: key)
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

  /// Packet vectors 13 to 24: the nonce, the part in the clear, the text, and the result for the text.
  private static let randomVectors:
    [(nonce: StaticString, clear: StaticString, text: StaticString, sealed: StaticString)] = [
      (
        "00412b4ea9cdbe3c9696766cfa", "0be1a88bace018b1",
        "08e8cf97d820ea258460e96ad9cf5289054d895ceac47c",
        "4cb97f86a2a4689a877947ab8091ef5386a6ffbdd080f8e78cf7cb0cddd7b3"
      ),
      (
        "0033568ef7b2633c9696766cfa", "63018f76dc8a1bcb",
        "9020ea6f91bdd85afa0039ba4baff9bfb79c7028949cd0ec",
        "4ccb1e7ca981befaa0726c55d378061298c85c92814abc33c52ee81d7d77c08a"
      ),
      (
        "00103fe41336713c9696766cfa", "aa6cfa36cae86b40",
        "b916e0eacc1c00d7dcec68ec0b3bbb1a02de8a2d1aa346132e",
        "b1d23a2220ddc0ac900d9aa03c61fcf4a559a4417767089708a776796edb723506"
      ),
      (
        "00764c63b8058e3c9696766cfa", "d0d0735c531e1becf049c244",
        "12daac5630efa5396f770ce1a66b21f7b2101c",
        "14d253c3967b70609b7cbb7c499160283245269a6f49975bcadeaf"
      ),
      (
        "00f8b678094e3b3c9696766cfa", "77b60f011c03e1525899bcae",
        "e88b6a46c78d63e52eb8c546efb5de6f75e9cc0d",
        "5545ff1a085ee2efbf52b2e04bee1e2336c73e3f762c0c7744fe7e3c"
      ),
      (
        "00d560912d3f703c9696766cfa", "cd9044d2b71fdb8120ea60c0",
        "6435acbafb11a82e2f071d7ca4a5ebd93a803ba87f",
        "009769ecabdf48625594c59251e6035722675e04c847099e5ae0704551"
      ),
      (
        "0042fff8f1951c3c9696766cfa", "d85bc7e69f944fb8",
        "8a19b950bcf71a018e5e6701c91787659809d67dbedd18",
        "bc218daa947427b6db386a99ac1aef23ade0b52939cb6a637cf9bec2408897c6ba"
      ),
      (
        "00920f40e56cdc3c9696766cfa", "74a0ebc9069f5b37",
        "1761433c37c5a35fc1f39f406302eb907c6163be38c98437",
        "5810e6fd25874022e80361a478e3e9cf484ab04f447efff6f0a477cc2fc9bf548944"
      ),
      (
        "0027ca0c7120bc3c9696766cfa", "44a3aa3aae6475ca",
        "a434a8e58500c6e41530538862d686ea9e81301b5ae4226bfa",
        "f2beed7bc5098e83feb5b31608f8e29c38819a89c8e776f1544d4151a4ed3a8b87b9ce"
      ),
      (
        "005b8ccbcd9af83c9696766cfa", "ec46bb63b02520c33c49fd70",
        "b96b49e21d621741632875db7f6c9243d2d7c2",
        "31d750a09da3ed7fddd49a2032aabf17ec8ebf7d22c8088c666be5c197"
      ),
      (
        "003ebe94044b9a3c9696766cfa", "47a65ac78b3d594227e85e71",
        "e2fcfbb880442c731bf95167c8ffd7895e337076",
        "e882f1dbd38ce3eda7c23f04dd65071eb41342acdf7e00dccec7ae52987d"
      ),
      (
        "008d493b30ae8b3c9696766cfa", "6e37a6ef546d955d34ab6059",
        "abf21c0b02feb88f856df4a37381bce3cc128517d4",
        "f32905b88a641b04b9c9ffb58cc390900f3da12ab16dce9e82efa16da62059"
      ),
    ]

  @Test("Packet vectors 13 to 24 of RFC 3610, in both directions")
  func publishedRandomVectors() {
    let key = hexBytes("d7828d13b2b0bdc325a76236df93cc6b")
    for vector in Self.randomVectors {
      let (nonce, clear, text) = (hexBytes(vector.nonce), hexBytes(vector.clear), hexBytes(vector.text))
      let packet = clear + hexBytes(vector.sealed)
      let tag = packet.count - clear.count - text.count
      #expect(tag == 8 || tag == 10)
      #expect(sealed(clear + text, clear.count, tag, nonce, key: key) == packet)
      #expect(opened(packet, clear.count, tag, nonce, key: key) == clear + text)
    }
  }

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

  @Test("Tags of four bytes, as sealed logs have them, by an independent program")
  func shortTags() {
    let nonce = hexBytes("00000003020100a0a1a2a3a4a5")
    // cryptography's AESCCM(key, tag_length=4); the packet is 00 01 02 ….
    let packets: [(clear: Int, bytes: [UInt8])] = [
      (1, hexBytes("005163bef23c")),
      (1, hexBytes("0051879e9568cd6ad5e97dc9ddd9e29087f7431459")),
      (8, hexBytes("0001020304050607588c979a61c663d2f066d0c2c0f989806d5f6b61dac38450198bbc")),
      (
        2,
        hexBytes("0001528699946bcc65d4ea7ccedcdae38f866755656fd0c982e67e17801bc0722dae3c01b10fca1843a29885")
          + hexBytes(
            "3e72d9cca85d5e87debf6326ea58efdf1536b9bcce98cd9896932c772c1611cbb1ad36e289e8d237aaaeaa2c")
          + hexBytes(
            "5a14c9f52bbf33476292fb85c316040b404e6f265163279fc8fc2cc7fca35bdaf259a3a05cfc0056ca9c")
      ),
      (
        1,
        hexBytes("0051879e9568cd6ad5e97dc9ddd9e290876454626ed3c88de77d16871ac37312af3f00b60ec9194ca39b8439")
          + hexBytes(
            "73dacdb75c5d86d9be6027e559ecde1237babdb199ce9991922f76231712cab6ac35e396e9d136adafa92d55")
          + hexBytes(
            "15caf42cbe30465d93f884c417070a4f4f6c275662249ed7fd2fc6fba258dbfd58a0a15bfdf8104faa43f18e")
          + hexBytes(
            "de192670e755e6e703b7ac071a3f1da631f06c76901852472a5a3c15c0bda30d3f1365a4b31896c8444e6c64")
          + hexBytes(
            "0720dcfa65b38c387ebc1791a5cfb5ab")
      ),
    ]
    for (clear, packet) in packets {
      let plain = Array(UInt8(0)..<UInt8(packet.count - 4))
      #expect(sealed(plain, clear, 4, nonce) == packet)
      #expect(opened(packet, clear, 4, nonce) == plain)
      for bit in 0..<packet.count * 8 {
        var wrong = packet
        wrong[bit / 8] ^= 1 << UInt8(bit % 8)
        #expect(opened(wrong, clear, 4, nonce) == nil, "bit \(bit)")
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
