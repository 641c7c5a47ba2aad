import HeraldHAL

// The known part of Apple's manufacturer data: messages `type u8 | length u8 | data`, except that type 01,
// the overflow area in which an iPhone hides the services of apps in the background, has no length byte and
// extends to the end. The overflow area is a set of 128 bits; the assignment of bits to services is not
// published, so it only shows that a service may be present.

extension AppleVerdict {
  /// Evaluates the messages after Apple's company identifier. A message whose length exceeds the data is cut
  /// at the end; a single type byte at the end is ignored.
  ///
  /// The patterns are those Herald phones use, written there as regular expressions over hexadecimal digits:
  /// `^10....04`, `^10....14`, `^1002`, `^01` and sixteen zero bytes, and the types 00, 03, 05…09, 0B…0F.
  @inline(never)
  init(messages: Span<UInt8>) {
    self = .unfiltered
    var start = 0
    while start < messages.count {
      let type = messages[unchecked: start]
      if type == 0x01 {
        let area = messages.extracting(unchecked: (start &+ 1)..<messages.count)
        if area.count >= 16, area.extracting(unchecked: 0..<16).isZeroInConstantTime {
          self = .filtered
        } else if self == .unfiltered {
          self = .overflowArea
        }
        return
      }
      guard start &+ 1 < messages.count else { return }
      let length = Int(messages[unchecked: start &+ 1])
      let next = min(start &+ 2 &+ length, messages.count)
      switch type {
      case 0x00, 0x03, 0x05...0x09, 0x0B...0x0F:
        self = .filtered
      case 0x10:
        let isOther = next &- start >= 4 && messages[unchecked: start &+ 3] & 0xEF == 0x04
        if length == 2 || isOther { self = .filtered }
      default: break
      }
      start = next
    }
  }

  /// The combined verdict on two structures of one advertisement: "no phone" in either decides.
  func joined(_ other: AppleVerdict) -> AppleVerdict {
    if self == .filtered || other == .filtered { return .filtered }
    return rawValue > other.rawValue ? self : other
  }
}
