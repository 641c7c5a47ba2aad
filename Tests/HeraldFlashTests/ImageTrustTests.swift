import Foundation
import HeraldText
import Testing

@testable import HeraldFlash
@testable import HeraldImages

@Suite("Signatures of images in files beside them")
struct ImageTrustTests {
  /// The first key of RFC 8032, 7.1, in PEM.
  private static let privateKey = """
    -----BEGIN PRIVATE KEY-----
    MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
    -----END PRIVATE KEY-----
    """
  private static let publicKey = """
    -----BEGIN PUBLIC KEY-----
    MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
    -----END PUBLIC KEY-----
    """
  /// Made with Python's `cryptography` for `image`, from the description of the format alone.
  private static let file = """
    herald-image-signature 1
    board microbit2
    version 1.2.3
    sha256 f7a9e308bf1c1fa8fbd146a6a8537d9189242c1ca52a0ab0917521f1a9f854c8
    signature \
    81f17293aae920c34104337d8aa5f04099a8c177667be9078e66064ea084f3ec\
    dead7360afb2394e8cfc23cc92b7e14511fe054cbdb35197539987778cc25104

    """

  private static func image(
    at address: UInt32 = 0x1000, _ bytes: [UInt8] = Array(0..<16), second: UInt32 = 0x2000
  ) throws -> FirmwareImage {
    try FirmwareImage(
      format: .intelHex,
      pieces: [
        .init(address: address, bytes: bytes), .init(address: second, bytes: [0xAA, 0xBB]),
      ])
  }

  private static func failure<Result>(_ body: () throws(FlashFailure) -> Result) -> FlashFailure? {
    do {
      _ = try body()
      return nil
    } catch {
      return error
    }
  }

  private static func refusal(of image: FirmwareImage, _ file: String?, key: String = publicKey) throws
    -> String?
  {
    let trust = ImageTrust(key: try MCUbootKey(pem: key))
    let failure = failure { () throws(FlashFailure) in
      try trust.origin(of: image, name: "IMAGE", file: file.map { Array($0.utf8) })
    }
    #expect(failure == nil || (failure?.cause == .signature && failure?.state == .untouched))
    return failure?.what
  }

  @Test("A signature made with another program is valid, with the public and with the private key")
  func valid() throws {
    for key in [Self.publicKey, Self.privateKey] {
      let trust = ImageTrust(key: try MCUbootKey(pem: key))
      let origin = try trust.origin(of: try Self.image(), name: "IMAGE", file: Array(Self.file.utf8))
      #expect(origin.board == "microbit2" && origin.version == .init(major: 1, minor: 2, revision: 3))
      #expect(Array(origin.key.prefix(8)).hexadecimal == "06e3fd8fda29bb60")
    }
  }

  @Test("What is signed here has the lines that were signed there, and a valid signature")
  func signing() throws {
    let key = try MCUbootKey(pem: Self.privateKey)
    let made = try ImageSignature(
      signing: try Self.image(), board: "microbit2", version: .init(major: 1, minor: 2, revision: 3), key: key
    )
    let text = String(decoding: made.file, as: UTF8.self)
    #expect(text.dropLast(129) == Self.file.dropLast(129))
    #expect(try Self.refusal(of: try Self.image(), text) == nil)
  }

  @Test("Another byte, another address or another segment is another image")
  func contents() throws {
    var bytes = Array(0..<16) as [UInt8]
    bytes[15] ^= 1
    for other in [
      try Self.image(at: 0x1000, bytes), try Self.image(at: 0x1004), try Self.image(second: 0x2001),
      try Self.image(at: 0x1000, Array(0..<15)),
    ] {
      #expect(
        try Self.refusal(of: other, Self.file)
          == "IMAGE is not the image that was signed: its contents differ")
    }
  }

  @Test("No file, another board, another version, another key or a damaged file: refused, with the reason")
  func refused() throws {
    let image = try Self.image()
    #expect(try Self.refusal(of: image, nil) == "IMAGE is not signed")
    let untrusted = "IMAGE is not signed with the key 06e3fd8fda29bb60"
    for (old, new) in [("microbit2", "microbit"), ("1.2.3", "1.2.4"), ("f7a9", "f7a8"), ("81f1", "81f0")] {
      #expect(
        try Self.refusal(of: image, Self.file.replacingOccurrences(of: old, with: new)) == untrusted)
    }
    #expect(
      try Self.refusal(of: image, Self.file, key: Imgtool.ed25519PublicKey)?.contains("not signed with")
        == true)
    #expect(
      try Self.refusal(of: image, Self.file, key: Imgtool.ecdsaKey)?.contains("not signed with") == true)
    for damaged in [
      "", "\n", String(Self.file.dropLast()), Self.file + "\n", Self.file.uppercased(),
      Self.file.replacingOccurrences(of: "\n", with: "\r\n"),
      Self.file.replacingOccurrences(of: "e", with: "E"),
      Self.file.replacingOccurrences(of: "signature 1\n", with: "signature 2\n"),
      Self.file.replacingOccurrences(of: "version 1.2.3", with: "version 01.2.3"),
      Self.file.replacingOccurrences(of: "board microbit2", with: "board micro bit"),
      Self.file + String(repeating: " ", count: 1024),
    ] {
      #expect(
        try Self.refusal(of: image, damaged)?.hasPrefix("IMAGE has a damaged signature: ") == true,
        "\(damaged)")
    }
  }

  @Test("Any truncation and any flipped bit of the file is refused")
  func hostile() throws {
    let image = try Self.image()
    let trust = ImageTrust(key: try MCUbootKey(pem: Self.publicKey))
    let file = Array(Self.file.utf8)
    for count in 0..<file.count {
      let failure = Self.failure { () throws(FlashFailure) in
        try trust.origin(of: image, name: "", file: Array(file[..<count]))
      }
      #expect(failure?.cause == .signature)
    }
    for bit in 0..<file.count * 8 {
      var other = file
      other[bit / 8] ^= 1 << (bit % 8)
      let failure = Self.failure { () throws(FlashFailure) in
        try trust.origin(of: image, name: "", file: other)
      }
      #expect(failure?.cause == .signature, "bit \(bit)")
    }
  }

  @Test("An image that was built for another board than it is signed for is refused, and cannot be signed")
  func builtFor() throws {
    let key = try MCUbootKey(pem: Self.privateKey)
    let marked = try Self.image(at: 0x1000, Array("\u{0}board=nrf52833dk\u{0}".utf8))
    #expect(throws: FirmwareError.self) {
      try ImageSignature(signing: marked, board: "microbit2", version: .init(major: 1), key: key)
    }
    let hash = marked.placedHash
    let message = ImageSignature.message(board: "microbit2", version: .init(major: 1), hash: hash)
    let forged = try ImageSignature(
      board: "microbit2", version: .init(major: 1), hash: hash, signature: try key.signMessage(message))
    #expect(
      try Self.refusal(of: marked, String(decoding: forged.file, as: UTF8.self))
        == "IMAGE was built for nrf52833dk and signed for microbit2")
  }

  @Test("Public keys and keys for ECDSA sign no image")
  func keysThatCannot() throws {
    for pem in [Self.publicKey, Imgtool.ecdsaKey] {
      let key = try MCUbootKey(pem: pem)
      #expect(throws: FirmwareError.self) {
        try ImageSignature(signing: try Self.image(), board: "microbit2", version: .init(major: 1), key: key)
      }
    }
  }

  @Test("Another board than the signed one, and an older version than the running one, are refused")
  func boardAndVersion() throws {
    let origin = ImageTrust.Origin(
      board: "microbit2", version: .init(major: 1, minor: 2, revision: 3, build: 1), key: [])
    let right = try #require(BoardCatalogue.named("microbit2"))
    let wrong = try #require(BoardCatalogue.named("nrf52833dk"))
    #expect(Self.failure { () throws(FlashFailure) in try origin.check(right) } == nil)
    #expect(Self.failure { () throws(FlashFailure) in try origin.check(wrong) }?.cause == .doesNotFit)
    for (version, isRefused) in [
      ("1.2.3+9", false), ("1.2.2", false), ("0.9.9", false), ("1.2.4", true), ("1.3.0", true),
      ("2.0.0", true),
      ("1.2.256", true),
    ] {
      let running = try #require(MCUbootImage.Version(version))
      let failure = Self.failure { () throws(FlashFailure) in try origin.check(running: running) }
      #expect((failure?.cause == .older) == isRefused, "\(version)")
    }
    #expect(Self.failure { () throws(FlashFailure) in try origin.check(running: nil) } == nil)
  }

  @Test("An image in MCUboot's form is trusted by the signature that it carries")
  func mcuboot() throws {
    let image = try FirmwareImage(Imgtool.ed25519)
    let origin = try ImageTrust(key: try MCUbootKey(pem: Imgtool.ed25519PublicKey)).origin(
      of: image, name: "", file: nil)
    #expect(origin.board == nil && origin.version.description == "1.2.3+4")
    let plain = try FirmwareImage(Imgtool.plain)
    #expect(try Self.refusal(of: image, nil) == "IMAGE is not signed with the key 06e3fd8fda29bb60")
    #expect(try Self.refusal(of: plain, nil) == "IMAGE is not signed")
    var wrong = Imgtool.ed25519
    wrong[wrong.count - 1] ^= 1
    #expect(
      try Self.refusal(of: try FirmwareImage(wrong), nil, key: Imgtool.ed25519PublicKey)
        == "IMAGE has a wrong signature")
  }

  @Test("MCUmgr's form of a version has the build behind a third dot")
  func mcumgrVersion() {
    #expect(MCUbootImage.Version(mcumgr: "1.2.3.4") == .init(major: 1, minor: 2, revision: 3, build: 4))
    #expect(MCUbootImage.Version(mcumgr: "1.2.3") == .init(major: 1, minor: 2, revision: 3))
    #expect(MCUbootImage.Version(mcumgr: "1.2.3.4.5") == nil && MCUbootImage.Version(mcumgr: "") == nil)
  }
}
