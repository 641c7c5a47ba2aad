import HeraldEmbedded

/// A page of a log in memory, as a host downloads it.
public struct MemoryLogPage: Sendable {
  /// The page number.
  public let sequence: UInt32
  /// Whether records may still be added.
  public let isOpen: Bool
  /// The readable bytes.
  public let bytes: [UInt8]
}

extension FlashLog where F == MemoryFlash {
  /// All pages up to the last commit, the oldest first.
  public mutating func committedPages() throws -> [MemoryLogPage] {
    let status = committedStatus()
    var pages: [MemoryLogPage] = []
    for sequence in status.oldest...status.newest {
      var bytes = [UInt8](repeating: 0, count: readableBytes(sequence: sequence) ?? 0)
      var span = bytes.mutableSpan
      _ = try read(sequence: sequence, offset: 0, into: &span)
      pages.append(MemoryLogPage(sequence: sequence, isOpen: sequence == status.newest, bytes: bytes))
    }
    return pages
  }
}
