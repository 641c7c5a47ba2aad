// Acknowledgement: what a host has on its disk need not stay here.

extension FlashLog where F: ~Copyable {
  /// A host has every page up to and including `sequence`: `trim` may erase them. `false`, and nothing has changed, if that is the newest page,
  /// which may still grow, or one that does not exist yet. A page that is gone already, or was acknowledged before, is fine.
  ///
  /// Kept in memory alone: after a loss of power the host, which finds the pages again, says so again.
  @inlinable
  public mutating func acknowledge(through sequence: UInt32) -> Bool {
    guard ring.isMounted, sequence < ring.newest else { return false }
    if sequence > ring.acknowledged { ring.acknowledged = sequence }
    return true
  }

  /// Whether `trim` has something to do.
  @inlinable public var wantsTrimming: Bool { ring.isMounted && ring.acknowledged > ring.beforeOldest }

  /// Erases the oldest page, if a host has it. To be called again and again, when an erasure holds up nobody. Cut short, what is
  /// left is the log without its oldest pages.
  @inlinable
  public mutating func trim() {
    guard wantsTrimming else { return }
    let oldest = ring.beforeOldest &+ 1
    let page = ring.page(of: oldest)
    ring.beforeOldest = oldest
    ring.trimmed &+= 1
    if let page { tidy(page) }
  }
}
