import HeraldBluetooth
import HeraldHAL

/// The host's state of the controller as a whole: bring-up, one command at a time, and the difference between
/// the requested and the actual state.
///
/// One command is under way at any time: the next one is sent when the last is complete and
/// Num_HCI_Command_Packets allows another. `plan` writes the next command to send and changes nothing; `sent`
/// and `answered` do.
struct ControllerSession: ~Copyable {
  /// The effect of a response on the layers above.
  enum Outcome: BitwiseCopyable {
    case nothing
    /// The controller is ready.
    case ready
    /// Bring-up failed, or the controller is out of a defined state.
    case failed
    /// The attempt to connect has ended.
    case connectFailed(DisconnectReason)
    /// The RSSI of a connection.
    case measured(ConnectionHandle, RSSI)
    /// The command was refused for its connection.
    case refused(HCIErrorCode)
  }

  /// The state of a connection attempt.
  enum Connect: UInt8, BitwiseCopyable {
    case idle = 0
    /// Requested, no command sent yet.
    case wanted = 1
    /// The command was sent.
    case creating = 2
    /// The controller is initiating.
    case initiating = 3
    /// The command to cancel was sent.
    case cancelling = 4
  }

  /// How long a controller may take to complete a command, or to accept the next.
  static var commandTimeout: Interval { .seconds(2) }
  /// How long a refused command is held back before it is repeated.
  static var rest: Interval { .seconds(1) }
  /// How long a controller with work may be silent before it gets a command to check whether it responds.
  static var silence: Interval { .seconds(30) }
  /// How soon after a failure a byte from the controller ends the pause: earlier bytes may belong to the
  /// failed transfer.
  static var shortestPause: Interval { .milliseconds(100) }

  // Members of one byte that are read often come first, within reach of short instructions. In this order
  // there is no padding between the members: zeroing is done in place, and not in a copy on the stack.

  var state = RadioState.starting
  var step = BringUpStep.reset
  /// Num_HCI_Command_Packets was 0.
  var isBlocked = false
  /// Whether `deadline` is in use.
  var isWaiting = false
  /// The purpose of the command under way.
  var pendingPurpose = CommandPurpose.none
  var connect = Connect.idle
  var cancelWanted = false
  /// A cancelled attempt is to be repeated: it was cancelled for a change of address.
  var restartWanted = false
  var advertising = AdvertisingState()
  var scanning = ScanningState()
  /// The command under way.
  var pending = Opcode.none

  /// The capabilities of the controller.
  var support = ControllerSupport()
  /// How many of the vendor's commands are complete.
  var vendorCommands: UInt8 = 0
  /// Padding: with it all of this is cleared in place.
  private var spare: UInt16 = 0
  var connectPeer = DeviceAddress.zero
  /// The number of failures in a row, which sets the pause before the next attempt.
  var failures: UInt8 = 0
  var connectParameters = ConnectionParameters(ownAddress: .zero, interval: 0, supervisionTimeout: 0)
  /// The controller has refused the last random address.
  var addressWasRefused = false

  /// When a byte was last received from the controller.
  var receivedAt = Instant.start
  /// When `.failed`: when to start again. When `.ready`: since when.
  var turned = Instant.start
  /// Until when a response, or permission to send, is expected if `isWaiting`. When `.failed`: since when.
  var deadline = Instant.start
  /// While `.cancelling`: when the attempt must have ended.
  var cancelDeadline = Instant.start
  /// A refused command of scanning is not repeated before this.
  var scanRetryAt = Instant.start

  var advertised = AdvertisingWork()
  var scanParameters = ScanParameters(ownAddress: .zero, interval: .zero, window: .zero, active: false)
  /// The random address set in the controller; `.zero` for none.
  var randomAddress = DeviceAddress.zero
  private var filler: UInt8 = 0
  /// The address that a pending command sets.
  var pendingAddress = DeviceAddress.zero
  private var end: UInt8 = 0

  init() {}

  /// Enters `.failed` and clears the requested state. The first attempt to bring it up again is made at once,
  /// the next ones after 100 ms, 200 ms and so on up to 25.6 s; half a minute without failure starts over.
  mutating func fail(at now: Instant, _ counters: inout HCICounters) {
    counters.count(.failures)
    if state == .ready, now.since(turned) >= .seconds(30) { failures = 0 }
    let pause: UInt32 = failures == 0 ? 0 : 50 &<< UInt32(failures)
    if failures < 9 { failures &+= 1 }
    state = .failed
    turned = now + .milliseconds(pause)
    pending = .none
    isWaiting = false
    deadline = now
  }

  /// In `.failed`: a byte received since then ends the pause, and so does a line that `wasReopened`.
  mutating func resume(at now: Instant, wasReopened: Bool) {
    if wasReopened {
      turned = now
    } else if receivedAt > deadline {
      turned = min(turned, deadline + Self.shortestPause)
    }
  }

  /// Begins to bring the controller up from the start.
  mutating func restart() {
    state = .starting
    step = .reset
    vendorCommands = 0
    pending = .none
    isBlocked = false
    isWaiting = false
    support = ControllerSupport()
    connect = .idle
    cancelWanted = false
    restartWanted = false
    randomAddress = .zero
    addressWasRefused = false
  }

  /// Whether only the response to HCI_Reset is expected, or the state is `.failed`.
  mutating func awaitsReset() -> Bool { state == .failed || (state == .starting && step == .reset) }

  /// A command is pending that the controller does not accept: its timeout runs.
  mutating func wait(from now: Instant) {
    guard !isWaiting else { return }
    isWaiting = true
    deadline = now + Self.commandTimeout
  }

  /// The deadline of the event that is expected.
  mutating func overdueAt() -> Instant {
    let command = isWaiting ? deadline : .never
    return connect == .cancelling ? min(command, cancelDeadline) : command
  }

  /// Num_HCI_Command_Packets from an event.
  mutating func credit(_ credits: UInt8) {
    isBlocked = credits == 0
    if pending == .none { isWaiting = false }
  }
}

/// The properties of one controller, as found by its bring-up.
struct ControllerSupport: BitwiseCopyable {
  /// HCI_Version: 9 is Core Specification 5.0.
  var version: UInt8 = 0
  /// Whether it also has BR/EDR.
  var isDualMode = false
  /// LE Data Packet Length Extension (feature bit 5).
  var hasDataLength = false
  /// Whether the extended commands are used: the controller lacks legacy ones. The two must not be mixed.
  var isExtended = false
  var acl = ACLBufferSize(length: 0, count: 0)
  var states = SupportedStates.none
  var publicAddress = DeviceAddress.zero
  var commands = SupportedCommands()

  init() {}

  /// Stores the supported commands, and decides which set of commands to use.
  mutating func takeCommands(_ bits: Span<UInt8>) {
    commands.take(bits)
    let hasLegacy = commands.legacyAdvertising && commands.legacyScanning && commands.createConnection
    let hasExtended =
      commands.extendedAdvertising || commands.extendedScanning || commands.extendedCreateConnection
    isExtended = !hasLegacy && hasExtended
  }

  /// Bits 0 to 15 of LE_Event_Mask: Connection Complete (bit 0), Advertising Report (1), Long Term Key
  /// Request (4), and with the extended commands Extended Advertising Report (12).
  var eventMask: UInt16 { isExtended ? 0x1013 : 0x0013 }

  /// The commands for advertising are supported.
  var canAdvertise: Bool {
    isExtended ? commands.extendedAdvertising : commands.legacyAdvertising
  }
  /// The commands for scanning are supported.
  var canScan: Bool {
    isExtended ? commands.extendedScanning : commands.legacyScanning
  }
  /// The commands for connecting are supported, and there are buffers for data.
  var canConnect: Bool {
    guard acl.count > 0, acl.length > 0 else { return false }
    return isExtended ? commands.extendedCreateConnection : commands.createConnection
  }
  /// The length of new connections' packets can be set.
  var canSetDataLength: Bool { hasDataLength && commands.setDataLength }
  /// The same as the radio's capabilities; the longest PDU is left open.
  mutating func capabilities(connections: Int) -> RadioCapabilities {
    RadioCapabilities(
      canAdvertise: canAdvertise,
      canAdvertiseWhileConnected: canAdvertise && states.advertisingWhileConnected,
      canScanWhileConnecting: canScan && states.scanningWhileInitiating, canConnect: canConnect,
      connections: canConnect ? connections : 0, maximumPDU: 0, publicAddress: publicAddress)
  }
}

extension RadioCapabilities {
  /// What a radio can do before bring-up.
  static var none: RadioCapabilities {
    RadioCapabilities(
      canAdvertise: false, canAdvertiseWhileConnected: false, canScanWhileConnecting: false,
      canConnect: false,
      connections: 0, maximumPDU: 0, publicAddress: .zero)
  }
}
