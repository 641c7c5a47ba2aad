import Testing

@testable import HeraldFlash
@testable import HeraldImages

@Suite("Kinds of images of imgtool")
struct MCUbootKindsTests {
  private static func unwrapped(_ bytes: [UInt8]) -> String? {
    do {
      _ = try FirmwareImage(bytes).unsigned()
      return nil
    } catch {
      return "\(error)"
    }
  }

  private static func obstacle(_ bytes: [UInt8]) throws -> String? {
    try #require(BoardCatalogue.named("mcuboot")).obstacle(to: FirmwareImage(bytes))
  }

  @Test("An encrypted image is not damaged: its hash is that of the program before, and its program hidden")
  func encrypted() throws {
    let image = try MCUbootImage(ImgtoolKinds.encrypted)
    #expect(image.isEncrypted && image.compression == nil && image.hashState == .unknown)
    #expect(image.hiddenProgram == "is encrypted")
    #expect(
      image.entries.map { MCUbootImage.EntryType.name($0.type) }.last == "key encrypted with ECIES-X25519")
    let key = try MCUbootKey(pem: Imgtool.ed25519Key)
    #expect(
      image.signatureState(key: key) == .validForHash
        && image.signatureState(key: key).word == "valid-for-hash")
    let p256 = try MCUbootImage(ImgtoolKinds.encryptedP256)
    #expect(p256.signatureState(key: try MCUbootKey(pem: Imgtool.ecdsaPublicKey)) == .validForHash)
    #expect(p256.signatureState(key: key) == .present("ECDSA signature"))
    #expect(Self.unwrapped(ImgtoolKinds.encrypted)?.hasPrefix("its program is encrypted") == true)
    #expect(try Self.obstacle(ImgtoolKinds.encrypted) == nil)
    // What is signed is the hash: with another one the signature is wrong.
    var changed = ImgtoolKinds.encrypted
    changed[32 + 16 + 8] ^= 1
    #expect(try MCUbootImage(changed).signatureState(key: key) == .invalid)
  }

  @Test("The signature of an encrypted image is not enough for a write that checks it")
  func encryptedOrigin() throws {
    let trust = ImageTrust(key: try MCUbootKey(pem: Imgtool.ed25519Key))
    let failure = #expect(throws: FlashFailure.self) {
      try trust.origin(of: FirmwareImage(ImgtoolKinds.encrypted), name: "x.bin", file: nil)
    }
    #expect(failure?.cause == .signature && failure?.what.contains("is encrypted") == true)
    // A plain image whose flag says encrypted, with another program, gains nothing by it.
    var forged = Imgtool.plain
    forged[16] |= 4
    forged[40] ^= 1
    #expect(try MCUbootImage(forged).hashState == .unknown)
    #expect(throws: FlashFailure.self) {
      try trust.origin(of: FirmwareImage(forged), name: "x.bin", file: nil)
    }
  }

  @Test("An image for encryption with its program in the clear is checked as any other")
  func clear() throws {
    let image = try MCUbootImage(ImgtoolKinds.clear)
    #expect(image.isEncrypted && image.hashState == .right && image.hiddenProgram == nil)
    #expect(image.signatureState(key: try MCUbootKey(pem: Imgtool.ed25519Key)) == .valid)
    #expect(try FirmwareImage(ImgtoolKinds.clear).unsigned().segments[0].bytes.starts(with: Array(0..<16)))
  }

  @Test("A compressed image is checked as it is, and not unwrapped")
  func compressed() throws {
    let image = try MCUbootImage(ImgtoolKinds.compressed)
    #expect(image.compression == "LZMA2 with the filter for Arm Thumb code" && image.hashState == .right)
    #expect(image.signatureState(key: try MCUbootKey(pem: Imgtool.ed25519Key)) == .valid)
    #expect(
      image.protectedEntries.map { MCUbootImage.EntryType.name($0.type) } == [
        "decompressed size", "decompressed hash", "decompressed signature",
      ])
    #expect(
      Self.unwrapped(ImgtoolKinds.compressed)
        == "its program is compressed (LZMA2 with the filter for Arm Thumb code), and herald-flash cannot undo this: take the file that was given to imgtool"
    )
    #expect(try Self.obstacle(ImgtoolKinds.compressed) == nil)
  }

  @Test("What is really damaged is not unwrapped either")
  func damaged() throws {
    var changed = Imgtool.plain
    changed[40] ^= 1
    #expect(Self.unwrapped(changed) == "its hash differs from the one in the image: it is damaged")
    #expect(try Self.obstacle(changed) == "is damaged: its SHA-256 differs from the one in the image")
  }

  @Test("Hashes and signatures that devices do not know are refused by one sentence, before anything is sent")
  func unsupported() throws {
    let key = try MCUbootKey(pem: Imgtool.ed25519Key)
    for (bytes, name) in [(ImgtoolKinds.sha512, "SHA-512"), (ImgtoolKinds.sha384, "SHA-384")] {
      let image = try MCUbootImage(bytes)
      #expect(image.hashState == .right)
      #expect(
        image.unsupported
          == "carries a \(name), and devices know images by their SHA-256: sign it with `imgtool sign --sha 256`"
      )
      #expect(try Self.obstacle(bytes) == image.unsupported)
    }
    #expect(try MCUbootImage(ImgtoolKinds.sha512).signatureState(key: key) == .valid)
    let pure = try MCUbootImage(ImgtoolKinds.pure)
    #expect(pure.isPure && pure.signatureState(key: key) == .valid)
    #expect(try Self.obstacle(ImgtoolKinds.pure) == pure.unsupported)
    #expect(pure.unsupported?.contains("over the image itself") == true)
    #expect(try MCUbootImage(Imgtool.ed25519).unsupported == nil)
  }

  @Test("Trailers in Intel HEX are those of binaries, and the image in front of them is an image")
  func trailers() throws {
    let confirmed = try FirmwareImage(Array(ImgtoolKinds.confirmedHex.utf8))
    #expect(confirmed.mcuboot?.bytes == Imgtool.plain && confirmed.mcuboot?.hashState == .right)
    #expect(confirmed.trailer?.address == 0xCFF0 && confirmed.trailer?.isConfirmed == true)
    #expect(confirmed.trailer?.alignment == 8 && confirmed.trailer?.swapInfo == nil)
    for text in [ImgtoolKinds.paddedHex, ImgtoolKinds.testHex] {
      let image = try FirmwareImage(Array(text.utf8))
      #expect(image.mcuboot?.bytes == Imgtool.plain && image.trailer?.isConfirmed == false)
    }
    let aligned = try FirmwareImage(Array(ImgtoolKinds.aligned32Hex.utf8))
    #expect(aligned.trailer?.alignment == 32 && aligned.trailer?.isConfirmed == true)
    // The same in a binary, which imgtool pads with FF; and from HEX to binary nothing is lost.
    let whole = try confirmed.file(.mcuboot)
    #expect(whole.count == 0x1000)
    let binary = try FirmwareImage(whole, base: 0xC000)
    #expect(binary.trailer == confirmed.trailer && binary.mcuboot == confirmed.mcuboot)
    #expect(binary.bytesBehindImage == 0)
    // What is neither is told.
    var dumped = whole
    (dumped[0x800], dumped[0x801], dumped[0xFE0], dumped[0xFD8]) = (1, 2, 1, 0x13)
    let slot = try FirmwareImage(dumped, base: 0xC000)
    #expect(slot.bytesBehindImage == 2 && slot.trailer?.isCopied == true && slot.trailer?.swapInfo == 0x13)
    #expect(try FirmwareImage(Imgtool.plain + [1, 2, 3]).bytesBehindImage == 3)
    #expect(try FirmwareImage(Imgtool.plain).trailer == nil)
  }

  @Test("An image whose HEX leaves a gap in the program is read with erased flash in it")
  func gap() throws {
    let program = [1, 2, 3, 4] + [UInt8](repeating: 0xFF, count: 8) + [5, 6, 7, 8]
    let whole = try MCUbootImage.make(program, .init(version: .init(major: 1), headerSize: 32))
    let image = try FirmwareImage(
      format: .intelHex,
      pieces: [
        .init(address: 0x8000, bytes: Array(whole[..<36])),
        .init(address: 0x802C, bytes: Array(whole[44...])),
      ])
    #expect(image.mcuboot?.bytes == whole && image.mcuboot?.hashState == .right)
  }

  @Test("Every entry of MCUboot 2.3 has a name")
  func names() throws {
    let known: [UInt16] = [
      0x01, 0x02, 0x10, 0x11, 0x12, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x30, 0x31, 0x32, 0x33, 0x34, 0x40,
      0x50,
      0x60, 0x70, 0x71, 0x72, 0x73, 0x74, 0x75,
    ]
    let names = known.map { MCUbootImage.EntryType.name($0) }
    #expect(!names.contains { $0.hasPrefix("0x") } && Set(names).count == known.count)
    #expect(MCUbootImage.EntryType.name(0x00A0) == "vendor's entry 0x00a0")
    #expect(MCUbootImage.EntryType.name(0x0076) == "0x0076")
    #expect(
      try MCUbootImage(ImgtoolKinds.uuids).protectedEntries.map { MCUbootImage.EntryType.name($0.type) } == [
        "vendor UUID", "device class UUID",
      ])
  }
}
