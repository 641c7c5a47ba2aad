import HeraldCrypto
import HeraldDeviceLink
import HeraldHAL
import TestInputs
import Testing

@Suite("The life of uploads and downloads")
struct UploadLifeTests {
  private func text(_ text: String) -> [UInt8] { [0x60 + UInt8(text.utf8.count)] + Array(text.utf8) }
  private func packet(_ operation: UInt8, _ group: UInt8, _ command: UInt8, _ body: [UInt8]) -> [UInt8] {
    [operation, 0, 0, UInt8(body.count), 0, group, 7, command] + body
  }
  private func data(_ bytes: [UInt8]) -> [UInt8] { text("data") + [0x58, UInt8(bytes.count)] + bytes }

  /// An image of 80 bytes, whose content is of this kind.
  private func image(_ kind: UInt8) -> [UInt8] {
    var bytes = hex("3DB8F396 00000000 2000 0000 08000000 00000000 01 02 0300 04000000 00000000")
    bytes += [UInt8](repeating: kind, count: 8)
    bytes += hex("0769 2800 1000 2000")
    return bytes + [UInt8](repeating: kind, count: 32)
  }

  /// A part of an upload: the first one, with or without a hash, the next, one out of order, one that is
  /// damaged; or the erasure of the slot.
  private func part(_ random: inout SplitMix64, _ position: Int) -> [UInt8] {
    let image = image(UInt8(random.next() % 2))
    let end = min(position + 1 + Int(random.next() % 40), 80)
    switch random.next() % 9 {
    case 0, 1:
      let hasHash = random.next() % 2 == 0
      let digest = SHA256.digest(of: image.span)
      let hash = (0..<32).map { digest[$0] }
      let first = Array(image[..<(32 + Int(random.next() % 30))])
      let length: [UInt8] = [0x18, random.next() % 6 == 0 ? 250 : 80]
      var body = [hasHash ? 0xA4 : 0xA3] + text("len") + length
      body += text("off") + [0]
      if hasHash { body += text("sha") + [0x58, 32] + hash }
      return packet(0x0A, 1, 1, body + data(first))
    case 2:
      return packet(0x0A, 1, 1, [0xA2] + text("off") + [0x18, UInt8(random.next() % 80)] + data([1, 2, 3]))
    case 3: return packet(0x0A, 1, 1, [0xA1] + text("off") + [0x18, UInt8(position)])
    case 4: return packet(0x0A, 1, 5, [0xA0])
    default:
      let rest = position < end ? Array(image[position..<end]) : [1]
      return packet(0x0A, 1, 1, [0xA2] + text("off") + [0x18, UInt8(position)] + data(rest))
    }
  }

  /// The first 40 bytes of an image, without a hash: another upload begins with it, whatever there was.
  private func first() -> [UInt8] {
    packet(
      0x0A, 1, 1, [0xA3] + text("len") + [0x18, 80] + text("off") + [0] + data(Array(image(0)[..<40])))
  }

  @Test(
    "an upload goes as into a slot that never had one, once that was erased or it has begun anew, whatever was before"
  )
  func images() {
    for seed in 0..<300 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var used = TestDevice()
      for _ in 0..<(random.next() % 20) {
        used.isFlashBroken = random.next() % 9 == 0
        let bytes = part(&random, used.slot.count)
        _ = answer(bytes, &used)
      }
      used.isFlashBroken = false
      let reset = random.next() % 2 == 0 ? packet(0x0A, 1, 5, [0xA0]) : first()
      let erased = answer(reset, &used)
      var fresh = TestDevice()
      check(erased == answer(reset, &fresh), "seed \(seed)")
      for number in 0..<20 {
        let isBroken = random.next() % 12 == 0
        used.isFlashBroken = isBroken
        fresh.isFlashBroken = isBroken
        let bytes = part(&random, fresh.slot.count)
        let isSame = answer(bytes, &used) == answer(bytes, &fresh) && used.slot == fresh.slot
        check(isSame, "seed \(seed), part \(number)")
        if !isSame { return }
      }
    }
  }

  /// A request for a part of the log as files, or for a length.
  private func request(_ random: inout SplitMix64) -> [UInt8] {
    let name = ["/log/all", "/log/cafef00d-0000000004.page", "/log/cafef00d-0000000005.page", "/log"][
      Int(random.next() % 4)]
    let file = text("name") + [0x78, UInt8(name.utf8.count)] + Array(name.utf8)
    let offset: [UInt8] = [0x18, UInt8(random.next() % 50)]
    return random.next() % 4 == 0
      ? packet(0x08, 8, 1, [0xA1] + file)
      : packet(0x08, 8, 0, [0xA2] + file + text("off") + (random.next() % 3 == 0 ? [0] : offset))
  }

  @Test(
    "a file is read as on a link that never read one, once the one before was closed or its client has gone")
  func files() {
    for seed in 0..<200 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var device = TestDevice()
      device.status.pageSize = 16
      var used = SMPServer()
      var fresh = SMPServer()
      func ask(_ packet: [UInt8], _ server: inout SMPServer) -> [UInt8] {
        var buffer = packet + [UInt8](repeating: 0, count: 100 - packet.count)
        var span = buffer.mutableSpan
        let count = server.respond(to: &span, count: packet.count, at: .start, device: &device)
        return Array(buffer[..<count])
      }
      func change() {
        let count = UInt8(random.next() % 17)
        device.pages = [3: Array(0..<16), 4: Array(16..<32), 5: Array(32..<(32 + count))]
        device.status.openBytes = Int(count)
        if random.next() % 4 == 0 { device.pages[3] = nil }
      }
      for _ in 0..<(random.next() % 12) {
        change()
        _ = ask(request(&random), &used)
      }
      if random.next() % 2 == 0 {
        check(ask(packet(0x0A, 8, 4, [0xA0]), &used) == hex("0B000001 0008 0704 A0"), "seed \(seed)")
      } else {
        used.endSession()
      }
      for number in 0..<10 {
        if random.next() % 3 == 0 { change() }
        let bytes = request(&random)
        let isSame = ask(bytes, &used) == ask(bytes, &fresh)
        check(isSame, "seed \(seed), request \(number)")
      }
    }
  }
}
