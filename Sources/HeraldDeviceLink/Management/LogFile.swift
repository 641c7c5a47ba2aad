import HeraldEmbedded
import HeraldHAL

/// The log, or a page of it, as a file.
///
/// `/log/all` is all pages in sequence; `/log/EPOCH-SEQUENCE.page` is one, under the name that herald-host
/// gives it: the epoch in eight hexadecimal digits, the sequence number in ten decimal ones.
struct LogFile: BitwiseCopyable {
  /// The page it begins with.
  var first: UInt32 = 0
  /// Bytes of it; 0 for no file.
  var length: UInt32 = 0
  /// Bytes of a page.
  private var pageSize: UInt32 = 0
  /// The epoch of the page that it is; 0 with `isAll`.
  private var epoch: UInt32 = 0
  /// 1 if it is the whole log: a number, so that no file has no gaps.
  private var all: UInt32 = 0

  init() {}

  /// The file with this name, as it is now; `nil` if there is none.
  @inline(never)
  init?<Device: ManagedDevice & ~Copyable>(named name: Span<UInt8>, of device: inout Device) {
    let status = device.logStatus()
    pageSize = UInt32(clamping: status.pageSize)
    guard pageSize > 0 else { return nil }
    if name.equals("/log/all") {
      all = 1
      guard status.oldest <= status.newest else { return }
      let full = (status.newest &- status.oldest).multipliedReportingOverflow(by: pageSize)
      let whole = full.partialValue.addingReportingOverflow(UInt32(clamping: status.openBytes))
      guard !full.overflow, !whole.overflow else { return nil }
      first = status.oldest
      length = whole.partialValue
      return
    }
    guard let (epoch, sequence) = Self.page(name), epoch == status.epoch,
      let readable = device.logReadableBytes(sequence: sequence), readable >= 0
    else { return nil }
    self.epoch = epoch
    first = sequence
    length = UInt32(clamping: readable)
  }

  /// Whether this is the file with that name, as it once was.
  func isNamed(_ name: Span<UInt8>) -> Bool {
    guard length > 0 else { return false }
    if all == 1 { return name.equals("/log/all") }
    guard let (epoch, sequence) = Self.page(name) else { return false }
    return epoch == self.epoch && sequence == first
  }

  /// Epoch and number in `/log/EEEEEEEE-SSSSSSSSSS.page`.
  private static func page(_ name: Span<UInt8>) -> (UInt32, UInt32)? {
    guard name.count == 29, name.extracting(0..<5).equals("/log/"), name[13] == UInt8(ascii: "-"),
      name.extracting(24..<29).equals(".page")
    else { return nil }
    var epoch: UInt32 = 0
    for index in 5..<13 {
      guard let digit = digit(name[index], below: 16) else { return nil }
      epoch = epoch &<< 4 | digit
    }
    var sequence: UInt64 = 0
    for index in 14..<24 {
      guard let digit = digit(name[index], below: 10) else { return nil }
      sequence = sequence &* 10 &+ UInt64(wide: digit)
    }
    return sequence.high32 == 0 ? (epoch, sequence.low32) : nil
  }

  private static func digit(_ byte: UInt8, below base: UInt32) -> UInt32? {
    let value: UInt32
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): value = UInt32(byte &- UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): value = UInt32(byte &- UInt8(ascii: "a") &+ 10)
    default: return nil
    }
    return value < base ? value : nil
  }

  /// Reads bytes from `offset` on into all of `buffer`, which does not reach beyond the end; `false` if they
  /// cannot be read, or the page is gone.
  func read<Device: ManagedDevice & ~Copyable>(
    offset: UInt32, into buffer: inout MutableSpan<UInt8>, of device: inout Device
  ) -> Bool {
    guard pageSize > 0 else { return false }
    var position = offset
    var done = 0
    while done < buffer.count {
      let within = Int(position % pageSize)
      let count = min(buffer.count &- done, Int(pageSize) &- within)
      var part = buffer._mutatingExtracting(done..<(done &+ count))
      guard device.readLog(sequence: first &+ position / pageSize, offset: within, into: &part) == count
      else { return false }
      done &+= count
      position &+= UInt32(truncatingIfNeeded: count)
    }
    return true
  }
}
