import Foundation
import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation

/// A million pages with the beginning of a sealed one and random bytes behind it: a reader with the owner's
/// key must not find a record.
enum SealedGarbageBenchmark {
  private static let pageSize = 1024

  /// A sealed page as a device writes it.
  private static func page() throws -> [UInt8] {
    let image = FlashImage(pageSize: pageSize, pageCount: 2, wordSize: 4)
    var log = FlashLog<MemoryFlash, 4>(flash: MemoryFlash(image))
    log.seal()
    log.mount(freshEpoch: 7)
    for number in 0..<200 {
      try log.append(
        .battery(level: UInt8(number % 101), external: false),
        at: Instant(milliseconds: UInt64(number) * 130), clock: WallClock())
    }
    log.commit()
    return Array(image.bytes.prefix(pageSize))
  }

  /// Adds the number of records in a page to `found`, and 1 to `opened` if the key fits its beginning.
  private static func read(
    _ page: [UInt8], by opener: inout SealedPageOpener, _ found: inout Int, _ opened: inout Int
  ) {
    var output = [UInt8](repeating: 0, count: SealedPage.room(for: page.count))
    var room = output.mutableSpan
    let serial = SealedLog.serial
    let outcome = opener.open(page.span, serial: serial.span, into: &room)
    if outcome.opened > 0 { opened += 1 }
    guard var decoder = LogPageDecoder(output.span.extracting(first: outcome.count)) else { return }
    var payload: [64 of UInt8] = .init(repeating: 0)
    while true {
      var room = payload.mutableSpan
      guard decoder.next(payload: &room) != nil else { return }
      found += 1
    }
  }

  static func run(_ figures: inout Figures) throws {
    let page = try page()
    let owner = SealedLog.owner
    var opener = SealedPageOpener(secret: owner.span)
    var found = 0
    var opened = 0
    read(page, by: &opener, &found, &opened)
    guard found > 0, opened == 1 else { throw CocoaError(.featureUnsupported) }
    (found, opened) = (0, 0)
    var random = SystemRandomNumberGenerator()
    let count = 1_000_000
    let start = DispatchTime.now().uptimeNanoseconds
    for round in 0..<count {
      // The header alone; the header and the device's key; and all that is before the blocks, with the frame
      // of a first block. A key that is not the page's costs an X25519.
      let kept = round % 256 == 0 ? 40 : round % 2 == 0 ? 72 : 80
      var changed = Array(page[..<kept])
      let size = 128 + round % 897
      while changed.count < size {
        withUnsafeBytes(of: random.next()) { changed.append(contentsOf: $0) }
      }
      changed.removeLast(changed.count - size)
      if kept == 80 { changed[80] = [0x00, 0x01, 0x10, 0x2B, 0xFC, 0xFD][round / 2 % 6] }
      read(changed, by: &opener, &found, &opened)
    }
    let seconds = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
    figures.add("sealed_garbage_pages", Double(count), "")
    figures.add("sealed_garbage_pages_opened", Double(opened), "")
    figures.add("sealed_garbage_records", Double(found), "")
    figures.add("sealed_garbage_pages_per_second", Double(count) / seconds, "1/s")
  }
}
