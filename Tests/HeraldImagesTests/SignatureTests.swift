import HeraldCrypto
import HeraldImages
import TestInputs
import Testing

// Macros of the tests take no spans.

extension SHA2 {
  fileprivate func hash(_ bytes: [UInt8]) -> [UInt8]? { hash(of: bytes.span) }
}

extension SHA256 {
  fileprivate static func hash(_ bytes: [UInt8]) -> [UInt8] { hash(of: bytes.span) }
}

extension Ed25519PrivateKey {
  fileprivate func sign(_ message: [UInt8]) -> [UInt8]? { signature(of: message.span) }
}

extension Ed25519PublicKey {
  fileprivate func verifies(_ signature: [UInt8], _ message: [UInt8]) -> Bool {
    isValid(signature.span, message: message.span)
  }
}

extension ECDSAPrivateKey {
  fileprivate func sign(_ message: String) -> [UInt8]? { signature(of: Array(message.utf8).span) }
}

extension ECDSAPublicKey {
  fileprivate func verifies(_ signature: [UInt8], _ digest: [UInt8]) -> Bool {
    isValid(signature.span, sha256: digest.span)
  }
}

@Suite("Hashes and signatures of published vectors")
struct SignatureTests {
  @Test("Hashes of the empty message and of \"abc\" (FIPS 180-4)")
  func hashes() {
    #expect(SHA256.hash([]) == hexBytes("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"))
    #expect(
      SHA256.hash(Array("abc".utf8))
        == hexBytes("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
    let expected: [(SHA2, empty: StaticString, abc: StaticString)] = [
      (
        .sha384,
        "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da274edebfe76f65fbd51ad2f14898b95b",
        "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
      ),
      (
        .sha512,
        """
        cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce
        47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e
        """,
        """
        ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a
        2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f
        """
      ),
    ]
    for (function, empty, abc) in expected {
      #expect(function.hash([]) == hexBytes(empty))
      #expect(function.hash(Array("abc".utf8)) == hexBytes(abc))
    }
  }

  // MARK: Ed25519

  /// RFC 8032, 7.1, tests 1 to 3.
  private static let ed25519: [(seed: [UInt8], publicKey: [UInt8], message: [UInt8], signature: [UInt8])] = [
    (
      hexBytes("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"),
      hexBytes("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"), [],
      hexBytes(
        """
        e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155
        5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b
        """)
    ),
    (
      hexBytes("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"),
      hexBytes("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"), [0x72],
      hexBytes(
        """
        92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da
        085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00
        """)
    ),
    (
      hexBytes("c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7"),
      hexBytes("fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025"), [0xAF, 0x82],
      hexBytes(
        """
        6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac
        18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a
        """)
    ),
  ]

  @Test("Ed25519 derives, signs and verifies as RFC 8032 does")
  func ed25519() throws {
    for vector in Self.ed25519 {
      let key = try #require(Ed25519PrivateKey(seed: vector.seed))
      #expect(key.publicKey.bytes == vector.publicKey)
      #expect(key.sign(vector.message) == vector.signature)
      let shown = try #require(Ed25519PublicKey(vector.publicKey))
      #expect(shown.verifies(vector.signature, vector.message))
      #expect(
        shown.subjectPublicKeyInfo == hexBytes("302a300506032b6570032100") + vector.publicKey)
    }
  }

  @Test("An Ed25519 signature is valid in one form, for one message and one key")
  func ed25519Refuses() throws {
    let vector = Self.ed25519[1], message = vector.message
    let key = try #require(Ed25519PublicKey(vector.publicKey))
    for bit in stride(from: 0, to: vector.signature.count * 8, by: 5) {
      var changed = vector.signature
      changed[bit / 8] ^= 1 << (bit % 8)
      #expect(!key.verifies(changed, message), "bit \(bit)")
    }
    for wrong in [[], Array(vector.signature.dropLast()), vector.signature + [0]] {
      #expect(!key.verifies(wrong, message))
    }
    // The scalar with the order of the group added to it (RFC 8032, 5.1.7).
    let malleable: [UInt8] =
      vector.signature.prefix(32)
      + hexBytes("f52db7415978abc61b2c2eb6aeebfca0387b2eaeb4302aeeb00d291612bb0c10")
    #expect(!key.verifies(malleable, message))
    #expect(!key.verifies(vector.signature, [0x73]))
    let other = try #require(Ed25519PublicKey(Self.ed25519[0].publicKey))
    #expect(!other.verifies(vector.signature, message))
  }

  @Test("Ed25519 keys have 32 bytes, and those that are no point verify nothing")
  func ed25519Keys() throws {
    for count in [0, 31, 33, 64] {
      #expect(Ed25519PublicKey([UInt8](repeating: 9, count: count)) == nil)
      #expect(Ed25519PrivateKey(seed: [UInt8](repeating: 9, count: count)) == nil)
    }
    // There is no x for y = 2.
    let noPoint = try #require(Ed25519PublicKey([2] + [UInt8](repeating: 0, count: 31)))
    for signature in Self.ed25519.map(\.signature) + [[UInt8](repeating: 0, count: 64)] {
      #expect(!noPoint.verifies(signature, []))
    }
  }

  // MARK: ECDSA

  private static let scalar = hexBytes("c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721")
  private static let x = hexBytes("60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6")
  private static let y = hexBytes("7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299")
  /// The halves of a signature of "sample", whose first bits are 1, and of "test".
  private static let r = hexBytes("efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716")
  private static let s = hexBytes("f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8")
  private static let testR = hexBytes("f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367")
  private static let testS = hexBytes("019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083")
  private static let order = hexBytes("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")

  private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    [tag, UInt8(content.count)] + content
  }

  /// A signature of two integers with these contents.
  private static func signature(_ r: [UInt8], _ s: [UInt8]) -> [UInt8] {
    element(0x30, element(2, r) + element(2, s))
  }

  private static func hash(_ text: String) -> [UInt8] { SHA256.hash(Array(text.utf8)) }

  @Test("ECDSA derives and verifies as RFC 6979, A.2.5")
  func ecdsa() throws {
    let key = try #require(ECDSAPrivateKey(scalar: Self.scalar))
    #expect(key.publicKey.point == [4] + Self.x + Self.y)
    for point in [[4] + Self.x + Self.y, [3] + Self.x] {
      let shown = try #require(ECDSAPublicKey(point: point))
      #expect(shown.point == key.publicKey.point)
      #expect(
        shown.subjectPublicKeyInfo
          == hexBytes("3059301306072a8648ce3d020106082a8648ce3d030107034200") + key.publicKey.point)
      let sample = Self.hash("sample"), test = Self.hash("test")
      #expect(shown.verifies(Self.signature([0] + Self.r, [0] + Self.s), sample))
      let other = Self.signature([0] + Self.testR, Self.testS)
      #expect(shown.verifies(other, test))
      #expect(!shown.verifies(other, sample))
    }
    // The other root.
    #expect(try #require(ECDSAPublicKey(point: [2] + Self.x)).point != key.publicKey.point)
  }

  @Test("What ECDSA signs is valid for the SHA-256 of it alone, and differs each time")
  func ecdsaSigns() throws {
    let key = try #require(ECDSAPrivateKey(scalar: Self.scalar))
    let first = try #require(key.sign("sample"))
    let second = try #require(key.sign("sample"))
    #expect(first != second)
    let digest = Self.hash("sample")
    for signature in [first, second] {
      #expect(key.publicKey.verifies(signature, digest))
      #expect(!key.publicKey.verifies(signature, Self.hash("test")))
    }
    // A shorter or longer hash would be padded or cut to the order of the curve.
    for wrong in [[], Array(digest.dropLast()), digest + [0], SHA2.sha512.hash(digest) ?? []] {
      #expect(!key.publicKey.verifies(first, wrong))
    }
  }

  @Test("An ECDSA signature has the one form that DER has, and halves between 0 and the order")
  func ecdsaDER() throws {
    let key = try #require(ECDSAPublicKey(point: [4] + Self.x + Self.y))
    let digest = Self.hash("test")
    let r = Self.element(2, [0] + Self.testR), s = Self.element(2, Self.testS)
    func isValid(_ signature: [UInt8]) -> Bool { key.verifies(signature, digest) }
    #expect(isValid(Self.element(0x30, r + s)))
    let sum = hexBytes("01019f4112742a2b15bd25926b49c649151c0d790e7a98e9d100820d13e0d225d4")
    let wrong: [(String, [UInt8])] = [
      ("nothing", []), ("a tag", [0x30]), ("an empty sequence", [0x30, 0]),
      ("a byte behind it", Self.element(0x30, r + s) + [0]),
      ("a byte within it", Self.element(0x30, r + s + [0])),
      ("a third integer", Self.element(0x30, r + s + [2, 1, 1])),
      ("one integer", Self.element(0x30, r)),
      ("a set", Self.element(0x31, r + s)),
      ("a long form of its length", [0x30, 0x81, UInt8(r.count + s.count)] + r + s),
      ("a longer form of its length", [0x30, 0x82, 0, UInt8(r.count + s.count)] + r + s),
      ("an indefinite length", [0x30, 0x80] + r + s + [0, 0]),
      ("a length beyond its end", [0x30, UInt8(r.count + s.count + 1)] + r + s),
      ("a long form of an integer's length", Self.element(0x30, r + [2, 0x81, 32] + Self.testS)),
      ("a zero in front", Self.signature([0] + Self.testR, [0] + Self.testS)),
      ("a second zero in front", Self.signature([0, 0] + Self.testR, Self.testS)),
      ("a negative half", Self.signature(Self.testR, Self.testS)),
      ("an octet string", Self.element(0x30, Self.element(4, [0] + Self.testR) + s)),
      ("0 and s", Self.signature([0], Self.testS)), ("r and 0", Self.signature([0] + Self.testR, [0])),
      ("0 and 0", Self.signature([0], [0])), ("an empty integer", Self.signature([0] + Self.testR, [])),
      ("the order and s", Self.signature([0] + Self.order, Self.testS)),
      ("r and the order", Self.signature([0] + Self.testR, [0] + Self.order)),
      ("s with the order added", Self.signature([0] + Self.testR, sum)),
    ]
    for (what, signature) in wrong { #expect(!isValid(signature), "\(what)") }
    for count in 0..<(r.count + s.count + 2) {
      #expect(!isValid(Array(Self.element(0x30, r + s).prefix(count))))
    }
  }

  @Test("A scalar is 1 to the order less one")
  func scalars() throws {
    let zeros = [UInt8](repeating: 0, count: 31)
    let base = hexBytes("6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296")
    let one = try #require(ECDSAPrivateKey(scalar: zeros + [1]))
    let most = try #require(ECDSAPrivateKey(scalar: Self.order.dropLast() + [0x50]))
    #expect(
      one.publicKey.point
        == [4] + base + hexBytes("4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"))
    #expect(
      most.publicKey.point
        == [4] + base + hexBytes("b01cbd1c01e58065711814b583f061e9d431cca994cea1313449bf97c840ae0a"))
    for wrong in [
      zeros + [0], Self.order, Self.order.dropLast() + [0x52], [UInt8](repeating: 0xFF, count: 32),
      Array(Self.scalar.dropLast()), [0] + Self.scalar, [],
    ] { #expect(ECDSAPrivateKey(scalar: wrong) == nil, "\(wrong)") }
  }

  @Test("A point is on the curve, has coordinates below the field's prime, and one of three forms")
  func points() {
    let zero = [UInt8](repeating: 0, count: 32)
    let root = hexBytes("66485c780e2f83d72433bd5d84a06bb6541c2af31dae871728bf856a174f93f4")
    // The field's prime, which is 0 in the field.
    let prime = hexBytes("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff")
    #expect(ECDSAPublicKey(point: [4] + zero + root)?.point == [4] + zero + root)
    #expect(ECDSAPublicKey(point: [2] + zero)?.point == [4] + zero + root)
    var near = Self.y
    near[31] ^= 1
    let wrong: [(String, [UInt8])] = [
      ("beside the curve", [4] + Self.x + near), ("swapped", [4] + Self.y + Self.x),
      ("the origin", [4] + zero + zero), ("x is not reduced", [4] + prime + root),
      ("x is not reduced, compressed", [2] + prime),
      ("no y for x = 1", [2] + zero.dropLast() + [1]), ("no y for x = 1", [3] + zero.dropLast() + [1]),
      ("infinity", [0]), ("infinity in 65 bytes", [0] + zero + zero), ("nothing", []),
      ("hybrid", [7] + Self.x + Self.y), ("hybrid", [6] + Self.x + Self.y),
      ("both coordinates as compressed", [3] + Self.x + Self.y), ("half", [4] + Self.x),
      ("without a form", Self.x + Self.y), ("a byte more", [4] + Self.x + Self.y + [0]),
    ]
    for (what, point) in wrong { #expect(ECDSAPublicKey(point: point) == nil, "\(what)") }
  }
}
