import HeraldCrypto
import HeraldHAL

// Acknowledgement: pages that a host has on its disk may be erased.

/// The result of the acknowledgement of a page.
public enum LogAcknowledgement: UInt8, BitwiseCopyable, Sendable {
  /// The page may be erased, or has been.
  case taken
  /// The page is the newest page, which may still grow, or one that does not exist yet, or an older page has
  /// not been acknowledged.
  case outOfOrder
  /// The digest is not that of the page: the host has other bytes.
  case otherDigest
  /// The page could not be read, so the digest could not be checked.
  case unreadable
}

extension FlashLog where F: ~Copyable {
  /// A host has page `sequence`, all of whose bytes have this SHA-256 (32 bytes): `trim` may erase it.
  /// Nothing has changed unless the result is `taken`.
  ///
  /// Pages are acknowledged one by one, the oldest first, and only with the right digest: no page is erased
  /// that the host does not have. A page that was erased already, or was acknowledged before, is `taken`
  /// again, whatever the digest.
  ///
  /// Hashes the page in one call: by estimate half a million cycles for 4 KB, 8 ms at 64 MHz, less than its
  /// erasure takes. Stored in RAM only: after a loss of power the host, which finds the pages again, repeats
  /// it.
  @inline(never)
  public mutating func acknowledge(_ sequence: UInt32, digest: Span<UInt8>) -> LogAcknowledgement {
    guard ring.isMounted, sequence < ring.newest else { return .outOfOrder }
    let done = max(ring.acknowledged, ring.beforeOldest)
    guard sequence > done else { return .taken }
    // An unreadable page in between cannot have been read by any host.
    var next = done &+ 1
    while next < sequence, readableBytes(sequence: next) == nil { next &+= 1 }
    guard next == sequence, let page = ring.page(of: sequence) else { return .outOfOrder }
    let outcome = compare(page, with: digest)
    if outcome == .taken { ring.acknowledged = sequence }
    return outcome
  }

  /// Whether a page of the flash has this SHA-256. Not inlined: the hash is large, and the other callees of
  /// `acknowledge` need the stack.
  @inline(never)
  mutating func compare(_ page: Int, with digest: Span<UInt8>) -> LogAcknowledgement {
    var hash = SHA256()
    // The size of a page is a multiple of this.
    var piece: [8 of UInt8] = .init(repeating: 0)
    var offset = 0
    while offset < ring.pageSize {
      var room = piece.mutableSpan
      do throws(FlashError) {
        try flash.read(page: page, offset: offset, into: &room)
      } catch {
        ring.flashErrors &+= 1
        return .unreadable
      }
      hash.update(piece.span)
      offset &+= 8
    }
    var found: [32 of UInt8] = .init(repeating: 0)
    hash.finish(into: &found)
    return digest.equalsInConstantTime(found.span) ? .taken : .otherDigest
  }

  /// Whether `trim` has work to do.
  public var wantsTrimming: Bool { ring.isMounted && ring.acknowledged > ring.beforeOldest }

  /// Erases the oldest page, if it is acknowledged. To be called repeatedly when there is time for an
  /// erasure. If interrupted, the log remains without its oldest pages.
  public mutating func trim() {
    guard wantsTrimming else { return }
    let oldest = ring.beforeOldest &+ 1
    let page = ring.page(of: oldest)
    ring.beforeOldest = oldest
    ring.trimmed &+= 1
    if let page { tidy(page) }
  }
}
