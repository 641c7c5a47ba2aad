import HeraldBluetooth
import HeraldEmbedded
import HeraldSimulation
import Testing

/// Decodes bytes as a page: must end without a trap for any bytes.
func fuzzLogPage(_ bytes: Span<UInt8>) {
  guard var decoder = LogPageDecoder(bytes) else { return }
  var payload = [UInt8](repeating: 0, count: 16)
  var last = decoder.header
  var time = last.uptime
  while true {
    var span = payload.mutableSpan
    guard let record = decoder.next(payload: &span) else { break }
    if decoder.header == last {
      // Times never go back within a segment, unless a hostile base overflows.
      if record.at < time { #expect(last.uptime.milliseconds > UInt64.max / 2) }
    }
    last = decoder.header
    time = record.at
    #expect(record.byteCount <= 16)
  }
  #expect(decoder.ending != .reading)
}

/// Mounts bytes as a flash of small pages: must end, and leave a log that works.
func fuzzLogMount(_ image: FlashImage, isSealed: Bool = false) {
  var log = FlashLog<MemoryFlash, 4>.mounted(on: image, isSealed: isSealed)
  let event = LogEvent.detected(target(1))
  #expect(log.refusal(event, at: 50) == nil)
  log.commit()
  #expect(log.records().last?.event == event)
  log.maintain()
}

/// A page with every kind of block, and one small enough to fuzz fast.
private func seedPages(isSealed: Bool = false) throws -> [[UInt8]] {
  var log = FlashLog<MemoryFlash, 4>.mounted(
    on: FlashImage(pageSize: 1024, pageCount: 4, wordSize: 4), isSealed: isSealed)
  for index in 0..<30 {
    try log.add(.measured(target(UInt32(index % 6)), RSSI(Int8(-40 - index))), at: UInt64(index * index) * 40)
  }
  try log.add(.read(target(2)), (0..<130).map { UInt8($0) }, at: 50_000)
  try log.add(.clockSet(unixMilliseconds: 1_700_000_000_000, source: .host), at: 50_010)
  try log.add(.battery(level: 3, external: false), at: 50_010)
  log.commit()
  try log.add(.lost(target(2)), at: 700_000)
  log.commit()
  let large = log.pageBytes(1) ?? []

  log = FlashLog<MemoryFlash, 4>.mounted(
    on: FlashImage(pageSize: 256, pageCount: 4, wordSize: 1), isSealed: isSealed)
  for index in 0..<8 {
    try log.add(.measured(target(UInt32(index % 3)), RSSI(Int8(-40 - index))), at: UInt64(index * 180))
  }
  try log.add(.txPower(target(2), 8), at: 2000)
  log.commit()
  let small = log.pageBytes(1) ?? []
  return [large, small]
}

/// Recomputes all checksums, as an attacker would.
func forge(_ page: inout [UInt8]) {
  func crc16(_ seed: UInt16, _ bytes: ArraySlice<UInt8>) -> UInt16 {
    var crc = seed
    for byte in bytes {
      crc ^= UInt16(byte) << 8
      for _ in 0..<8 { crc = crc & 0x8000 == 0 ? crc << 1 : crc << 1 ^ 0x1021 }
    }
    return crc
  }
  var crc: UInt32 = .max
  for byte in page[0..<36] {
    crc ^= UInt32(byte)
    for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0xEDB8_8320 }
  }
  crc = ~crc
  for index in 0..<4 { page[36 + index] = UInt8(truncatingIfNeeded: crc >> (8 * index)) }
  var seed = UInt16(truncatingIfNeeded: crc)
  var offset = 40
  let word = [1, 2, 4, 8].contains(page[5]) ? Int(page[5]) : 1
  while offset < page.count, page[offset] != 0xFF {
    let end =
      page[offset] == 0
      ? offset + 2 + Int(page[min(offset + 1, page.count - 1)]) : offset + 1 + Int(page[offset] & 0x7F)
    guard end + 2 <= page.count else { return }
    seed = crc16(seed, page[offset..<end])
    page[end] = UInt8(truncatingIfNeeded: seed)
    page[end + 1] = UInt8(truncatingIfNeeded: seed >> 8)
    offset += (end + 2 - offset + word - 1) / word * word
  }
}

@Suite("Hostile log pages")
struct LogFuzzTests {
  @Test("HP-46 a hundred thousand random, mutated and forged pages: every reading ends")
  func pages() throws {
    var random = Seeded(2026)
    let seeds = try seedPages()
    for index in 0..<100_000 {
      var page = seeds[index % 64 == 0 ? 0 : 1]
      if index % 4 == 0 {
        page = (0..<Int.random(in: 0..<60, using: &random)).map { _ in
          UInt8.random(in: 0...255, using: &random)
        }
        if page.count > 40 {
          page.replaceSubrange(0..<8, with: [0x48, 0x4C, 0x6F, 0x67, 1, 1, 4, 0])
          forge(&page)
        }
      } else {
        let isForged = index % 4 == 1
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          // Mutations in the header's fixed fields end it at once: most go behind it.
          let low = UInt8.random(in: 0..<8, using: &random) == 0 ? 4 : 40
          page[Int.random(in: low..<page.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        if index % 8 == 2 { page.removeLast(Int.random(in: 0...page.count, using: &random)) }
        if isForged { forge(&page) }
      }
      fuzzLogPage(page.span)
    }
  }

  @Test(
    "HP-46 one damaged byte anywhere: what is read is right, as far as it goes", arguments: [false, true])
  func damagedByte(isSealed: Bool) throws {
    for page in try seedPages(isSealed: isSealed) {
      let whole = try #require(decode(page: page)).records
      for offset in page.indices {
        for change: UInt8 in [0x01, 0x80, 0xFF] {
          var damaged = page
          damaged[offset] ^= change
          guard let read = decode(page: damaged) else {
            #expect(offset < (isSealed ? 80 : 40))
            continue
          }
          #expect(read.records == Array(whole.prefix(read.records.count)))
        }
      }
    }
  }

  @Test(
    "HP-46 a page cut short anywhere: what is read is right, and all of it at a block's end",
    arguments: [false, true])
  func cutShort(isSealed: Bool) throws {
    for page in try seedPages(isSealed: isSealed) {
      let whole = try #require(decode(page: page)).records
      for count in page.indices {
        let records = decode(page: Array(page[..<count]))?.records ?? []
        #expect(records == Array(whole.prefix(records.count)))
      }
      #expect(decode(page: page + [UInt8](repeating: 0xFF, count: 400))?.records == whole)
    }
  }

  @Test("HP-46 whatever the flash holds, mounting ends and the log works", arguments: [false, true])
  func mounts(isSealed: Bool) throws {
    var random = Seeded(7)
    let image = FlashImage(pageSize: 256, pageCount: 4, wordSize: 4)
    var log = FlashLog<MemoryFlash, 4>.mounted(on: image, isSealed: isSealed)
    for index in 0..<700 {
      try log.add(
        .measured(target(UInt32(index % 6)), RSSI(Int8(-40 - index % 50))), at: UInt64(index * index))
    }
    log.commit()
    for index in 0..<1500 {
      let copy = image.copy()
      if index % 5 == 0 {
        for byte in copy.bytes.indices { copy.bytes[byte] = UInt8.random(in: 0...255, using: &random) }
      }
      if index % 5 == 1 {
        for byte in copy.bytes.indices { copy.bytes[byte] = index % 2 == 0 ? 0 : 0xFF }
      }
      if index % 5 >= 2 {
        for _ in 0..<Int.random(in: 1...6, using: &random) {
          copy.bytes[Int.random(in: copy.bytes.indices, using: &random)] = UInt8.random(
            in: 0...255, using: &random)
        }
      }
      if index % 5 == 3 {
        // Headers that are valid and contradict each other.
        for page in 0..<4 where Bool.random(using: &random) {
          var bytes = Array(copy.bytes[(page * 256)..<(page * 256 + 256)])
          bytes.replaceSubrange(0..<8, with: [0x48, 0x4C, 0x6F, 0x67, 1, 4, 4, isSealed ? 0x80 : 0])
          bytes[8 + Int.random(in: 0..<12, using: &random)] =
            [0, 1, 0x6F, 0x7F, 0xFF].randomElement(using: &random) ?? 0
          if Bool.random(using: &random) {
            bytes.replaceSubrange(
              12..<16, with: [0xFF, 0xFF, 0xFF, [0x6F, 0x7F, 0xFF].randomElement(using: &random) ?? 0])
          }
          forge(&bytes)
          copy.bytes.replaceSubrange((page * 256)..<(page * 256 + 256), with: bytes)
        }
      }
      fuzzLogMount(copy, isSealed: isSealed)
    }
  }
}
