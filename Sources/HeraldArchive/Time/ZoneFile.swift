import HeraldHostLink

/// A time zone of a file in TZif format (RFC 9636), as the time zone database has them.
struct ZoneFile: Equatable, Sendable {
  /// Seconds to add to UTC before the first change.
  private(set) var first: Int64 = 0
  /// The moments of changes in seconds since 1970-01-01T00:00:00Z, and the seconds to add to UTC from then
  /// on, in ascending order.
  private(set) var changes: [Change] = []
  /// The rule that applies after the last change, as POSIX has it; empty if there is none.
  private(set) var footer = ""

  struct Change: Equatable, Sendable {
    let moment: Int64
    let offset: Int64
  }

  /// The maximum size in bytes; those of the time zone database have less than 4,000.
  static let mostBytes = 1 << 16

  /// Parses a file; `nil` if it is none of this format, is damaged, or counts leap seconds.
  init?(_ bytes: [UInt8]) {
    guard bytes.count <= Self.mostBytes, let short = Block(bytes, from: 0, width: 4) else { return nil }
    guard bytes[4] >= UInt8(ascii: "2") else {
      guard read(bytes, short) else { return nil }
      return
    }
    guard let long = Block(bytes, from: short.end, width: 8), read(bytes, long) else { return nil }
    let rest = bytes[long.end...]
    guard rest.first == 0x0A, let end = rest.dropFirst().firstIndex(of: 0x0A) else { return nil }
    footer = String(decoding: rest[(long.end + 1)..<end], as: UTF8.self)
  }

  /// The bytes of a regular file of bounded size; `nil` if it is none, or cannot be read.
  static func bytes(ofFile path: String) -> [UInt8]? { try? LocalFile.bytes(path, atMost: mostBytes) }

  /// The header of a data block, and the offsets of its tables.
  private struct Block {
    let times: Int
    let indices: Int
    let types: Int
    let end: Int
    let timeCount: Int
    let typeCount: Int
    let width: Int

    init?(_ bytes: [UInt8], from start: Int, width: Int) {
      guard start + 44 <= bytes.count, bytes[start..<start + 4].elementsEqual("TZif".utf8) else { return nil }
      func count(_ offset: Int) -> Int {
        Int(clamping: ZoneFile.number(bytes, start + offset, 4) & 0xFFFF_FFFF)
      }
      let (utcs, standards, leaps) = (count(20), count(24), count(28))
      let (times, types, characters) = (count(32), count(36), count(40))
      guard leaps == 0, [utcs, standards, times, types, characters].allSatisfy({ $0 <= ZoneFile.mostBytes }),
        types > 0
      else { return nil }
      (timeCount, typeCount) = (times, types)
      self.width = width
      self.times = start + 44
      indices = self.times + times * width
      self.types = indices + times
      end = self.types + types * 6 + characters + standards + utcs
      guard end <= bytes.count else { return nil }
    }
  }

  private static func number(_ bytes: [UInt8], _ offset: Int, _ width: Int) -> Int64 {
    let value = bytes[offset..<offset + width].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return width == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(bitPattern: value)
  }

  private mutating func read(_ bytes: [UInt8], _ block: Block) -> Bool {
    let offsets = (0..<block.typeCount).map { Self.number(bytes, block.types + $0 * 6, 4) }
    // RFC 9636, 3.2: from -25 h to 26 h.
    guard offsets.allSatisfy({ (-90_000...93_600).contains($0) }) else { return false }
    first = offsets[0]
    for index in 0..<block.timeCount {
      let moment = Self.number(bytes, block.times + index * block.width, block.width)
      let type = Int(bytes[block.indices + index])
      guard type < offsets.count, changes.last.map({ $0.moment < moment }) ?? true else { return false }
      changes.append(Change(moment: moment, offset: offsets[type]))
    }
    return true
  }
}
