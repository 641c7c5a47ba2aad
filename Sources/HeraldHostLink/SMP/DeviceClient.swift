import HeraldDeviceLink
import HeraldText

/// The status of the log of a device.
public struct DeviceLogStatus: Equatable, Sendable, Codable {
  /// The epoch, which changes when the whole log is erased.
  public let epoch: UInt32
  /// The number of the oldest page; greater than `last` if there is none.
  public let first: UInt32
  /// The number of the newest page, which is still being written.
  public let last: UInt32
  /// The number of readable bytes of the newest page.
  public let openBytes: UInt32
  /// The size of a page in bytes.
  public let pageSize: UInt32
  /// The number of starts of the device.
  public let boot: UInt32
  /// The retention time of records in days, 0 if they are kept until they are overwritten; `nil` from devices
  /// without a retention time.
  public let keptDays: UInt32?
  /// The unique identifier of the device: 8 bytes; `nil` from a device without one.
  public let identifier: [UInt8]?
  /// The uptime in milliseconds.
  public let uptimeMilliseconds: UInt64
  /// The device's date in milliseconds since 1970-01-01T00:00:00Z; `nil` if its clock is not set.
  public let unixMilliseconds: UInt64?
  /// Whether a debugger can read the memory of the device's chip.
  public let debugPort: DeviceDebugPort

  /// The maximum plausible page size, in bytes.
  static let largestPage: UInt32 = 1 << 20
  /// The maximum plausible number of pages.
  static let mostPages: UInt32 = 1 << 20

  /// Parses the response; `nil` if a field is missing or the numbers contradict each other.
  init?(_ body: CBORValue) {
    guard let epoch = body[SMPKey.epoch]?.number32, let first = body[SMPKey.first]?.number32,
      let last = body[SMPKey.last]?.number32, let openBytes = body[SMPKey.open]?.number32,
      let pageSize = body[SMPKey.page]?.number32, let boot = body[SMPKey.boot]?.number32,
      let uptime = body[SMPKey.now]?.number, pageSize > 0, pageSize <= Self.largestPage,
      openBytes <= pageSize,
      first > last || last - first < Self.mostPages
    else { return nil }
    self.epoch = epoch
    self.first = first
    self.last = last
    self.openBytes = openBytes
    self.pageSize = pageSize
    self.boot = boot
    keptDays = body[SMPKey.keep]?.number32
    let identifier = body[SMPKey.identifier]?.byteString
    self.identifier = identifier?.count == 8 && identifier?.contains { $0 != 0 } == true ? identifier : nil
    uptimeMilliseconds = uptime
    unixMilliseconds = body[SMPKey.unix]?.number
    debugPort =
      switch body[SMPKey.debugPort] {
      case .boolean(true): .open
      case .boolean(false): .closed
      default: .unknown
      }
  }

  /// The number of pages, including the open one.
  public var pageCount: Int { first > last ? 0 : Int(last - first) + 1 }
}

/// The progress of a factory reset.
public struct DeviceResetProgress: Equatable, Sendable, Codable {
  /// The number of completed erasures.
  public let done: Int
  /// The total number of erasures; 0 if there is no reset, or after it is complete and the device has
  /// restarted.
  public let total: Int
  /// The number of failed erasures.
  public let failed: Int

  /// The maximum plausible number of erasures: of the pages of 256 MiB of flash.
  static let mostErasures: UInt32 = 1 << 16

  /// Whether the reset is complete.
  public var isDone: Bool { done == total }
}

/// Ends the wait for a factory reset that does not go on.
public struct ResetPatience {
  /// Longer than the longest page erasure of any supported flash and the other work of the device.
  static let timeout = Duration.seconds(60)
  /// The longest time of a reset, whatever the device says of its progress.
  static let longest = Duration.seconds(1800)

  private let start: Duration
  private var latest: Duration
  private var most = 0

  /// Begins at `start`, in the time of any monotonic clock.
  public init(start: Duration) { (self.start, latest) = (start, start) }

  /// Takes a progress into account. `false` if no more was erased than before for 60 s, or it takes more than
  /// half an hour.
  public mutating func note(_ progress: DeviceResetProgress, at now: Duration) -> Bool {
    if progress.done > most { (most, latest) = (progress.done, now) }
    return now - latest <= Self.timeout && now - start <= Self.longest
  }
}

/// The state of a device's settings storage, found at its start.
public struct DeviceSettingsHealth: Equatable, Sendable, Codable {
  /// The number of pages that were neither valid settings nor empty; they have been erased.
  public let damagedPages: Int
  /// The number of flash operations that have failed since the start.
  public let flashErrors: Int
}

/// The description of a device, as reported by it; empty fields are unknown.
public struct DeviceInformation: Equatable, Sendable, Codable {
  /// The name of the firmware.
  public var firmware = ""
  /// The device's serial number.
  public var serial = ""
  /// The release of the firmware.
  public var release = ""
  /// The full version of the firmware.
  public var version = ""
  /// The build date of the firmware.
  public var buildDate = ""
  /// The architecture.
  public var machine = ""
  /// The processor.
  public var processor = ""
  /// The board.
  public var board = ""
  /// The operating system.
  public var system = ""

  /// Creates a description with all fields empty.
  public init() {}
}

/// One group of counters.
public struct DeviceStatistics: Equatable, Sendable {
  /// The group's name.
  public let name: String
  /// The counters in the device's order.
  public let counters: [(name: String, value: UInt64)]

  /// The group without the counters that are 0.
  public var nonzero: DeviceStatistics {
    DeviceStatistics(name: name, counters: counters.filter { $0.value > 0 })
  }

  /// Whether both have the same name and counters.
  public static func == (left: Self, right: Self) -> Bool {
    left.name == right.name && left.counters.elementsEqual(right.counters) { $0 == $1 }
  }
}

/// The management interface of a device, with one method for each request.
public struct DeviceClient {
  /// The client that transmits the requests.
  public let client: SMPClient

  /// Creates the interface to the device of a client.
  public init(_ client: SMPClient) { self.client = client }

  func malformed(_ request: ManagementRequest, _ what: String) -> HostLinkError {
    ManagementFailure.malformed(what).error(request, at: client.location)
  }

  /// The status of the log. With `commits`, the device first commits the records logged so far. It does so
  /// only for hosts that may read the log, and on average at most every ten seconds.
  public func logStatus(commits: Bool = false) throws(HostLinkError) -> DeviceLogStatus {
    let request = Self.logStatusRequest(commits: commits)
    guard let status = DeviceLogStatus(try client.ask(request)) else {
      throw malformed(request, "numbers that make no sense")
    }
    return status
  }

  /// The device's serial number; empty if it has none.
  public func serialNumber() throws(HostLinkError) -> String { try informationField("n") }

  /// The description of the device. Fields that the device does not supply are empty.
  public func information() throws(HostLinkError) -> DeviceInformation {
    var information = DeviceInformation()
    information.firmware = try informationField("s")
    information.serial = try informationField("n")
    information.release = try informationField("r")
    information.version = try informationField("v")
    information.buildDate = try informationField("b")
    information.machine = try informationField("m")
    information.processor = try informationField("p")
    information.board = try informationField("i")
    information.system = try informationField("o")
    return information
  }

  /// The name of the board; empty if the device does not supply it.
  public func boardName() throws(HostLinkError) -> String { try informationField("i") }

  /// Requests one field at a time, as texts may contain spaces.
  private func informationField(_ format: StaticString) throws(HostLinkError) -> String {
    let request = ManagementRequest("information", .read, .os, OSCommand.information) { writer in
      writer.map(1)
      writer.key(.format)
      writer.text(format)
    }
    do {
      return PrintableText.of(try client.ask(request)[SMPKey.output]?.string ?? "")
    } catch  where error.cause == .refused {
      return ""
    }
  }

  /// The device's clock: milliseconds since 1970-01-01T00:00:00Z; `nil` if it has not been set.
  public func clock() throws(HostLinkError) -> UInt64? { try logStatus().unixMilliseconds }

  /// Sets the device's clock. `ClockGuard` decides whether it may be.
  func setClock(unixMilliseconds: UInt64) throws(HostLinkError) {
    // `yyyy-MM-ddTHH:mm:ss.SSS` in UTC, the format of MCUmgr.
    var text = Array(UTCTimestamp.text(unixMilliseconds).utf8.prefix(23))
    text[10] = UInt8(ascii: "T")
    let request = ManagementRequest("to set its clock", .write, .os, OSCommand.dateTime) { writer in
      writer.map(1)
      writer.key(.dateTime)
      writer.text(text.span)
    }
    _ = try client.ask(request)
  }

  /// Starts a factory reset: the device erases all stored data, its log of this epoch first. Once started, it
  /// completes the erasure without further requests.
  public func beginFactoryReset(epoch: UInt32) throws(HostLinkError) -> DeviceResetProgress {
    try resetProgress(
      ManagementRequest("to erase everything", .write, .herald, HeraldCommand.factoryReset) { writer in
        writer.map(1)
        writer.key(.epoch)
        writer.unsigned(epoch)
      })
  }

  /// The progress of a factory reset.
  public func factoryResetProgress() throws(HostLinkError) -> DeviceResetProgress {
    try resetProgress(
      ManagementRequest("the progress of its factory reset", .read, .herald, HeraldCommand.factoryReset))
  }

  private func resetProgress(_ request: ManagementRequest) throws(HostLinkError) -> DeviceResetProgress {
    let body = try client.ask(request)
    guard let done = body[SMPKey.done]?.number32, let total = body[SMPKey.total]?.number32,
      let failed = body[SMPKey.failed]?.number32, done <= total, failed <= total,
      total <= DeviceResetProgress.mostErasures
    else { throw malformed(request, "numbers that make no sense") }
    return DeviceResetProgress(done: Int(done), total: Int(total), failed: Int(failed))
  }

  /// The state of the device's settings storage; `nil` from a device that does not report it.
  public func settingsHealth() throws(HostLinkError) -> DeviceSettingsHealth? {
    let counters: [(name: String, value: UInt64)]
    do {
      counters = try statistics(group: "firmware").counters
    } catch  where error.cause == .refused {
      return nil
    }
    guard let damaged = counters.first(where: { $0.name == "settings_damaged" })?.value,
      let errors = counters.first(where: { $0.name == "settings_errors" })?.value
    else { return nil }
    return DeviceSettingsHealth(damagedPages: Int(clamping: damaged), flashErrors: Int(clamping: errors))
  }

  /// All counters of the device.
  public func statistics() throws(HostLinkError) -> [DeviceStatistics] {
    var groups: [DeviceStatistics] = []
    for name in try statisticsNames() { groups.append(try statistics(group: name)) }
    return groups
  }

  /// The names of the groups of counters.
  func statisticsNames() throws(HostLinkError) -> [String] {
    let request = ManagementRequest("the list of its counters", .read, .statistics, StatisticsCommand.list)
    guard case .array(let items) = try client.ask(request)[SMPKey.statisticsList] else {
      throw malformed(request, "no list")
    }
    return items.prefix(256).compactMap(\.string)
  }

  /// The counters of one group.
  public func statistics(group: String) throws(HostLinkError) -> DeviceStatistics {
    let shown = PrintableText.of(group)
    let request = ManagementRequest("its counters \(shown)", .read, .statistics, StatisticsCommand.read) {
      writer in
      writer.map(1)
      writer.key(.name)
      writer.text(Array(group.utf8).span)
    }
    guard case .map(let entries) = try client.ask(request)[SMPKey.fields] else {
      throw malformed(request, "no counters")
    }
    let counters = entries.compactMap { entry in
      entry.value.number.map { (name: PrintableText.of(entry.key), value: $0) }
    }
    return DeviceStatistics(name: shown, counters: counters)
  }
}
