/// What a pull did.
public struct PullReport: Equatable, Sendable {
  /// The epoch of the log.
  public var epoch: UInt32 = 0
  /// Pages that are new here, the open one included.
  public var newPages = 0
  /// Pages that were here before.
  public var knownPages = 0
  /// Pages the device overwrote before they were ever pulled.
  public var lostPages = 0
  /// Bytes of the new pages.
  public var bytes = 0
  /// The last page that the device erases, as it and all before it are here, with the same bytes; `nil` if it
  /// erases nothing.
  public var trimmedThrough: UInt32?
  /// How many pages those are.
  public var trimmedPages = 0
  /// The page that has other bytes here than on the device, which therefore erases neither it nor what comes
  /// after it.
  public var differingPage: UInt32?
  /// How long it took.
  public var seconds = 0.0
  /// What was wrong with single pages; the rest was pulled nevertheless.
  public var problems: [String] = []
  /// What is odd, but no fault.
  public var remarks: [String] = []
  /// Why the pull ended before all pages were here.
  public var stoppedBy: HostLinkError?

  /// All counts 0.
  public init() {}

  /// Whether all that the device has is here.
  public var isComplete: Bool { problems.isEmpty && stoppedBy == nil && differingPage == nil }
}

/// How far a pull is.
public struct PullProgress: Equatable, Sendable {
  /// Pages that are here now, of those that were to be fetched.
  public let pages: Int
  /// Pages that were to be fetched.
  public let ofPages: Int
  /// Bytes of the pages that are here.
  public let bytes: Int
}
