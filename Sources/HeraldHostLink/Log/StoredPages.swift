import HeraldEmbedded

/// The pages of a pulled log as they are on the disk.
public struct StoredPages: Equatable, Sendable {
  /// The number of pages that were read and decoded.
  public private(set) var checked = 0
  /// The pages whose file is not the page that its name says, with the reason.
  public private(set) var wrong: [String] = []
  /// The pages whose end is damaged; they were so on the device.
  public private(set) var damaged: [String] = []

  /// Reads the pages of `folder` from the disk, except those in `known`, and decodes each to its end.
  public init(checking folder: PageStore, except known: Set<PageName> = []) throws(HostLinkError) {
    for name in try folder.pages() where name.isOpen || !known.contains(name) {
      let bytes = try folder.read(name)
      checked += 1
      switch PageInspection.inspect(bytes, epoch: name.epoch, sequence: name.sequence) {
      case .good: break
      case .damaged(let what): damaged.append("\(name.fileName) \(what)")
      case .wrong(let what): wrong.append("\(name.fileName) \(what)")
      }
    }
  }
}
