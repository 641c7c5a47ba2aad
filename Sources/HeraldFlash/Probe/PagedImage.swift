import HeraldHAL
import HeraldImages

/// The bytes of an image as whole pages of flash, in words; bytes outside the image are 0xFF, as in erased
/// flash.
struct PagedImage {
  /// Bytes of a page.
  let pageSize: Int
  /// First addresses of the pages, ascending.
  let addresses: [UInt32]
  /// The words of the pages, page by page.
  private let pages: [[UInt32]]
  /// CRC-32 of each page.
  let checksums: [UInt32]

  /// The pages of `plan`'s image, of `pageSize` bytes each, without words for the chip's configuration.
  /// `more` are segments that belong to it.
  init(_ plan: FlashPlan, pageSize: Int, and more: [FirmwareImage.Segment] = []) {
    let firmware = plan.board.firmware
    self.init(plan.image.segments.filter { firmware.contains($0.address, $0.end) } + more, pageSize: pageSize)
  }

  /// The pages of `segments`, of `pageSize` bytes each.
  init(_ segments: [FirmwareImage.Segment], pageSize: Int) {
    self.pageSize = pageSize
    var bytes: [UInt32: [UInt8]] = [:]
    for segment in segments {
      for (index, byte) in segment.bytes.enumerated() {
        let address = Int(segment.address) + index
        let page = UInt32(truncatingIfNeeded: address / pageSize * pageSize)
        bytes[page, default: [UInt8](repeating: 0xFF, count: pageSize)][address % pageSize] = byte
      }
    }
    addresses = bytes.keys.sorted()
    checksums = addresses.map { address in
      let page = bytes[address] ?? []
      return CRC32.of(page.span)
    }
    pages = addresses.map { address in
      let page = bytes[address] ?? []
      return stride(from: 0, to: page.count, by: 4).map { start in
        (0..<4).reduce(into: UInt32(0)) { word, byte in
          word |= UInt32(page[start + byte]) << UInt32(8 * byte)
        }
      }
    }
  }

  /// CRC-32 of a page that is erased.
  static func blankChecksum(pageSize: Int) -> UInt32 {
    let page = [UInt8](repeating: 0xFF, count: pageSize)
    return CRC32.of(page.span)
  }

  /// The pages as contiguous ranges.
  var stretches: [Range<Int>] { Self.stretches(of: Array(addresses.indices), addresses, pageSize) }

  /// Divides `indices`, in ascending order, into contiguous ranges of at most `limit` pages each.
  func stretches(of indices: [Int], limit: Int) -> [Range<Int>] {
    Self.stretches(of: indices, addresses, pageSize).flatMap { stretch in
      stride(from: stretch.lowerBound, to: stretch.upperBound, by: max(1, limit)).map {
        $0..<min(stretch.upperBound, $0 + max(1, limit))
      }
    }
  }

  private static func stretches(of indices: [Int], _ addresses: [UInt32], _ pageSize: Int) -> [Range<Int>] {
    var found: [Range<Int>] = []
    for index in indices {
      if let last = found.last, last.upperBound == index,
        Int(addresses[index]) == Int(addresses[index - 1]) + pageSize
      {
        found[found.count - 1] = last.lowerBound..<index + 1
      } else {
        found.append(index..<index + 1)
      }
    }
    return found
  }

  /// The words of the pages in `range`.
  func words(_ range: Range<Int>) -> [UInt32] { pages[range].flatMap { $0 } }
}
