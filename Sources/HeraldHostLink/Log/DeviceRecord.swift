/// The record of the device in the folder of a pulled log, stored as `device.json` beside the pages.
public struct DeviceRecord: Codable, Equatable, Sendable {
  /// A time at which both the device's clock and the date are known.
  public struct ClockFix: Codable, Hashable, Sendable {
    /// The source of the date.
    public enum Source: String, Codable, Sendable {
      /// The device, whose clock was set.
      case device
      /// This computer, at the time of the pull, as the device had no date.
      case host
    }
    /// The epoch of the log.
    public var epoch: UInt32
    /// The number of the start-up.
    public var boot: UInt32
    /// Milliseconds since that start-up.
    public var uptimeMilliseconds: UInt64
    /// The date in milliseconds since 1970-01-01T00:00:00Z.
    public var unixMilliseconds: UInt64
    /// The source of the date.
    public var source: Source
    /// Whether the device told it in a session; `nil` if it did not.
    public var isProved: Bool?

    /// The same without `isProved`, as a database has it.
    public var unmarked: ClockFix {
      var fix = self
      fix.isProved = nil
      return fix
    }

    /// Initialises each member.
    public init(
      epoch: UInt32, boot: UInt32, uptimeMilliseconds: UInt64, unixMilliseconds: UInt64, source: Source,
      isProved: Bool? = nil
    ) {
      self.isProved = isProved
      self.epoch = epoch
      self.boot = boot
      self.uptimeMilliseconds = uptimeMilliseconds
      self.unixMilliseconds = unixMilliseconds
      self.source = source
    }
  }

  /// What the device had measured of its current at the last pull, since it started.
  public struct Power: Codable, Equatable, Sendable {
    /// The date of this computer in milliseconds since 1970-01-01T00:00:00Z.
    public var unixMilliseconds: UInt64
    /// The name of the board; empty if the device does not supply it.
    public var board: String
    /// The mean current in microamperes; `nil` if it is not known.
    public var microamperes: Double?
    /// Why it is not known.
    public var notKnown: String?

    /// Initialises each member.
    public init(unixMilliseconds: UInt64, board: String, microamperes: Double?, notKnown: String?) {
      self.unixMilliseconds = unixMilliseconds
      self.board = board
      self.microamperes = microamperes
      self.notKnown = notKnown
    }
  }

  /// What the device said of the sealing of its log at the last pull.
  public struct Sealing: Codable, Equatable, Sendable {
    /// The date of this computer in milliseconds since 1970-01-01T00:00:00Z.
    public var unixMilliseconds: UInt64
    /// Whether its log is sealed.
    public var isSealed: Bool
    /// The owner's public key in hexadecimal, for which it is sealed; `nil` if it is not.
    public var ownerKey: String?

    /// Initialises each member.
    public init(unixMilliseconds: UInt64, isSealed: Bool, ownerKey: String?) {
      self.unixMilliseconds = unixMilliseconds
      self.isSealed = isSealed
      self.ownerKey = ownerKey
    }
  }

  /// Closed pages of the device with the access key: they came in a session, or were compared in one.
  public struct ProvedPages: Codable, Equatable, Sendable {
    /// The epoch of the log.
    public var epoch: UInt32
    /// The number of the first page.
    public var first: UInt32
    /// The number of the last page.
    public var last: UInt32
  }

  /// The version of the file format.
  public var format = 1
  /// The device's serial number; empty where the link does not supply one.
  public var serial = ""
  /// The unique identifier of the device, as 16 hexadecimal digits: the folder is bound to it. `nil` until a
  /// device has reported it.
  public var id: String?
  /// The device's name.
  public var name = ""
  /// The device's operating system.
  public var system = ""
  /// The version of its system.
  public var version = ""
  /// The epochs of its log, in the order in which they were first received.
  public var epochs: [UInt32] = []
  /// Uptimes whose date is known, at most one for each start-up.
  public var clocks: [ClockFix] = []
  /// Dates that were not the device's, as a session has shown: at most `mostClocksAside`, the last ones. An
  /// archive that has them removes them. `nil` if there are none.
  public var clocksAside: [ClockFix]?
  /// The current of the device; `nil` until a pull has requested it.
  public var power: Power?
  /// Whether the log of the device is sealed; `nil` until a device has said so to a pull.
  public var sealing: Sealing?

  /// The pages that are known to be those of the device with the access key, by epoch, in ascending order.
  /// Serial number, identifier and epoch can be forged: any other page may be one of another device. `nil` in
  /// the folder of a log that was never pulled in a session.
  public var proved: [ProvedPages]?

  /// The maximum number of dates in `clocksAside`.
  private static let mostClocksAside = 256

  /// Creates an empty record.
  public init() {}

  /// Records `epoch` as the newest one received.
  public mutating func note(epoch: UInt32) {
    if !epochs.contains(epoch) { epochs.append(epoch) }
  }

  /// Adds pages of an epoch to those that are proved.
  mutating func note(proved sequences: some Sequence<UInt32>, epoch: UInt32) {
    var pages = proved ?? []
    pages += sequences.map { ProvedPages(epoch: epoch, first: $0, last: $0) }
    pages.sort { ($0.epoch, $0.first, $0.last) < ($1.epoch, $1.first, $1.last) }
    var joined: [ProvedPages] = []
    for range in pages where range.first <= range.last {
      guard let last = joined.last, last.epoch == range.epoch,
        last.last >= range.first || last.last + 1 == range.first
      else {
        joined.append(range)
        continue
      }
      joined[joined.count - 1].last = max(last.last, range.last)
    }
    proved = joined
  }

  /// Whether a page is proved. An open page never is.
  public func isProved(_ page: PageName) -> Bool {
    guard !page.isOpen, let proved else { return false }
    // The last range that does not begin behind the page. A record that was changed by hand may have others.
    var (low, high) = (0, proved.count)
    while low < high {
      let middle = (low + high) / 2
      if (proved[middle].epoch, proved[middle].first) <= (page.epoch, page.sequence) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low > 0 && proved[low - 1].epoch == page.epoch && proved[low - 1].last >= page.sequence
  }

  /// Stores a moment. A date of the device is never replaced by one of this computer, and the first date of
  /// this computer for a start stays, so that a second pull dates its records as the first did. What was told
  /// in a session replaces what was not, and what it makes impossible: a later start of this epoch. These
  /// dates are kept in `clocksAside`.
  public mutating func note(_ fix: ClockFix) {
    if fix.isProved == true {
      let forged = clocks.filter {
        $0.epoch == fix.epoch && $0.isProved != true && $0.unmarked != fix.unmarked
          && ($0.boot > fix.boot || $0.boot == fix.boot && $0.source == .device)
      }
      if !forged.isEmpty {
        clocks.removeAll(where: forged.contains)
        clocksAside = Array(((clocksAside ?? []) + forged).suffix(Self.mostClocksAside))
      }
    }
    guard let index = clocks.firstIndex(where: { $0.epoch == fix.epoch && $0.boot == fix.boot }) else {
      clocks.append(fix)
      return
    }
    let isWorthMore = fix.isProved == true || clocks[index].isProved != true
    if fix.source == .device, isWorthMore { clocks[index] = fix }
  }
}
