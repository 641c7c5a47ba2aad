import HeraldDeviceLink
import HeraldText

/// The status of the log of a device.
public struct DeviceLogStatus: Equatable, Sendable, Codable {
  /// Changes when the whole log is erased.
  public let epoch: UInt32
  /// The oldest page; above `last` when there is none.
  public let first: UInt32
  /// The newest page, which is still being written.
  public let last: UInt32
  /// Readable bytes of the newest page.
  public let openBytes: UInt32
  /// Bytes of a page.
  public let pageSize: UInt32
  /// The number of starts of the device.
  public let boot: UInt32
  /// For how many days records are kept, 0 for as long as there is room; `nil` from devices that erase
  /// nothing by age.
  public let keptDays: UInt32?
  /// The unique identifier of the device: 8 bytes; `nil` from a device without one.
  public let identifier: [UInt8]?
  /// Milliseconds since it last started.
  public let uptimeMilliseconds: UInt64
  /// Milliseconds since 1970-01-01T00:00:00Z by its clock; `nil` if the clock is not set.
  public let unixMilliseconds: UInt64?

  /// The maximum plausible page size, in bytes.
  static let largestPage: UInt32 = 1 << 20
  /// The maximum plausible number of pages.
  static let mostPages: UInt32 = 1 << 20

  /// From the response; `nil` if a field is missing or the numbers contradict each other.
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

  /// Whether the reset is complete.
  public var isDone: Bool { done == total }
}

/// The state of a device's settings storage, found at its start.
public struct DeviceSettingsHealth: Equatable, Sendable, Codable {
  /// The number of pages that contained neither settings nor were empty; they have been erased with their
  /// contents.
  public let damagedPages: Int
  /// The number of operations of that flash that have failed since.
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
  /// The version of the firmware in full.
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
  /// Counters in the device's order.
  public let counters: [(name: String, value: UInt64)]

  /// Whether both have the same name and counters.
  public static func == (left: Self, right: Self) -> Bool {
    left.name == right.name && left.counters.elementsEqual(right.counters) { $0 == $1 }
  }
}

/// A device, with one method for each request.
public struct DeviceClient {
  /// The client that carries the requests.
  public let client: SMPClient

  /// The device behind a client.
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

  /// The description of the device. Fields that the device does not supply stay empty.
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

  /// One field per request, as texts may contain spaces.
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

  /// Sets the device's clock.
  public func setClock(unixMilliseconds: UInt64) throws(HostLinkError) {
    // `yyyy-MM-ddTHH:mm:ss.SSS`, the form MCUmgr takes, in UTC.
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
  /// always completes the erasure by itself.
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
      ManagementRequest("how far the erasing is", .read, .herald, HeraldCommand.factoryReset))
  }

  private func resetProgress(_ request: ManagementRequest) throws(HostLinkError) -> DeviceResetProgress {
    let body = try client.ask(request)
    guard let done = body[SMPKey.done]?.number32, let total = body[SMPKey.total]?.number32,
      let failed = body[SMPKey.failed]?.number32, done <= total, failed <= total
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

  /// Every counter of the device.
  public func statistics() throws(HostLinkError) -> [DeviceStatistics] {
    let request = ManagementRequest("the list of its counters", .read, .statistics, StatisticsCommand.list)
    guard case .array(let items) = try client.ask(request)[SMPKey.statisticsList] else {
      throw malformed(request, "no list")
    }
    var groups: [DeviceStatistics] = []
    for name in items.prefix(256).compactMap(\.string) {
      groups.append(try statistics(group: name))
    }
    return groups
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
