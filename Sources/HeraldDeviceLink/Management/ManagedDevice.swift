import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL

/// The interface of the management link to the device that it manages.
///
/// A device is large and is only ever passed `inout`: all functions that read it are `mutating`, as a borrow
/// may copy what it borrows to the stack (docs/architecture.md).
public protocol ManagedDevice: LiveSource, ImageSlot, ~Copyable {
  /// The status of the log: what can be read. Changes nothing, as it is served without a session.
  mutating func logStatus() -> LogStatus
  /// Makes readable what has been logged so far, for a host that is about to read. May have no effect if it
  /// was called shortly before.
  mutating func commitLog(at now: Instant)
  /// Derives the identifier of this device, unless it has none that persists over restarts.
  mutating func identify(_ identifier: inout DeviceIdentifier)
  /// How many bytes of page `sequence` of the log can be read; `nil` if there is no such page.
  mutating func logReadableBytes(sequence: UInt32) -> Int?
  /// Reads bytes of page `sequence` from `offset` on, as many as fit into `buffer`. Returns how many were
  /// read; 0 when the page is gone, the offset is beyond its end, or the flash fails.
  mutating func readLog(sequence: UInt32, offset: Int, into buffer: inout MutableSpan<UInt8>) -> Int

  /// A host has page `sequence` of the log, whose bytes have this SHA-256: it may be erased, if all before it
  /// may.
  mutating func acknowledgeLog(_ sequence: UInt32, digest: Span<UInt8>) -> LogAcknowledgement

  /// Whether the log can be read as files, too. A device without files contains no code for them.
  static var hasFiles: Bool { get }
  /// The name of the boot loader; empty if unknown.
  static var bootLoader: StaticString { get }

  /// How many groups of counters there are.
  static var statisticsGroupCount: Int { get }
  /// The name of group `group`; empty outside `0..<statisticsGroupCount`.
  static func statisticsGroupName(_ group: Int) -> StaticString
  /// How many counters group `group` has.
  static func statisticsCount(group: Int) -> Int
  /// The name of counter `index` of group `group`.
  static func statisticName(group: Int, _ index: Int) -> StaticWord
  /// The value of counter `index` of group `group`.
  mutating func statistic(group: Int, _ index: Int) -> UInt32

  /// Milliseconds since 1970-01-01T00:00:00Z; `nil` before the clock is set.
  mutating func unixMilliseconds(at now: Instant) -> UInt64?
  /// Sets the clock; `false` if it does not accept this date.
  mutating func setClock(unixMilliseconds: UInt64, at now: Instant) -> Bool

  /// Writes the value of `field` to the start of `text`, in ASCII, and returns its length: 0 if there is none
  /// or it does not fit.
  mutating func information(_ field: InformationField, into text: inout MutableSpan<UInt8>) -> Int

  /// Whether a debugger can read the memory of the chip.
  mutating func debugPort() -> DebugPortState
  /// The restart report; `nil` if the device does not keep one.
  mutating func restartReport() -> RestartReport?
  /// Whether a host without a session may begin a factory reset now. Permission that was given at the device
  /// is used up by this.
  mutating func takeResetPermission(at now: Instant) -> Bool
  /// Records that everything is to be erased, so that this survives a restart, and begins the erasure.
  /// `false` if it could not be recorded.
  mutating func beginFactoryReset() -> Bool
  /// The progress of the factory reset.
  mutating func factoryReset() -> FactoryResetProgress

  /// Whether the device has a light for hosts. Without one, the code for it is omitted.
  static var hasSignal: Bool { get }
  /// Has the light show how far a host is with the collection of the log, for a limited time. `false` if the
  /// light shows something of more importance, or has just changed.
  mutating func signal(_ signal: CollectionSignal, at now: Instant) -> Bool

  /// Restarts the device after a delay in which the response is sent.
  mutating func restart(at now: Instant)
  /// Whether the device can start its boot loader. Without one, the code for it is omitted.
  static var entersBootLoader: Bool { get }
  /// Commits the log, and restarts the device into its boot loader after a delay in which the response is
  /// sent.
  mutating func enterBootLoader(at now: Instant)

  /// The effective value of a setting.
  mutating func inEffect(_ setting: Setting) -> UInt32
  /// Stores a valid value set by a host, or with `nil` removes it, and applies it from now on. Returns
  /// `false`, without effect, if it could not be stored.
  mutating func keep(_ setting: Setting, value: UInt32?, at now: Instant) -> Bool

  /// Whether there is an access key.
  mutating func hasAccessKey() -> Bool
  /// Copies it to 32 bytes; `false` if there is none, or it cannot be read.
  mutating func copyAccessKey(into key: inout MutableSpan<UInt8>) -> Bool
  /// Stores another access key of 32 bytes, or removes it if `bytes` is empty. `false` if it could not be
  /// stored; nothing has then changed.
  mutating func keepAccessKey(_ key: Span<UInt8>) -> Bool
  /// Whether the device has what a setting is for. Others cannot be set.
  static func takes(_ setting: Setting) -> Bool
  /// Copies the owner's public key to 32 bytes; `false` if there is none, or it cannot be read.
  mutating func copyOwnerKey(into key: inout MutableSpan<UInt8>) -> Bool
  /// Stores another public key of the owner, or removes it if `bytes` is empty. `false` if it is none, or
  /// could not be stored; nothing has then changed.
  mutating func keepOwnerKey(_ key: Span<UInt8>) -> Bool
  /// The rate limit of guesses of the access key.
  var access: AccessGate { get set }
  /// Fills `bytes` with random ones.
  mutating func fillRandom(_ bytes: inout MutableSpan<UInt8>)

  /// The maximum length of a constant payload that a host sends; 0 if the device accepts none.
  var storedPayloadCapacity: Int { mutating get }
  /// Stages bytes of a payload blob of `total` bytes, which is used at offset 0 only.
  mutating func stagePayload(offset: Int, total: Int, _ bytes: Span<UInt8>) -> PayloadStagingOutcome
  /// The payload that is offered, and until when.
  mutating func payloadStatus(at now: Instant) -> PayloadStatus
  /// Writes the payload of this moment to the start of `bytes` and returns its length; 0 if there is none, or
  /// too little room.
  mutating func copyPayload(into bytes: inout MutableSpan<UInt8>, at now: Instant) -> Int

  // MARK: The link over Bluetooth

  /// A number for the central that uses the link over Bluetooth, another one for the next; 0 if there is
  /// none.
  var managementSession: UInt16 { mutating get }
  /// Moves its next request to the start of `packet`. Returns the length; 0 if there is none.
  mutating func takeManagementRequest(into packet: inout MutableSpan<UInt8>) -> Int
  /// How many bytes can be notified to it at once; 0 if it does not receive notifications.
  var managementRoom: Int { mutating get }
  /// Notifies the bytes of `pdu` behind the first three, which are replaced by the header. Throws `.busy`
  /// if the radio does not accept them now.
  mutating func notifyManagement(_ pdu: inout MutableSpan<UInt8>, at now: Instant) throws(RadioError)
  /// The Bluetooth client has had a response in a session: its connection is kept.
  mutating func trustManagementClient(at now: Instant)
}

extension ManagedDevice where Self: ~Copyable {
  /// The device does not know it.
  @inline(__always)
  public mutating func debugPort() -> DebugPortState { .notKnown }
  /// No restart report.
  public mutating func restartReport() -> RestartReport? { nil }
  @inline(__always) public static var hasFiles: Bool { false }
  @inline(__always) public static var bootLoader: StaticString { "" }
  @inline(__always) public static var hasSignal: Bool { false }
  /// The device has no light.
  public mutating func signal(_ signal: CollectionSignal, at now: Instant) -> Bool { false }
  @inline(__always) public static var entersBootLoader: Bool { false }
  /// The device has no boot loader.
  public mutating func enterBootLoader(at now: Instant) {}
  /// All events are readable at once.
  public mutating func commitLog(at now: Instant) {}
  /// A device without an identifier.
  public mutating func identify(_ identifier: inout DeviceIdentifier) {}
  /// By default the acknowledgement erases nothing.
  public mutating func acknowledgeLog(_ sequence: UInt32, digest: Span<UInt8>) -> LogAcknowledgement {
    .outOfOrder
  }
  /// Always: whoever has the device can erase it.
  @inline(__always)
  public mutating func takeResetPermission(at now: Instant) -> Bool { true }
  /// A device without storage for the record does not do it.
  public mutating func beginFactoryReset() -> Bool { false }
  public mutating func factoryReset() -> FactoryResetProgress { FactoryResetProgress() }

  /// Zero: a device without settings. One that gives every host access to its log returns 1 for `stayOpen`.
  public mutating func inEffect(_ setting: Setting) -> UInt32 { 0 }
  /// A device without storage does not change.
  public mutating func keep(_ setting: Setting, value: UInt32?, at now: Instant) -> Bool { false }

  /// The device has every setting.
  public static func takes(_ setting: Setting) -> Bool { true }
  /// A device without storage has none.
  public mutating func hasAccessKey() -> Bool { false }
  public mutating func copyAccessKey(into key: inout MutableSpan<UInt8>) -> Bool { false }
  /// A device without storage stores none.
  public mutating func keepAccessKey(_ key: Span<UInt8>) -> Bool { false }
  /// The device's log is not sealed.
  public mutating func copyOwnerKey(into key: inout MutableSpan<UInt8>) -> Bool { false }
  public mutating func keepOwnerKey(_ key: Span<UInt8>) -> Bool { false }
  /// Without a key there is no delay.
  public var access: AccessGate {
    get { AccessGate() }
    set {}
  }
  /// No random source is needed.
  public mutating func fillRandom(_ bytes: inout MutableSpan<UInt8>) {}

  public var storedPayloadCapacity: Int { mutating get { 0 } }
  public mutating func stagePayload(offset: Int, total: Int, _ bytes: Span<UInt8>) -> PayloadStagingOutcome {
    .refused
  }
  /// Unknown.
  public mutating func payloadStatus(at now: Instant) -> PayloadStatus { PayloadStatus() }
  public mutating func copyPayload(into bytes: inout MutableSpan<UInt8>, at now: Instant) -> Int { 0 }

  /// Zero: there is no such link.
  public var managementSession: UInt16 { mutating get { 0 } }
  public mutating func takeManagementRequest(into packet: inout MutableSpan<UInt8>) -> Int { 0 }
  public var managementRoom: Int { mutating get { 0 } }
  public mutating func notifyManagement(_ pdu: inout MutableSpan<UInt8>, at now: Instant) throws(RadioError) {
    throw .notConnected
  }
  public mutating func trustManagementClient(at now: Instant) {}
}

/// The progress of a factory reset.
public struct FactoryResetProgress: Equatable, BitwiseCopyable, Sendable {
  /// Completed erasures, failed ones included.
  public var done: UInt32 = 0
  /// The number of erasures; 0 while there is no reset.
  public var total: UInt32 = 0
  /// Failed erasures, which leave data behind.
  public var failed: UInt32 = 0

  public init() {}
}

/// The fields of MCUmgr's OS and application information, in the order of the response.
public enum InformationField: UInt8, BitwiseCopyable, Sendable {
  /// `s`: the name of the firmware.
  case kernelName = 0
  /// `n`: the name of this device: its serial number.
  case nodeName = 1
  /// `r`: the release of the firmware.
  case kernelRelease = 2
  /// `v`: the version of the firmware in full.
  case kernelVersion = 3
  /// `b`: when it was built.
  case buildDate = 4
  /// `m`: the architecture.
  case machine = 5
  /// `p`: the processor.
  case processor = 6
  /// `i`: the board.
  case hardwarePlatform = 7
  /// `o`: the operating system.
  case operatingSystem = 8

  /// How many fields there are.
  static var count: UInt8 { 9 }

  /// The field that `character` of a format requests.
  init?(character: UInt8) {
    let letters: StaticString = "snrvbmpio"
    for index in 0..<Self.count where letters.utf8Start[Int(index)] == character {
      self.init(rawValue: index)
      return
    }
    return nil
  }
}
