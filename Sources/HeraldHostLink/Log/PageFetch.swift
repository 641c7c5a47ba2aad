import HeraldDeviceLink

/// One page on its way: what of it has arrived, what is still to be asked for.
struct PageFetch {
  let sequence: UInt32
  let isOpen: Bool
  /// Which try this is; a page that arrives wrong is fetched once more.
  let attempt: Int

  private(set) var bytes: [UInt8] = []
  /// Readable bytes of the page, from its first answer on.
  private(set) var length: Int?
  private var missing: [Range<Int>] = []
  private var asked = 0

  init(sequence: UInt32, isOpen: Bool, attempt: Int = 1) {
    self.sequence = sequence
    self.isOpen = isOpen
    self.attempt = attempt
  }

  /// Whether nothing is left to ask or to wait for.
  var isComplete: Bool { length != nil && missing.isEmpty && asked == 0 }
  /// Whether questions about it are on their way.
  var isAwaited: Bool { asked > 0 }

  /// The next stretch to ask for, at most `chunk` bytes; `nil` if nothing can be asked now. The first question names no
  /// length: the answer tells how much the device can say at once, and how long the page is.
  mutating func nextRange(chunk: Int?) -> (offset: Int, length: Int?)? {
    guard length != nil else {
      guard asked == 0 else { return nil }
      asked = 1
      return (0, nil)
    }
    guard let first = missing.first else { return nil }
    let count = min(first.count, max(1, chunk ?? first.count))
    missing.removeFirst()
    if count < first.count { missing.insert(first.lowerBound + count..<first.upperBound, at: 0) }
    asked += 1
    return (first.lowerBound, count)
  }

  /// Takes an answer to the question for `wanted` bytes at `offset`. Returns what is wrong with it, if anything is: then
  /// the page is of no more use.
  mutating func take(_ body: CBORValue, offset: Int, wanted: Int?, pageSize: Int) -> String? {
    asked -= 1
    guard let total = body[SMPKey.length]?.number32, let sequence = body[SMPKey.sequence]?.number32,
      let start = body[SMPKey.offset]?.number32, let data = body[SMPKey.data]?.byteString
    else { return "bytes that are no part of a page" }
    guard sequence == self.sequence, start == offset else {
      return "offset \(start) of page \(sequence) instead of offset \(offset)"
    }
    guard total <= pageSize else { return "a page of \(total) bytes where pages have \(pageSize)" }
    if let length {
      // The open page may have grown; what was there at first is what is fetched.
      guard total == length || isOpen && total > length else {
        return "a length of \(total) bytes after one of \(length)"
      }
    } else {
      length = Int(total)
      bytes = [UInt8](repeating: 0xFF, count: Int(total))
      if total > 0 { missing = [0..<Int(total)] }
    }
    let end = offset + data.count
    guard data.count <= wanted ?? Int.max, end <= Int(total) else { return "more bytes than were asked for" }
    guard !data.isEmpty || total == 0 else { return "no bytes at offset \(offset)" }
    let kept = min(end, bytes.count)
    guard kept >= offset else { return nil }
    bytes.replaceSubrange(offset..<kept, with: data.prefix(kept - offset))
    if wanted == nil {
      missing = kept < bytes.count ? [kept..<bytes.count] : []
    } else if let wanted, data.count < wanted {
      missing.insert(kept..<min(offset + wanted, bytes.count), at: 0)
      missing.removeAll(where: \.isEmpty)
    }
    return nil
  }

  /// Forgets a question that will not be answered.
  mutating func giveUpQuestion() { asked -= 1 }
}
