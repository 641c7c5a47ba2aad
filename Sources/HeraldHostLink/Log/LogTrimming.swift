/// Acknowledges pages of a log to the device, which erases them.
///
/// A page is acknowledged only if its file is on the disk and synced, and the device confirms that its own
/// page has the same SHA-256.
public struct LogTrimming {
  /// What was acknowledged.
  public struct Outcome: Equatable, Sendable {
    /// The last acknowledged page; `nil` if there was none.
    public var trimmedThrough: UInt32?
    /// The number of acknowledged pages.
    public var trimmedPages = 0
    /// The page whose file differs from the device's page, which keeps it and all later ones.
    public var differingPage: UInt32?
  }

  /// What was acknowledged so far, also if `run` has thrown.
  public private(set) var outcome = Outcome()

  private let device: DeviceClient
  private let pageStore: PageStore

  /// Creates a trimming of the log of `device`, whose pages are in `pageStore`.
  public init(_ device: DeviceClient, _ pageStore: PageStore) {
    self.device = device
    self.pageStore = pageStore
  }

  /// Acknowledges the closed pages of this epoch that are among `kept`, the names of the pages that may
  /// be erased. Pages that are in `gone` are passed over. Stops at the first
  /// page that is not among them, or differs.
  ///
  /// One page at a time: the device hashes its page before it responds, so that several outstanding requests
  /// would not finish sooner.
  public mutating func run(epoch: UInt32, kept: Set<PageName>, gone: Set<UInt32> = [])
    throws(HostLinkError)
  {
    try pageStore.synchronise()
    let here = Set(try pageStore.pages())
    let current = try device.logStatus()
    guard current.epoch == epoch, current.pageCount > 0 else { return }
    for sequence in current.first..<current.last where !gone.contains(sequence) {
      let name = PageName(epoch: epoch, sequence: sequence, isOpen: false)
      guard kept.contains(name), here.contains(name) else { return }
      let page = try pageStore.read(name)
      guard try device.acknowledge(epoch: epoch, sequence: sequence, bytes: page) == .taken else {
        outcome.differingPage = sequence
        return
      }
      outcome.trimmedThrough = sequence
      outcome.trimmedPages += 1
    }
  }
}
