import HeraldCrypto
import HeraldEmbedded
import Testing

@testable import HeraldDeviceLink

@Suite("Images")
struct ImageManagementTests {
  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
  private func text(_ text: String) -> [UInt8] { [0x60 + UInt8(text.utf8.count)] + bytes(text) }
  private func request(_ command: UInt8, _ body: [UInt8], operation: UInt8 = 0x0A) -> [UInt8] {
    [operation, 0, UInt8(body.count >> 8), UInt8(body.count & 0xFF), 0, 1, 7, command] + body
  }
  private func failure(_ code: UInt8) -> [UInt8] {
    all(
      hex("A1"), text("err"), hex("A2"), text("group"), hex("01"), text("rc"),
      code < 24 ? [code] : [0x18, code])
  }
  /// One behind the other: `+` takes the compiler too long.
  private func all(_ parts: [UInt8]...) -> [UInt8] { parts.flatMap { $0 } }
  private func data(_ bytes: [UInt8]) -> [UInt8] { text("data") + [0x58, UInt8(bytes.count)] + bytes }
  private let hash = [UInt8](repeating: 0xC5, count: 32)

  /// Version 1.2.3 build 4, eight bytes, one entry with the hash.
  private func image(magic: [UInt8] = hex("3DB8F396"), list: [UInt8]? = nil, flags: UInt8 = 0) -> [UInt8] {
    all(
      magic, hex("00000000 2000 0000 08000000"), [flags, 0, 0, 0], hex("01 02 0300 04000000 00000000"),
      hex("1122334455667788"), list ?? all(hex("0769 2800 1000 2000"), hash))
  }

  /// The first piece of an upload, of `count` bytes.
  private func first(_ image: [UInt8], _ count: Int, sha: [UInt8]? = nil, length: UInt8? = nil) -> [UInt8] {
    let told = sha.map { all(text("sha"), [0x58, UInt8($0.count)], $0) } ?? []
    return request(
      1,
      all(
        hex(sha == nil ? "A4" : "A5"), text("image"), [0], text("len"), [0x18, length ?? UInt8(image.count)],
        text("off"), [0], told, data(Array(image.prefix(count)))))
  }
  private func next(_ image: [UInt8], from offset: Int, to end: Int) -> [UInt8] {
    request(1, all(hex("A2"), text("off"), [0x18, UInt8(offset)], data(Array(image[offset..<end]))))
  }
  private func off(_ offset: UInt8) -> [UInt8] {
    hex("A1") + text("off") + (offset < 24 ? [offset] : [0x18, offset])
  }
  private func sha256(_ bytes: [UInt8]) -> [UInt8] {
    let digest = SHA256.digest(of: bytes.span)
    return (0..<32).map { digest[$0] }
  }

  @Test("an image goes in piece by piece, is reported with version and hash, and is planned to be started")
  func whole() {
    var device = TestDevice()
    let image = image()
    let running = all(
      hex("A5"), text("slot"), [0], text("version"), text("0.1.0"), text("bootable"), hex("F5"),
      text("confirmed"), hex("F5"), text("active"), hex("F5"))
    let states = request(0, [0xA0], operation: 0x08)
    check(
      answer(states, &device)[8...]
        == (all(hex("A2"), text("images"), hex("81"), running, text("splitStatus"), [0]))[...])
    check(answer(first(image, 40, sha: sha256(image)), &device) == all(hex("0B000007 0001 0701"), off(40)))
    // The same again, out of order, beyond: changes nothing, and tells where to go on.
    check(answer(first(image, 40, sha: sha256(image)), &device).dropFirst(8) == off(40)[...])
    check(answer(next(image, from: 60, to: 70), &device).dropFirst(8) == off(40)[...])
    check(answer(next(image, from: 40, to: 70), &device).dropFirst(8) == off(70)[...])
    check(
      answer(next(image, from: 70, to: 80), &device).dropFirst(8)
        == (all(hex("A2"), text("off"), [0x18, 80], text("match"), hex("F5")))[...])
    check(device.slot == image)
    func waiting(_ more: String, _ count: UInt8) -> [UInt8] {
      all(
        [0xA0 + count], text("slot"), [1], text("version"), text("1.2.3.4"), text("hash"), hex("5820"), hash,
        text("bootable"), hex("F5"), hex(more))
    }
    let head = all(hex("A2"), text("images"), hex("82"), running)
    check(answer(states, &device)[8...] == (all(head, waiting("", 4), text("splitStatus"), [0]))[...])
    // Tried once, then permanently.
    let test = request(0, all(hex("A2"), text("hash"), hex("5820"), hash, text("confirm"), hex("F4")))
    check(
      answer(test, &device)[8...]
        == (all(head, waiting("67 70656E64696E67 F5", 5), text("splitStatus"), [0]))[...])
    let confirm = request(0, all(hex("A2"), text("hash"), hex("5820"), hash, text("confirm"), hex("F5")))
    check(
      answer(confirm, &device)[8...]
        == (all(head, waiting("67 70656E64696E67 F5 69 7065726D616E656E74 F5", 6), text("splitStatus"), [0]))[
          ...])
    check(device.plan == .permanent)
    // One that waits to be started is neither replaced nor erased.
    check(answer(first(image, 40), &device).dropFirst(8) == failure(28)[...])
    check(answer(request(5, [0xA0]), &device).dropFirst(8) == failure(28)[...])
    check(answer(request(5, [0xA0], operation: 2), &device) == hex("03000005 0001 0705 A1 62 7263 06"))
    device.plan = .none
    check(answer(request(5, all(hex("A1"), text("slot"), [0])), &device).dropFirst(8) == failure(14)[...])
    check(answer(request(5, [0xA0]), &device) == hex("0B000001 0001 0705 A0"))
    check(device.slot == [])
    check(answer(test, &device).dropFirst(8) == failure(3)[...])
  }

  @Test("the running image is reported with its hash, if the device has one, and is confirmed by it")
  func runningHash() {
    var device = TestDevice()
    device.runningHash = [UInt8](repeating: 0xAB, count: 32)
    let running = all(
      hex("A6"), text("slot"), [0], text("version"), text("0.1.0"), text("hash"), hex("5820"),
      device.runningHash, text("bootable"), hex("F5"), text("confirmed"), hex("F5"), text("active"),
      hex("F5"))
    let expected = all(hex("A2"), text("images"), hex("81"), running, text("splitStatus"), [0])
    check(answer(request(0, [0xA0], operation: 0x08), &device)[8...] == expected[...])
    func setState(_ confirm: String) -> [UInt8] {
      request(
        0, all(hex("A2"), text("hash"), hex("5820"), device.runningHash, text("confirm"), hex(confirm)))
    }
    check(answer(setState("F5"), &device)[8...] == expected[...])
    check(device.plan == .none)
    // There is nothing to be tried.
    check(answer(setState("F4"), &device).dropFirst(8) == failure(3)[...])
  }

  @Test("how much a slot holds is reported, and cannot be written")
  func slotInfo() {
    var device = TestDevice()
    check(
      answer(request(6, [0xA0], operation: 0x08), &device)
        == all(
          hex("0900 0037 0001 0706 A1"), text("images"), hex("81 A3"), text("image"), [0], text("slots"),
          hex("81 A2"),
          text("slot"), [1], text("size"), [0x18, 200], text("max_image_size"), [0x18, 200]))
    check(answer(request(6, [0xA0]), &device).dropFirst(8) == hex("A1 62 7263 08")[...])
  }

  @Test("bytes whose hash differs from the announced one are not kept")
  func mismatch() {
    var device = TestDevice()
    let image = image()
    check(answer(first(image, 40, sha: hash), &device).dropFirst(8) == off(40)[...])
    check(
      answer(next(image, from: 40, to: 80), &device).dropFirst(8)
        == (all(hex("A2"), text("off"), [0x18, 80], text("match"), hex("F4")))[...])
    check(device.slot == [])
    // Without a hash nobody can tell.
    check(answer(first(image, 40), &device).dropFirst(8) == off(40)[...])
    check(answer(next(image, from: 40, to: 80), &device).dropFirst(8) == off(80)[...])
    check(device.slot == image)
  }

  @Test("what cannot be an image, does not fit, or is not newer is refused before anything is erased")
  func refusals() {
    var device = TestDevice()
    device.slot = [1, 2, 3]
    let image = image()
    check(answer(first(image, 31), &device).dropFirst(8) == failure(22)[...])
    check(answer(first(self.image(magic: hex("3DB8F397")), 40), &device).dropFirst(8) == failure(23)[...])
    check(answer(first(image, 40, length: 255), &device).dropFirst(8) == failure(30)[...])
    check(answer(first(image, 40, sha: [1, 2]), &device).dropFirst(8) == failure(24)[...])
    let body = all(hex("A2"), text("off"), [0], data(Array(image.prefix(40))))
    check(answer(request(1, body), &device).dropFirst(8) == failure(21)[...])
    check(answer(request(1, all(hex("A1"), data(image))), &device).dropFirst(8) == failure(20)[...])
    check(
      answer(request(1, all(hex("A3"), text("image"), [1], text("off"), [0], data(image))), &device)
        .dropFirst(8)
        == failure(14)[...])
    let upgrade = all(
      hex("A4"), text("upgrade"), hex("F5"), text("len"), [0x18, 80], text("off"), [0], data(image))
    device.release = "1.2.3"
    check(answer(request(1, upgrade), &device).dropFirst(8) == failure(27)[...])
    check(device.slot == [1, 2, 3])
    device.release = "1.2.2"
    check(answer(request(1, upgrade), &device).dropFirst(8) == off(80)[...])
    // More than was told.
    device.slot = []
    check(answer(first(image, 40, length: 60), &device).dropFirst(8) == off(40)[...])
    check(answer(next(image, from: 40, to: 80), &device).dropFirst(8) == failure(31)[...])
    // Nothing has begun: begin.
    device.imageUpload = ImageUpload()
    check(answer(next(image, from: 40, to: 80), &device).dropFirst(8) == off(0)[...])
    // A slot that fails.
    device.isFlashBroken = true
    check(answer(first(image, 40), &device).dropFirst(8) == failure(13)[...])
    check(answer(request(1, [0x80]), &device).dropFirst(8) == hex("A1 62 7263 03")[...])
    check(
      answer(request(1, all(hex("A1"), text("data"), [7])), &device).dropFirst(8) == hex("A1 62 7263 03")[...]
    )
    check(answer(request(1, [0xA0], operation: 8), &device).dropFirst(8) == hex("A1 62 7263 08")[...])
    check(answer(request(2, [0xA0]), &device).dropFirst(8) == hex("A1 62 7263 08")[...])
  }

  @Test("lists behind an image are accepted only as far as they agree with what is there")
  func lists() {
    var device = TestDevice()
    func read(_ image: [UInt8]) -> String {
      device.slot = image
      switch SlotImage.read(&device) {
      case .success(let found): return "\(found.hash[0])"
      case .failure(let failure): return "refused \(failure.code)"
      }
    }
    let entry = all(hex("1000 2000"), hash)
    check(read(image()) == "197")
    // A protected list in front, told in the header or not.
    var protected = image(list: all(hex("0869 0C00 5000 0400 01020304"), hex("0769 2800"), entry))
    check(read(protected) == "refused 4")
    protected[10] = 12
    check(read(protected) == "197")
    protected[10] = 13
    check(read(protected) == "refused 4")
    // Other entries in front; none; two; one of another length; cut; too long; an entry beyond the end.
    check(read(image(list: all(hex("0769 2E00 2000 0200 0102"), entry))) == "197")
    check(read(image(list: hex("0769 0400"))) == "refused 8")
    check(read(image(list: all(hex("0769 4C00"), entry, entry))) == "refused 5")
    check(read(image(list: all(hex("0769 2700 1000 1F00"), hash.dropLast()))) == "refused 5")
    check(read(Array(image().dropLast())) == "refused 4")
    check(read(image(list: all(hex("0769 FFFF"), entry))) == "refused 4")
    check(read(image(list: all(hex("0769 2800 1000 2100"), hash))) == "refused 5")
    check(read(image(list: [])) == "refused 4")
    check(read(Array(image().prefix(31))) == "refused 3" && read([]) == "refused 3")
    // Sizes that would overflow.
    var huge = image()
    huge.replaceSubrange(12..<16, with: [0xFF, 0xFF, 0xFF, 0xFF])
    check(read(huge) == "refused 4")
    huge.replaceSubrange(8..<10, with: [0xFF, 0xFF])
    check(read(huge) == "refused 4")
    huge.replaceSubrange(8..<10, with: [0x1F, 0])
    check(read(huge) == "refused 3")
    device.slot = image(flags: 0x10)
    // One that must not be started is told without "bootable": ten bytes fewer.
    check(answer(request(0, [0xA0], operation: 8), &device).dropFirst(8).count == 134)
    device.slot = image()
    check(answer(request(0, [0xA0], operation: 8), &device).dropFirst(8).count == 144)
  }

  @Test("after a thousand half-finished uploads the next one works")
  func halfFinished() {
    var device = TestDevice()
    let image = image()
    for number in 0..<1000 {
      let sha = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 32)
      check(answer(first(image, 32 + number % 40, sha: number % 3 == 0 ? nil : sha), &device).count > 8)
      check(device.slot.count <= 200)
    }
    check(answer(first(image, 80, sha: sha256(image)), &device).suffix(1) == [0xF5])
    check(device.slot == image)
  }

  @Test("versions are compared by their three numbers")
  func versions() {
    func newer(_ running: String) -> Bool? {
      ImageHeader(image().span).map { $0.isNewer(than: ImageVersion(Array(running.utf8).span)) }
    }
    for older in ["1.2.2", "1.1.9", "0.9.9", "", "x", "1", "1.2", "1.2.2-dev"] {
      check(newer(older) == true, "\(older)")
    }
    for newest in ["1.2.3", "1.2.4", "1.3", "2", "1.2.3+9", "999999999999.0.0"] {
      check(newer(newest) == false, "\(newest)")
    }
  }

  /// The image with its true hash, and behind that a signature of bytes `5A`, of which the first is `mark`.
  private func signedImage(mark: UInt8 = 0x5A, length: UInt8 = 64) -> [UInt8] {
    let body = image(list: [])
    let signature = [mark] + [UInt8](repeating: 0x5A, count: Int(length) - 1)
    return all(
      body, hex("0769"), [44 + length, 0], hex("1000 2000"), sha256(body), hex("2400"), [length, 0], signature
    )
  }

  /// Uploads an image in pieces of at most 108 bytes; returns the last response without its header.
  private func upload(_ image: [UInt8], _ device: inout TestDevice) -> ArraySlice<UInt8> {
    var last = answer(first(image, 40), &device)[...]
    for offset in stride(from: 40, to: image.count, by: 108) {
      last = answer(next(image, from: offset, to: min(image.count, offset + 108)), &device)[...]
    }
    return last.dropFirst(8)
  }

  private func keyed() -> TestDevice {
    var device = TestDevice()
    device.imageSignature = ([UInt8](repeating: 0x5A, count: 64), sha256(image(list: [])))
    return device
  }

  @Test("a device with a key takes an image with its signature, and can start it")
  func signed() {
    var device = keyed()
    let image = signedImage()
    #expect(image.count == 148)
    check(upload(image, &device) == off(148)[...])
    check(device.slot == image)
    let plan = request(0, all(hex("A1"), text("hash"), hex("5820"), sha256(self.image(list: []))))
    _ = answer(plan, &device)
    check(device.plan == .test)
  }

  @Test("a device with a key empties the slot of an image without its signature, or with other bytes")
  func unsigned() {
    var changed = signedImage()
    changed[36] ^= 1
    var otherHash = signedImage()
    otherHash[50] ^= 1
    for image in [
      self.image(list: all(hex("0769 2800 1000 2000"), sha256(self.image(list: [])))),
      signedImage(mark: 0x5B),
      signedImage(length: 63), changed, otherHash,
    ] {
      var device = keyed()
      check(upload(image, &device) == failure(5)[...])
      check(device.slot == [])
      // Without a key it is taken.
      var open = TestDevice()
      check(upload(image, &open) == off(UInt8(image.count))[...])
    }
  }

  @Test("a device with a key takes no image that names another key, or is followed by other bytes")
  func foreignEntries() {
    func image(_ kind: String, _ key: [UInt8], behind: [UInt8] = []) -> [UInt8] {
      let body = self.image(list: [])
      let signature = [UInt8](repeating: 0x5A, count: 64)
      let entries = all(
        hex("1000 2000"), sha256(body), hex(kind), [UInt8(key.count), 0], key, hex("2400 4000"), signature)
      return all(body, hex("0769"), [UInt8(entries.count + 4), 0], entries, behind)
    }
    let own = [UInt8](repeating: 0x4B, count: 32)
    for (image, isTaken) in [
      (image("0100", own), true), (image("0100", [0x4A] + own.dropFirst()), false),
      (image("0100", [UInt8](own.dropLast())), false),
      (image("0200", [UInt8](repeating: 0x4B, count: 44)), false),
      (image("0200", [UInt8](repeating: 0x4B, count: 45)), false), (image("0100", []), false),
      (image("0100", own, behind: [0xFF]), false), (image("0100", own, behind: [0x01, 0x02]), false),
    ] {
      var device = keyed()
      check(upload(image, &device) == (isTaken ? off(UInt8(image.count)) : failure(5))[...])
      check(device.slot == (isTaken ? image : []))
      // Without a key it is taken.
      var open = TestDevice()
      check(upload(image, &open) == off(UInt8(image.count))[...])
    }
  }

  @Test("an image that was there before the key is not started without its signature")
  func olderThanKey() {
    var device = TestDevice()
    let image = signedImage(mark: 0x5B)
    _ = upload(image, &device)
    device.imageSignature = keyed().imageSignature
    let plan = request(0, all(hex("A1"), text("hash"), hex("5820"), sha256(self.image(list: []))))
    check(answer(plan, &device).dropFirst(8) == failure(5)[...])
    check(device.plan == .none)
  }
}
