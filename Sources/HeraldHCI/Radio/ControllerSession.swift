import HeraldBluetooth
import HeraldHAL

/// The host's side of the controller as a whole: bringing it up, one command at a time, and the difference
/// between what is wanted of it and what it does.
///
/// One command is under way at any time: the next one leaves when the last is answered and
/// Num_HCI_Command_Packets allows another. `plan` writes the next command worth sending and changes nothing;
/// `sent` and `answered` do.
@usableFromInline
struct ControllerSession: ~Copyable {
  /// What an answer means to the layers above.
  @usableFromInline
  enum Outcome: BitwiseCopyable {
    case nothing
    /// The controller is up.
    case ready
    /// It cannot be brought up, or has lost its mind.
    case failed
    /// The attempt to connect is over.
    case connectFailed(DisconnectReason)
    /// The strength of a connection.
    case measured(ConnectionHandle, RSSI)
    /// The command was refused for the connection it was about.
    case refused(HCIErrorCode)
  }

  /// Where an attempt to connect is.
  @usableFromInline
  enum Connect: UInt8, BitwiseCopyable {
    case idle = 0
    /// Asked for, no command sent yet.
    case wanted = 1
    /// The command was sent.
    case creating = 2
    /// The controller is at it.
    case initiating = 3
    /// The command to cancel was sent.
    case cancelling = 4
  }

  /// How long a controller may take to answer a command, or to take the next.
  @usableFromInline static var commandTimeout: Interval { .seconds(2) }
  /// How long a refused part of the work rests before it is tried again.
  static var rest: Interval { .seconds(1) }
  /// How long a controller that has work may be silent before it is asked whether it is still there.
  static var silence: Interval { .seconds(30) }
  /// How soon after a failure a byte from the controller ends the pause: what comes sooner may be the rest of
  /// what failed.
  static var shortestPause: Interval { .milliseconds(100) }

  // What is one byte long and looked at often comes first, where short instructions reach it. In this order
  // there is no gap between the members: all zero bits are cleared in their place, and not beside it on the
  // stack.

  @usableFromInline var state = RadioState.starting
  var step = BringUpStep.reset
  /// Num_HCI_Command_Packets was 0.
  @usableFromInline var isBlocked = false
  /// Whether something is waited for until `deadline`.
  @usableFromInline var isWaiting = false
  /// What the command under way is for.
  @usableFromInline var pendingPurpose = CommandPurpose.none
  @usableFromInline var connect = Connect.idle
  var cancelWanted = false
  /// A cancelled attempt is to be made again: it was in the way of a change of address.
  var restartWanted = false
  var advertising = AdvertisingState()
  var scanning = ScanningState()
  /// The command under way.
  @usableFromInline var pending = Opcode.none

  /// What the controller is.
  @usableFromInline var support = ControllerSupport()
  /// How many of the vendor's commands have been answered.
  @usableFromInline var vendorCommands: UInt8 = 0
  /// Closes a gap, so that all of this is cleared in its place.
  private var spare: UInt16 = 0
  var connectPeer = DeviceAddress.zero
  /// How many failures in a row, which sets the pause before the next attempt.
  var failures: UInt8 = 0
  var connectParameters = ConnectionParameters(ownAddress: .zero, interval: 0, supervisionTimeout: 0)
  /// It has refused the last random address it was given.
  var addressWasRefused = false

  /// When something came from the controller last.
  @usableFromInline var heardAt = Instant.start
  /// When `.failed`: when to try again. When `.ready`: since when.
  @usableFromInline var turned = Instant.start
  /// Until when an answer, or the controller's leave to send, is waited for if `isWaiting`. When `.failed`:
  /// since when.
  @usableFromInline var deadline = Instant.start
  /// While `.cancelling`: when the attempt must have ended.
  @usableFromInline var cancelDeadline = Instant.start
  /// A refused command of scanning is not repeated before.
  var scanRetryAt = Instant.start

  var advertised = AdvertisingWork()
  var scanParameters = ScanParameters(ownAddress: .zero, interval: .zero, window: .zero, active: false)
  /// The random address the controller has; `.zero` for none.
  var randomAddress = DeviceAddress.zero
  private var filler: UInt8 = 0
  /// The one a pending command sets.
  var pendingAddress = DeviceAddress.zero
  private var end: UInt8 = 0

  @usableFromInline
  init() {}

  /// Gives the controller up for now, forgetting all that was wanted. The first attempt to bring it up again
  /// is made at once, the next ones after 100 ms, 200 ms and so on up to 25.6 s; half a minute without
  /// failure starts over.
  @usableFromInline
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

  /// While the controller is given up: a byte from it since then ends the pause, and so does a line that
  /// `wasReopened`.
  @usableFromInline
  mutating func resume(at now: Instant, wasReopened: Bool) {
    if wasReopened {
      turned = now
    } else if heardAt > deadline {
      turned = min(turned, deadline + Self.shortestPause)
    }
  }

  /// Begins to bring the controller up, from nothing.
  @usableFromInline
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

  /// Whether nothing but the answer to HCI_Reset is expected, or there is no hope at the moment.
  @usableFromInline
  mutating func awaitsReset() -> Bool { state == .failed || (state == .starting && step == .reset) }

  /// Something is to be sent that the controller does not take: its timeout runs.
  @usableFromInline
  mutating func wait(from now: Instant) {
    guard !isWaiting else { return }
    isWaiting = true
    deadline = now + Self.commandTimeout
  }

  /// By when something that is waited for must have come.
  @usableFromInline
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

/// What one controller is and can do, as its bring-up found out.
@usableFromInline
struct ControllerSupport: BitwiseCopyable {
  /// HCI_Version: 9 is Core Specification 5.0.
  @usableFromInline var version: UInt8 = 0
  /// Whether it also has BR/EDR.
  @usableFromInline var isDualMode = false
  /// LE Data Packet Length Extension (feature bit 5).
  @usableFromInline var hasDataLength = false
  /// Whether the extended commands are used: the controller lacks legacy ones. The two must not be mixed.
  @usableFromInline var isExtended = false
  @usableFromInline var acl = ACLBufferSize(length: 0, count: 0)
  @usableFromInline var states = SupportedStates.none
  @usableFromInline var publicAddress = DeviceAddress.zero
  @usableFromInline var commands = SupportedCommands()

  @usableFromInline
  init() {}

  /// Takes over the supported commands, and decides which set of commands to use.
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

  /// The commands to advertise are there.
  @usableFromInline var canAdvertise: Bool {
    isExtended ? commands.extendedAdvertising : commands.legacyAdvertising
  }
  /// The commands to scan are there.
  @usableFromInline var canScan: Bool {
    isExtended ? commands.extendedScanning : commands.legacyScanning
  }
  /// The commands to connect are there, and buffers for what is sent.
  @usableFromInline var canConnect: Bool {
    guard acl.count > 0, acl.length > 0 else { return false }
    return isExtended ? commands.extendedCreateConnection : commands.createConnection
  }
  /// The length of new connections' packets can be set.
  @usableFromInline var canSetDataLength: Bool { hasDataLength && commands.setDataLength }
  /// The same in the radio's terms; the longest PDU is left open.
  @usableFromInline
  mutating func capabilities(connections: Int) -> RadioCapabilities {
    RadioCapabilities(
      canAdvertise: canAdvertise,
      canAdvertiseWhileConnected: canAdvertise && states.advertisingWhileConnected,
      canScanWhileConnecting: canScan && states.scanningWhileInitiating, canConnect: canConnect,
      connections: canConnect ? connections : 0, maximumPDU: 0, publicAddress: publicAddress)
  }
}

extension RadioCapabilities {
  /// What a radio can do before its controller is known.
  @usableFromInline static var none: RadioCapabilities {
    RadioCapabilities(
      canAdvertise: false, canAdvertiseWhileConnected: false, canScanWhileConnecting: false,
      canConnect: false,
      connections: 0, maximumPDU: 0, publicAddress: .zero)
  }
}
