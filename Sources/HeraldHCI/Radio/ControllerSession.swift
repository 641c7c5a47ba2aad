import HeraldEmbedded

/// The host's side of the controller as a whole: bringing it up, one command at a time, and the difference between what is
/// wanted of it and what it does.
///
/// One command is under way at any time: the next one leaves when the last is answered and Num_HCI_Command_Packets allows
/// another. `plan` writes the next command worth sending and changes nothing; `sent` and `answered` do.
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
  @usableFromInline static var patience: Interval { .seconds(2) }
  /// How long a refused part of the work rests before it is tried again.
  static var rest: Interval { .seconds(1) }
  /// How long a controller that has work may be silent before it is asked whether it is still there.
  static var silence: Interval { .seconds(30) }

  // In this order there is no gap between the members: all zero bits are cleared in their place, and not beside it on the stack.

  /// When something came from the controller last.
  @usableFromInline var heardAt: Instant
  /// When `.failed`: when to try again. When `.ready`: since when.
  @usableFromInline var turned: Instant
  /// Until when an answer, or the controller's leave to send, is waited for if `isWaiting`.
  @usableFromInline var deadline: Instant
  /// While `.cancelling`: when the attempt must have ended.
  @usableFromInline var cancelDeadline: Instant

  // What is wanted and what is.
  var advertising: AdvertisingWork

  @usableFromInline var state: RadioState
  var step: BringUpStep
  /// How many of the vendor's commands have been answered.
  @usableFromInline var vendorCommands: UInt8
  /// How many failures in a row, which sets the pause before the next attempt.
  var failures: UInt8
  /// Num_HCI_Command_Packets was 0.
  @usableFromInline var isBlocked: Bool

  var scanning: ScanningWork

  /// Whether something is waited for until `deadline`.
  @usableFromInline var isWaiting: Bool
  /// The command under way.
  @usableFromInline var pending: Opcode
  /// A cancelled attempt is to be made again: it was in the way of a change of address.
  var restartWanted: Bool
  /// It has refused the last random address it was given.
  var addressWasRefused: Bool

  /// What the controller is.
  @usableFromInline var support: ControllerSupport
  /// What the command under way is for.
  @usableFromInline var pendingPurpose: CommandPurpose

  var connectPeer: DeviceAddress
  @usableFromInline var connect: Connect
  var connectParameters: ConnectionParameters
  var cancelWanted: Bool
  /// The random address the controller has; `.zero` for none.
  var randomAddress: DeviceAddress
  private var filler: UInt8
  /// The one a pending command sets.
  var pendingAddress: DeviceAddress

  @usableFromInline
  init() {
    state = .starting
    step = .reset
    vendorCommands = 0
    heardAt = .start
    failures = 0
    turned = .start
    pending = .none
    pendingPurpose = .none
    isBlocked = false
    isWaiting = false
    deadline = .start
    support = ControllerSupport()
    advertising = AdvertisingWork()
    scanning = ScanningWork()
    connect = .idle
    connectPeer = .zero
    connectParameters = ConnectionParameters(ownAddress: .zero, interval: 0, supervisionTimeout: 0)
    cancelWanted = false
    restartWanted = false
    cancelDeadline = .start
    randomAddress = .zero
    filler = 0
    pendingAddress = .zero
    addressWasRefused = false
  }

  /// Gives the controller up for now, forgetting all that was wanted. The first attempt to bring it up again is made at
  /// once, the next ones after 100 ms, 200 ms and so on up to 25.6 s; half a minute without failure starts over.
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

  /// Something is to be sent that the controller does not take: its patience runs.
  @usableFromInline
  mutating func wait(from now: Instant) {
    guard !isWaiting else { return }
    isWaiting = true
    deadline = now + Self.patience
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
  @usableFromInline var commands: SupportedCommands
  @usableFromInline var states: SupportedStates
  @usableFromInline var acl: ACLBufferSize
  @usableFromInline var publicAddress: DeviceAddress
  /// HCI_Version: 9 is Core Specification 5.0.
  @usableFromInline var version: UInt8
  /// Whether it also has BR/EDR.
  @usableFromInline var isDualMode: Bool
  /// LE Data Packet Length Extension (feature bit 5).
  @usableFromInline var hasDataLength: Bool
  /// Whether the extended commands are used: the controller lacks legacy ones. The two must not be mixed.
  @usableFromInline var isExtended: Bool

  @usableFromInline
  init() {
    commands = SupportedCommands()
    states = .none
    acl = ACLBufferSize(length: 0, count: 0)
    publicAddress = .zero
    version = 0
    isDualMode = false
    hasDataLength = false
    isExtended = false
  }

  /// Takes over the supported commands, and decides which set of commands to use.
  mutating func take(_ commands: SupportedCommands) {
    self.commands = commands
    let hasLegacy = commands.legacyAdvertising && commands.legacyScanning && commands.createConnection
    let hasExtended =
      commands.extendedAdvertising || commands.extendedScanning || commands.extendedCreateConnection
    isExtended = !hasLegacy && hasExtended
  }

  /// Bits 0 to 15 of LE_Event_Mask: Connection Complete (bit 0), Advertising Report (1), Long Term Key Request (4), and with the extended
  /// commands Extended Advertising Report (12).
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
