import HeraldEmbedded
import HeraldText

/// The keys that open sealed pages: private keys of owners, and openings (`LogOpening`).
public final class SealedPageKeys {
  private let owners: [OwnerKey]
  private let openings: [LogOpening]

  /// With these keys.
  public init(_ owners: [OwnerKey], _ openings: [LogOpening] = []) {
    (self.owners, self.openings) = (owners, openings)
  }

  /// Reads files, each a private key or an opening. `passphrase` is called with the name of a file that is
  /// protected with one; `openToOthers` with that of one to which other users have access.
  public static func read(
    _ paths: [String], passphrase: (String) throws(HostLinkError) -> Passphrase?,
    openToOthers: (String) -> Void
  ) throws(HostLinkError) -> SealedPageKeys {
    var owners: [OwnerKey] = []
    var openings: [LogOpening] = []
    for path in paths {
      let size = PrivateFile.size(path)
      guard size <= LogOpening.largest else {
        throw HostLinkError(
          .usage, "\(PrintableText.of(path, limit: 256)) is no key: it has \(size) bytes",
          advice: "name the file that `herald-host owner-key make` or `herald-host archive day-keys` made")
      }
      var memory = SecretMemory(capacity: max(size + 1, LogOpening.leastRoom))
      let isOpen = try PrivateFile.read(
        path, into: &memory,
        missing: "check the path; `herald-host owner-key make FILE` makes a key in a new file")
      if isOpen { openToOthers(path) }
      if LogOpening.isOne(memory.used) {
        openings.append(try LogOpening(memory.used, path: path))
      } else {
        owners.append(
          try OwnerKey.parsed(memory, path, isOpen) { () throws(HostLinkError) in try passphrase(path) })
      }
    }
    return SealedPageKeys(owners, openings)
  }

  /// The result of opening a page.
  public enum Opened: Equatable, Sendable {
    /// The page as if it had not been sealed. `isWhole` is whether all of its segments were opened.
    case page([UInt8], isWhole: Bool)
    /// The page is sealed for another key, was written by another device, or was changed.
    case otherKey
  }

  /// Opens a sealed page of the device with this serial number.
  public func open(_ page: [UInt8], serial: String) -> Opened {
    let name = Array(serial.utf8)
    for owner in owners { owner.opener.setDevice(name.span) }
    var keys = Source(owners: owners, openings: openings.compactMap { $0.device(serial) })
    return Self.open(page, with: &keys)
  }

  /// Opens a sealed page with any source of keys.
  static func open(_ page: [UInt8], with keys: inout some SealedSegmentKeys) -> Opened {
    var output = [UInt8](repeating: 0, count: SealedPage.room(for: page.count))
    var room = output.mutableSpan
    let outcome = SealedPage.open(page.span, with: &keys, into: &room)
    guard outcome.opened > 0 else { return .otherKey }
    return .page(Array(output[..<outcome.count]), isWhole: outcome.foreign == 0)
  }

  private struct Source: SealedSegmentKeys {
    let owners: [OwnerKey]
    let openings: [LogOpening.Device]

    func find(_ keys: inout [32 of UInt8], of page: Span<UInt8>, at offset: Int) -> Bool {
      for owner in owners where owner.opener.find(&keys, of: page, at: offset) { return true }
      for opening in openings where opening.find(&keys, of: page, at: offset) { return true }
      return false
    }
  }
}
