import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL

/// The properties of the device that the board, or the program around the node, supplies.
public protocol ManagedBoard: ImageSlot, ~Copyable {
  /// Writes the value of `field` to the start of `text`, in ASCII, and returns its length: 0 if there is none
  /// or it does not fit.
  mutating func information(_ field: InformationField, into text: inout MutableSpan<UInt8>) -> Int
  /// Whether a debugger can read the memory of the chip.
  mutating func debugPort() -> DebugPortState
  /// Restarts the device after a delay in which the response is sent.
  mutating func restart(at now: Instant)
  /// Whether the board can start a boot loader.
  static var entersBootLoader: Bool { get }
  /// Restarts the device into the boot loader after a delay in which the response is sent.
  mutating func enterBootLoader(at now: Instant)
  /// The restart report; `nil` if the board does not keep one.
  mutating func restartReport() -> RestartReport?

  /// Whether the log can be read as files, too.
  static var hasFiles: Bool { get }
  /// The name of the boot loader; empty if unknown.
  static var bootLoader: StaticString { get }

  /// The name of the board's group of counters.
  static var statisticsName: StaticString { get }
  /// How many counters the board has; 0 if it has no group.
  static var statisticsCount: Int { get }
  /// The name of counter `index`.
  static func statisticName(_ index: Int) -> StaticWord
  /// The value of counter `index`.
  mutating func statistic(_ index: Int) -> UInt32

  /// The flash of its settings.
  associatedtype SettingsFlash: Flash & ~Copyable
  /// The data that it stores besides the log.
  var settings: SettingsStore<SettingsFlash> { get set }
  /// Makes the identifier of this device from the key of the node's addresses, unless that key is not kept
  /// over restarts.
  mutating func identify(_ identifier: inout DeviceIdentifier)
  /// Erases data stored elsewhere, at the end of a factory reset.
  mutating func eraseElsewhere()
  /// Whether a host without a session may begin a factory reset now. Permission that was given at the board
  /// is used up by this.
  mutating func takeResetPermission(at now: Instant) -> Bool
  /// Whether the board has a light for hosts.
  static var hasSignal: Bool { get }
  /// Has the light show how far a host is with the collection of the log, for a limited time. `false` if the
  /// light shows something of more importance, or has just changed.
  mutating func signal(_ signal: CollectionSignal, at now: Instant) -> Bool
}

extension ManagedBoard where Self: ~Copyable {
  /// The board does not know it.
  @inline(__always)
  public mutating func debugPort() -> DebugPortState { .notKnown }
  /// No restart report.
  public mutating func restartReport() -> RestartReport? { nil }
  @inline(__always) public static var hasFiles: Bool { false }
  @inline(__always) public static var bootLoader: StaticString { "" }
  @inline(__always) public static var hasSignal: Bool { false }
  /// The board has no light.
  public mutating func signal(_ signal: CollectionSignal, at now: Instant) -> Bool { false }
  @inline(__always) public static var entersBootLoader: Bool { false }
  /// The board has no boot loader.
  public mutating func enterBootLoader(at now: Instant) {}
  /// No group, and so no name.
  public static var statisticsName: StaticString { "" }
  /// No group.
  public static var statisticsCount: Int { 0 }
  /// No counter has a name.
  public static func statisticName(_ index: Int) -> StaticWord { "" }
  /// No counter has a value.
  public mutating func statistic(_ index: Int) -> UInt32 { 0 }
  /// From the key among the settings.
  public mutating func identify(_ identifier: inout DeviceIdentifier) {
    identifier.derive(from: settings.settings.addressKey)
  }
  /// There is no such data.
  public mutating func eraseElsewhere() {}
  /// Always.
  @inline(__always)
  public mutating func takeResetPermission(at now: Instant) -> Bool { true }
}

/// A Herald device as the management link sees it: the node, and the board it runs on.
public struct ManagedNode<
  RadioType: Radio & StatisticsSource & ~Copyable, Parts: ManagedParts,
  let targets: Int, let connections: Int, let payloads: Int
>: ManagedDevice, ~Copyable {
  /// The kind of node it is.
  public typealias Node = HeraldNode<
    RadioType, Parts, targets, connections, payloads
  >

  /// The node.
  public var node: Node
  /// The board.
  public var board: Parts.BoardType
  var reset = FactoryReset()
  /// The rate limit of guesses of the access key.
  public var access = AccessGate()
  /// The limit on commits by request.
  var commits = CommitBudget()

  /// A device that has not started, on a board. The node is made in place: one that is passed in would be
  /// copied over the stack.
  public init(
    radio: consuming RadioType, flash: consuming Parts.FlashType, random: consuming Parts.RandomType,
    supplier: @autoclosure () -> Parts.SupplierType, delegate: @autoclosure () -> Parts.DelegateType,
    board: consuming Parts.BoardType,
    configuration: @autoclosure () -> HeraldConfiguration = HeraldConfiguration(),
    names: DeviceNames? = nil
  ) {
    node = HeraldNode(
      radio: radio, flash: flash, random: random, supplier: supplier(), delegate: delegate(),
      configuration: configuration(), names: names)
    self.board = board
  }

  /// The same for devices without room for anything twice on the stack: board and radio are made in place, in
  /// this order, and the rest is made here and not in a main function, which never returns.
  /// `HeraldCore.names` gives the device other names; parts that are a `PartFactory` have them already.
  @inline(never)
  public init(
    makingRadio radio: () -> RadioType, flash: consuming Parts.FlashType, random: consuming Parts.RandomType,
    supplier: @autoclosure () -> Parts.SupplierType, delegate: @autoclosure () -> Parts.DelegateType,
    board: @autoclosure () -> Parts.BoardType,
    configuration: @autoclosure () -> HeraldConfiguration = HeraldConfiguration()
  ) {
    self.board = board()
    node = HeraldNode(
      makingRadio: radio, flash: flash, random: random, supplier: supplier(), delegate: delegate(),
      configuration: configuration())
  }

  /// The same with parts that define how they are made.
  @inline(never)
  public init(makingRadio radio: () -> RadioType) where Parts: PartFactory {
    board = Parts.board()
    node = HeraldNode(
      makingRadio: radio, flash: Parts.flash(), random: Parts.random(), supplier: Parts.supplier(),
      delegate: Parts.delegate(), configuration: Parts.configuration(), names: Parts.names())
  }

  /// The status of the log.
  @inline(never)
  public mutating func logStatus() -> LogStatus {
    var status = node.core.log.status()
    status.keptDays = node.core.retentionDays
    return status
  }

  /// Commits the log, if there is something to commit and the limit of commits is not reached.
  @inline(never)
  public mutating func commitLog(at now: Instant) {
    if node.core.log.hasPending, commits.take(at: now) { node.core.log.commit() }
  }

  /// By the board, which keeps the key of the node's addresses.
  public mutating func identify(_ identifier: inout DeviceIdentifier) { board.identify(&identifier) }

  /// How many bytes of a page of the log can be read.
  @inline(never)
  public mutating func logReadableBytes(sequence: UInt32) -> Int? {
    node.core.log.readableBytes(sequence: sequence)
  }

  /// Reads bytes of a page of the log.
  public mutating func readLog(
    sequence: UInt32, offset: Int, into buffer: inout MutableSpan<UInt8>
  ) -> Int {
    do throws(LogError) {
      return try node.core.log.read(sequence: sequence, offset: offset, into: &buffer)
    } catch {
      return 0
    }
  }

  /// A host has this page of the log.
  public mutating func acknowledgeLog(_ sequence: UInt32, digest: Span<UInt8>) -> LogAcknowledgement {
    node.core.log.acknowledge(sequence, digest: digest)
  }

  /// The groups of node, radio and log; of the board, if it has counters; and of the radio's roles.
  public static var statisticsGroupCount: Int {
    firstRole &+ RadioType.statisticsRoles &+ (Parts.ManagementType.isPresent ? 1 : 0)
  }

  private static var firstRole: Int { Parts.BoardType.statisticsCount > 0 ? 4 : 3 }
  /// The group of the link over Bluetooth, which is the last; -1 if there is no such link.
  private static var bluetooth: Int {
    Parts.ManagementType.isPresent ? firstRole &+ RadioType.statisticsRoles : -1
  }

  /// The name of a group of counters.
  @inline(never)
  public static func statisticsGroupName(_ group: Int) -> StaticString {
    switch group {
    case 0: Node.Core.statisticsName
    case 1: RadioType.statisticsName
    case 2: Node.Core.Log.statisticsName
    case 3 where firstRole > 3: Parts.BoardType.statisticsName
    case bluetooth: ManagementPortCounters.name
    default: RadioType.statisticsRoleName(group &- firstRole)
    }
  }

  /// How many counters a group has.
  public static func statisticsCount(group: Int) -> Int {
    switch group {
    case 0: Node.Core.statisticsCount
    case 1: RadioType.statisticsCount
    case 2: Node.Core.Log.statisticsCount
    case 3 where firstRole > 3: Parts.BoardType.statisticsCount
    case bluetooth: ManagementPortCounters.count
    default: RadioType.roleStatisticsCount
    }
  }

  /// The name of a counter.
  public static func statisticName(group: Int, _ index: Int) -> StaticWord {
    switch group {
    case 0: Node.Core.statisticName(index)
    case 1: RadioType.statisticName(index)
    case 2: Node.Core.Log.statisticName(index)
    case 3 where firstRole > 3: Parts.BoardType.statisticName(index)
    case bluetooth: StaticWord(index, of: ManagementPortCounters.names)
    default: RadioType.roleStatisticName(index)
    }
  }

  /// The value of a counter.
  public mutating func statistic(group: Int, _ index: Int) -> UInt32 {
    switch group {
    case 0: node.core.statistic(index)
    case 1: node.radio.statistic(index)
    case 2: node.core.log.statistic(index)
    case 3 where Self.firstRole > 3: board.statistic(index)
    case Self.bluetooth: node.core.managementStatistic(index)
    default: node.radio.roleStatistic(index, of: group &- Self.firstRole)
    }
  }

  /// The date, if it is set.
  public mutating func unixMilliseconds(at now: Instant) -> UInt64? {
    node.core.clock.unixMilliseconds(at: now)
  }

  /// Sets the date from a host.
  public mutating func setClock(unixMilliseconds: UInt64, at now: Instant) -> Bool {
    node.core.setClock(unixMilliseconds: unixMilliseconds, at: now, source: .host)
  }

  /// The value of `field`.
  public mutating func information(_ field: InformationField, into text: inout MutableSpan<UInt8>) -> Int {
    board.information(field, into: &text)
  }

  /// By the board.
  public mutating func debugPort() -> DebugPortState { board.debugPort() }

  /// The restart report of the board.
  public mutating func restartReport() -> RestartReport? { board.restartReport() }

  /// Restarts the device soon.
  public mutating func restart(at now: Instant) { board.restart(at: now) }

  /// Whether the board has a light for hosts.
  public static var hasSignal: Bool { Parts.BoardType.hasSignal }
  /// By the board.
  public mutating func signal(_ signal: CollectionSignal, at now: Instant) -> Bool {
    board.signal(signal, at: now)
  }

  /// Whether the board can start a boot loader.
  public static var entersBootLoader: Bool { Parts.BoardType.entersBootLoader }
  /// Commits the log, and restarts the device into its boot loader soon.
  public mutating func enterBootLoader(at now: Instant) {
    node.core.log.commit()
    board.enterBootLoader(at: now)
  }

  /// Whether the delegate keeps events for a host that watches.
  public static var hasLive: Bool { Parts.DelegateType.hasLive }
  /// Marks the tap as in use.
  public mutating func watch(at now: Instant) -> Int { node.core.delegate.watch(at: now) }
  /// Removes and returns the oldest pending event.
  public mutating func nextLive() -> LiveEvent? { node.core.delegate.nextLive() }
  /// The number of events dropped because the buffer was full.
  public mutating func takeLost() -> UInt32 { node.core.delegate.takeLost() }
}
