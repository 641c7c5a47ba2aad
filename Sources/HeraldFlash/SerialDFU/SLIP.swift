/// Frames on a serial line (RFC 1055), with the end mark only after each frame, as for Nordic's boot loader.
/// Older ones require it at the start, too.
enum SLIP {
  static let end: UInt8 = 0xC0
  fileprivate static let escape: UInt8 = 0xDB
  fileprivate static let escapedEnd: UInt8 = 0xDC
  fileprivate static let escapedEscape: UInt8 = 0xDD

  /// `frame` as it goes over the line.
  static func encode(_ frame: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(frame.count + 2)
    for byte in frame {
      switch byte {
      case end: bytes += [escape, escapedEnd]
      case escape: bytes += [escape, escapedEscape]
      default: bytes.append(byte)
      }
    }
    return bytes + [end]
  }
}

/// Splits a received byte stream into frames. A frame that is damaged or too long is dropped as a whole, and
/// empty ones are skipped.
struct SLIPDecoder {
  /// The longest response, with a margin.
  private static let longest = 4096

  private var frame: [UInt8] = []
  private var isEscaped = false
  private var isDamaged = false

  /// Adds one byte; returns the frame that it completes, if any.
  mutating func take(_ byte: UInt8) -> [UInt8]? {
    if byte == SLIP.end {
      defer { self = SLIPDecoder() }
      return isDamaged || isEscaped || frame.isEmpty ? nil : frame
    }
    if isEscaped {
      isEscaped = false
      switch byte {
      case SLIP.escapedEnd: frame.append(SLIP.end)
      case SLIP.escapedEscape: frame.append(SLIP.escape)
      default: isDamaged = true
      }
    } else if byte == SLIP.escape {
      isEscaped = true
    } else {
      frame.append(byte)
    }
    if frame.count > Self.longest {
      isDamaged = true
      frame.removeAll()
    }
    return nil
  }
}
