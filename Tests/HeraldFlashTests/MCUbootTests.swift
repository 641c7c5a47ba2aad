import HostileInputs
import Testing

@testable import HeraldFlash
@testable import HeraldImages

@Suite("Images in MCUboot's form")
struct MCUbootTests {
  private static func failure(_ bytes: [UInt8]) -> String? {
    do {
      _ = try MCUbootImage(bytes)
      return nil
    } catch {
      return error.description
    }
  }

  @Test("What imgtool made is read as it was made")
  func reading() throws {
    let image = try MCUbootImage(Imgtool.ed25519)
    #expect(image.version.description == "1.2.3+4")
    #expect(image.headerSize == 32 && image.programSize == 16 && image.flags == 0 && image.loadAddress == 0)
    #expect(Array(image.program) == Array(0..<16))
    #expect(image.protectedEntries == [.init(type: 0x50, value: [7, 0, 0, 0])])
    #expect(
      image.entries.map(\.type) == [0x10, 0x01, 0x24] && image.entries.map(\.value.count) == [32, 32, 64])
    #expect(image.hashState == .right)
    #expect(image.bytes == Imgtool.ed25519)
    // What follows in a slot is no part of it.
    #expect(try MCUbootImage(Imgtool.plain + [0xFF, 0xFF]).bytes == Imgtool.plain)
  }

  @Test("What is made here has imgtool's bytes")
  func writing() throws {
    var options = MCUbootImage.Options(
      version: .init(major: 1, minor: 2, revision: 3, build: 4), headerSize: 32)
    #expect(try MCUbootImage.make(Array(0..<16), options) == Imgtool.plain)
    options.securityCounter = 7
    options.key = try MCUbootKey(pem: Imgtool.ed25519Key)
    let made = try MCUbootImage.make(Array(0..<16), options)
    // A signature may be another each time; all in front of it may not.
    #expect(made.count == Imgtool.ed25519.count)
    #expect(made.dropLast(64) == Imgtool.ed25519.dropLast(64))
    #expect(try MCUbootImage(made).signatureState(key: options.key) == .valid)
  }

  @Test("Signatures: valid for their own key, public or private; not checked for another; wrong if a bit is")
  func signatures() throws {
    let own = [
      (Imgtool.ed25519, Imgtool.ed25519Key), (Imgtool.ed25519, Imgtool.ed25519PublicKey),
      (Imgtool.ecdsa, Imgtool.ecdsaKey), (Imgtool.ecdsa, Imgtool.ecdsaPublicKey),
    ]
    for (bytes, pem) in own {
      let key = try MCUbootKey(pem: pem)
      #expect(try MCUbootImage(bytes).signatureState(key: key) == .valid)
      var wrong = bytes
      wrong[bytes.count - 1] ^= 1
      #expect(try MCUbootImage(wrong).signatureState(key: key) == .invalid)
      // The program changed, the signature not.
      wrong = bytes
      wrong[40] ^= 1
      #expect(try MCUbootImage(wrong).hashState == .wrong)
      #expect(try MCUbootImage(wrong).signatureState(key: key) == .invalid)
    }
    let other = try MCUbootKey(pem: Imgtool.ecdsaKey)
    #expect(try MCUbootImage(Imgtool.ed25519).signatureState(key: other) == .present("Ed25519 signature"))
    #expect(try MCUbootImage(Imgtool.ecdsa).signatureState(key: nil) == .present("ECDSA signature"))
    #expect(try MCUbootImage(Imgtool.plain).signatureState(key: other) == .absent)
  }

  @Test("A program that was changed, and its hash with it, has a wrong signature")
  func forged() throws {
    let forged = try MCUbootImage.make(
      Array(1...16), .init(version: .init(major: 1, minor: 2, revision: 3, build: 4), headerSize: 32))
    // Its own hash, and the key hash and signature of another.
    var bytes = forged.dropLast(32 + 8) + Imgtool.ecdsa[48..<52]
    bytes += forged.suffix(36) + Imgtool.ecdsa[88...]
    let image = try MCUbootImage(Array(bytes))
    #expect(image.hashState == .right)
    #expect(image.signatureState(key: try MCUbootKey(pem: Imgtool.ecdsaKey)) == .invalid)
  }

  @Test("A signature that older tools padded with zeros to 72 bytes is the same signature")
  func padded() throws {
    let key = try MCUbootKey(pem: Imgtool.ecdsaKey)
    let image = try MCUbootImage(Imgtool.ecdsa)
    let signature = try #require(image.entries.last).value
    #expect(signature.count == 70)
    #expect(key.isValid(signature + [0, 0], digest: image.hash ?? []))
    #expect(!key.isValid(Array(signature.dropLast()), digest: image.hash ?? []))
    #expect(!key.isValid([0x30], digest: image.hash ?? []))
  }

  @Test("Keys: public and private have one hash, imgtool's; what is no such key is refused")
  func keys() throws {
    let ed25519 = try MCUbootImage(Imgtool.ed25519).entries[1].value
    #expect(try MCUbootKey(pem: Imgtool.ed25519Key).hash == ed25519)
    #expect(try MCUbootKey(pem: Imgtool.ed25519PublicKey).hash == ed25519)
    let ecdsa = try MCUbootImage(Imgtool.ecdsa).entries[1].value
    #expect(try MCUbootKey(pem: Imgtool.ecdsaKey).hash == ecdsa)
    #expect(try MCUbootKey(pem: Imgtool.ecdsaPublicKey).hash == ecdsa)
    #expect(try MCUbootKey(pem: Imgtool.ecdsaKey).isPrivate)
    #expect(try !MCUbootKey(pem: Imgtool.ecdsaPublicKey).isPrivate)
    for text in [
      "", "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\n!\n-----END PRIVATE KEY-----",
      "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----",
      "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----",
    ] { #expect(throws: FirmwareError.self, "\(text)") { try MCUbootKey(pem: text) } }
    let publicOnly = MCUbootImage.Options(
      version: .init(major: 1), key: try MCUbootKey(pem: Imgtool.ecdsaPublicKey))
    #expect(throws: FirmwareError("this is a public key: signing takes the private one")) {
      try MCUbootImage.make([1], publicOnly)
    }
  }

  @Test("Every length that contradicts another is named; no cut-off image is taken for a whole one")
  func contradictions() {
    for count in 0..<Imgtool.ed25519.count {
      #expect(Self.failure(Array(Imgtool.ed25519.prefix(count))) != nil, "\(count)")
    }
    func changed(_ index: Int, _ byte: UInt8) -> String? {
      var bytes = Imgtool.ed25519
      bytes[index] = byte
      return Self.failure(bytes)
    }
    #expect(changed(0, 0) == "this is no MCUboot image")
    #expect(changed(8, 31) == "the MCUboot header says it has 31 bytes; it has at least 32")
    #expect(changed(10, 13) == "MCUboot's protected list has 12 bytes, and the header says 13")
    #expect(changed(10, 11) == "MCUboot's protected list has 12 bytes, and the header says 11")
    #expect(changed(10, 0) == "MCUboot's list does not begin as one (0x6908)")
    #expect(
      changed(15, 0xFF)?.hasPrefix("the MCUboot image is cut off: its program ends at byte 4278190") == true)
    #expect(changed(60, 0x08) == "MCUboot's list does not begin as one (0x6908)")
    #expect(changed(62, 3) == "MCUboot's list says it has 3 bytes, and 144 are there")
    #expect(changed(62, 0x50) == "entry 2 of MCUboot's list is cut off")
    #expect(changed(63, 0xFF) == "MCUboot's list says it has 65424 bytes, and 144 are there")
    #expect(changed(66, 0xFF) == "entry 0 of MCUboot's list is cut off")
  }

  @Test("A slot must have room for what MCUboot keeps at its end, as imgtool reckons it")
  func slots() throws {
    // 1584 bytes for 128 sectors written four bytes at a time: 3 * 128 * 4 + 4 * 8 + 16.
    var options = MCUbootImage.Options(version: .init(major: 1), headerSize: 32)
    options.slotSize = 88 + 1584
    #expect(try MCUbootImage.make(Array(0..<16), options).count == 88)
    options.slotSize = 87 + 1584
    #expect(throws: FirmwareError.self) { try MCUbootImage.make(Array(0..<16), options) }
    options.slotSize = nil
    for size in [31, 0x1_0000] {
      options.headerSize = size
      #expect(throws: FirmwareError.self) { try MCUbootImage.make([1], options) }
    }
    options.headerSize = 32
    #expect(throws: FirmwareError.self) { try MCUbootImage.make([], options) }
    options.alignment = 3
    #expect(throws: FirmwareError.self) { try MCUbootImage.make([1], options) }
  }

  @Test("Versions as imgtool takes them")
  func versions() {
    typealias Version = MCUbootImage.Version
    #expect(Version("1") == .init(major: 1) && Version("1.2") == .init(major: 1, minor: 2))
    #expect(Version("255.255.65535+4294967295")?.description == "255.255.65535+4294967295")
    #expect(Version("1.2.3")?.description == "1.2.3")
    for text in [
      "", "1.", ".1", "256", "1.2.65536", "1.2.3.4", "1.2.3+", "1.2.3+4+5", "1.2.3+4294967296", "-1", "1 ",
    ] {
      #expect(Version(text) == nil, "\(text)")
    }
  }

  @Test("Signing puts the header in front, and unwrapping takes it away")
  func signing() throws {
    let image = try FirmwareImage(format: .binary, pieces: [.init(address: 0xC200, bytes: Array(0..<16))])
    let version = MCUbootImage.Version(major: 1, minor: 2, revision: 3, build: 4)
    let signed = try image.signed(.init(version: version))
    #expect(signed.segments[0].address == 0xC000 && signed.format == .mcuboot)
    #expect(signed.mcuboot?.version == version && signed.byteCount == 0x200 + 16 + 40)
    #expect(try signed.unsigned().segments == image.segments)
    #expect(throws: FirmwareError.self) { try signed.signed(.init(version: version)) }
    #expect(throws: FirmwareError.self) { try image.unsigned() }
    // The vector table is that of the program, behind the header.
    let linked = try FirmwareImage.linked(at: 0xC200).signed(.init(version: version))
    #expect(linked.vectorTable?.address == 0xC200 && linked.vectorTable?.isPlausible == true)
    // As Intel HEX it is the same image.
    let text = try FirmwareImage(signed.file(.intelHex))
    #expect(text.mcuboot == signed.mcuboot && text.format == .intelHex)
  }

  @Test("Any bytes are survived: hash, signature and fit of what is taken are reported")
  func fuzz() throws {
    var random = Mutations(seed: 0x5163)
    let key = try MCUbootKey(pem: Imgtool.ecdsaPublicKey)
    var taken = 0
    for _ in 0..<4000 {
      let bytes = random.mutated([Imgtool.plain, Imgtool.ed25519, Imgtool.ecdsa])
      guard let image = try? FirmwareImage(bytes, base: 0x100), let signed = image.mcuboot else { continue }
      taken += 1
      _ = signed.signatureState(key: key)
      let isWhole = signed.hashState == .right
      #expect(
        !isWhole
          || [Imgtool.plain, Imgtool.ed25519, Imgtool.ecdsa].contains {
            $0.starts(with: signed.bytes.prefix(48))
          })
      // No board of ours has an MCUboot that takes it where it is.
      #expect(image.fittingBoards.allSatisfy { $0.bootLoader == .mcuboot })
    }
    #expect(taken > 400)
  }
}
