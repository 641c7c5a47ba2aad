/// The result of a pull.
public struct PullReport: Equatable, Sendable {
  /// The epoch of the log.
  public var epoch: UInt32 = 0
  /// The number of new pages, including the open one.
  public var newPages = 0
  /// The number of pages stored before.
  public var knownPages = 0
  /// The number of pages overwritten by the device before they were pulled.
  public var lostPages = 0
  /// The total size of the new pages in bytes.
  public var bytes = 0
  /// The last acknowledged page; it and all pages before it are stored with the same bytes; `nil` if none was
  /// acknowledged.
  public var trimmedThrough: UInt32?
  /// The number of acknowledged pages.
  public var trimmedPages = 0
  /// The page whose stored bytes differ from those on the device, which therefore erases neither it nor later
  /// pages.
  public var differingPage: UInt32?
  /// The duration of the pull, in seconds.
  public var seconds = 0.0
  /// Whether the device has proved that it has the access key: the pull was in a session.
  public var isProved = false
  /// The files of pages that a session has shown not to be the device's; they are kept aside under these
  /// names, and the device's own pages are fetched.
  public var replacedPages: [String] = []
  /// The number of closed pages here that no session has shown to be the device's.
  public var unprovedPages = 0
  /// Whether the device has other pages than those here with the same numbers, or fewer: it is another
  /// device, or its flash was set back. Another folder is needed.
  public var isOfAnotherLog = false
  /// Errors of single pages; the others were pulled.
  public var problems: [String] = []
  /// Irregularities that are not errors.
  public var remarks: [String] = []
  /// The reason why the pull ended before all pages were stored.
  public var stoppedBy: HostLinkError?

  /// Creates a report with all counts 0.
  public init() {}

  /// What to do if it is not complete: never what has just failed for a reason that lasts.
  public var advice: String? {
    if isOfAnotherLog {
      return
        "pull into another folder with --output: what this one has is kept, and `herald-host factory-reset` then gives the device a log of its own"
    }
    if let stoppedBy { return stoppedBy.advice ?? "run the same command again" }
    return problems.isEmpty
      ? nil : "its memory may be damaged: what was good is here, and goes into the tables"
  }

  /// Whether all pages of the device are stored.
  public var isComplete: Bool { problems.isEmpty && stoppedBy == nil && differingPage == nil }
}

/// The progress of a pull.
public struct PullProgress: Equatable, Sendable {
  /// The number of pages downloaded so far.
  public let pages: Int
  /// The total number of pages to download.
  public let ofPages: Int
  /// The bytes of the pages downloaded so far.
  public let bytes: Int
}
