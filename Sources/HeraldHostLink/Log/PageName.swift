import HeraldText

/// The file name of a page of a device's log: `EPOCH-SEQUENCE.page`, and `EPOCH-SEQUENCE.open.page` for the
/// page the device was still writing. The epoch is eight hexadecimal digits, the sequence number ten decimal
/// ones. Names are built from numbers only, never from strings of a device.
public struct PageName: Hashable, Comparable, Sendable {
  /// The epoch of the log.
  public let epoch: UInt32
  /// The number of the page.
  public let sequence: UInt32
  /// Whether the device may still append to the page.
  public let isOpen: Bool

  /// Initialises each member.
  public init(epoch: UInt32, sequence: UInt32, isOpen: Bool) {
    self.epoch = epoch
    self.sequence = sequence
    self.isOpen = isOpen
  }

  /// Parses a file name; `nil` if it has another form than that of `fileName`.
  public init?(fileName: String) {
    let stem: Substring
    if fileName.hasSuffix(".open.page") {
      stem = fileName.dropLast(10)
    } else if fileName.hasSuffix(".page") {
      stem = fileName.dropLast(5)
    } else {
      return nil
    }
    let parts = stem.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let epoch = UInt32(parts[0], radix: 16), let sequence = UInt32(parts[1]) else {
      return nil
    }
    self.init(epoch: epoch, sequence: sequence, isOpen: fileName.hasSuffix(".open.page"))
    guard self.fileName == fileName else { return nil }
  }

  /// The name of its file.
  public var fileName: String {
    let number = String(sequence)
    let padded = String(repeating: "0", count: 10 - number.count) + number
    return "\(epoch.hexadecimal(8))-\(padded)\(isOpen ? ".open" : "").page"
  }

  /// The order by epoch, then by number; a closed page precedes an open one.
  public static func < (left: PageName, right: PageName) -> Bool {
    (left.epoch, left.sequence, left.isOpen ? 1 : 0) < (right.epoch, right.sequence, right.isOpen ? 1 : 0)
  }
}
