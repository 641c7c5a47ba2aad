import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation

private let owner = [UInt8](1...32)
private let serial = Array("SEAL-0001".utf8)
private let sealedPageSize = 1024

/// A sealed page as a device writes it, and what is in it.
private let sealedPage: (bytes: [UInt8], levels: [UInt8]) = {
  let image = FlashImage(pageSize: sealedPageSize, pageCount: 2, wordSize: 4)
  var log = FlashLog<MemoryFlash, 4>(flash: MemoryFlash(image))
  let secret = [UInt8](33...64)
  let publicKey = SealedPageOpener(secret: owner.span).publicKey
  log.sealer.begin(secret: secret.span)
  for _ in 0..<2 {
    while !log.sealer.advance() {}
    log.makeKeys(owner: publicKey.span, serial: serial.span, at: .start)
  }
  log.mount(freshEpoch: 7)
  for number in 0..<200 {
    try? log.append(
      .battery(level: UInt8(number * 37 % 101), external: false),
      at: Instant(milliseconds: UInt64(number) * 130), clock: WallClock())
    if number % 40 == 39 { log.commit() }
  }
  log.commit()
  let bytes = Array(image.bytes.prefix(sealedPageSize))
  var opener = SealedPageOpener(secret: owner.span)
  return (bytes, levels(of: bytes, opener: &opener))
}()

let sealedPageSeeds: [[UInt8]] = [sealedPage.bytes, Array(sealedPage.bytes.prefix(300))]

private func levels(of page: [UInt8], opener: inout SealedPageOpener) -> [UInt8] {
  var output = [UInt8](repeating: 0, count: SealedPage.room(for: page.count))
  var room = output.mutableSpan
  let outcome = opener.open(page.span, serial: serial.span, into: &room)
  if outcome.count > output.count { broken("more bytes than there is room for") }
  return records(in: Array(output.prefix(outcome.count)))
}

private func records(in opened: [UInt8]) -> [UInt8] {
  guard var decoder = LogPageDecoder(opened.span) else { return [] }
  var payload: [64 of UInt8] = .init(repeating: 0)
  var found: [UInt8] = []
  while true {
    var room = payload.mutableSpan
    guard let record = decoder.next(payload: &room) else { return found }
    if case .battery(let level, _) = record.event { found.append(level) } else { broken("another event") }
  }
}

/// Has opened the page: a key pair that is not the page's costs an X25519.
nonisolated(unsafe) private var sealedPageOpener: SealedPageOpener = {
  var opener = SealedPageOpener(secret: owner.span)
  _ = levels(of: sealedPage.bytes, opener: &opener)
  return opener
}()

/// Whatever a page was made into, what is read of it is a beginning of what was written.
func fuzzSealedPage(_ bytes: Span<UInt8>) {
  var page = (0..<min(bytes.count, 2048)).map { bytes[$0] }
  // The key pair is the page's, and so no X25519 is due; every other input has all of its header, too.
  let kept = page.count % 2 == 0 ? 0..<80 : 40..<73
  for index in kept where index < page.count { page[index] = sealedPage.bytes[index] }
  let found = levels(of: page, opener: &sealedPageOpener)
  if found != Array(sealedPage.levels.prefix(found.count)) { broken("a record that nobody wrote") }
}
