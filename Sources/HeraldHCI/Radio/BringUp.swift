import HeraldBluetooth
import HeraldHAL

/// The steps from an unknown controller to a ready one. Each is one command, whose form is in `CommandForms`;
/// some are left out.
///
/// A number and not an enumeration: the next one is found without a table.
struct BringUpStep: Equatable, BitwiseCopyable {
  /// The index of the step, in the order of execution.
  let number: UInt8

  static var reset: Self { Self(number: 0) }
  static var vendor: Self { Self(number: 1) }
  static var version: Self { Self(number: 2) }
  static var commands: Self { Self(number: 3) }
  static var features: Self { Self(number: 4) }
  static var eventMask: Self { Self(number: 5) }
  static var hostSupport: Self { Self(number: 6) }
  static var leEventMask: Self { Self(number: 7) }
  static var leBufferSize: Self { Self(number: 8) }
  static var bufferSize: Self { Self(number: 9) }
  static var leFeatures: Self { Self(number: 10) }
  static var leStates: Self { Self(number: 11) }
  static var address: Self { Self(number: 12) }
  static var dataLength: Self { Self(number: 13) }
  static var done: Self { Self(number: 14) }
}

extension ControllerSession {
  /// Whether the vendor's commands are next, which the transport supplies.
  var isAtVendor: Bool { state == .starting && step == .vendor }

  /// All vendor commands have been sent.
  mutating func endVendor() { step = .version }

  /// The command of the current step; none while the controller is not being brought up.
  mutating func planBringUp() -> CommandPurpose {
    // The vendor's commands come from the transport, before this is called.
    state == .starting && step != .vendor && step != .done ? .bringUp : .none
  }

  /// Processes the response to the current step. An optional step may be refused; without the others there is
  /// no LE host, and bring-up fails.
  @inline(never)
  mutating func bringUp(_ status: HCIErrorCode, _ bytes: Span<UInt8>, at now: Instant) -> Outcome {
    let isGood = status.isSuccess
    switch step {
    case .reset, .eventMask, .leEventMask:
      guard isGood else { return .failed }
    case .vendor:
      guard isGood else { return .failed }
      vendorCommands &+= 1
      return .nothing
    case .version:
      if isGood, bytes.count > 0 { support.version = bytes[unchecked: 0] }
    case .commands:
      guard isGood else { return .failed }
      support.takeCommands(bytes)
    case .features:
      // BR/EDR Not Supported is bit 37: byte 4, bit 5.
      if isGood, bytes.count > 4 { support.isDualMode = bytes[unchecked: 4] & 0x20 == 0 }
    case .leBufferSize:
      guard isGood, let size = ACLBufferSize.le(bytes) else { return .failed }
      support.acl = size
    case .bufferSize:
      if isGood, let size = ACLBufferSize.shared(bytes) { support.acl = size }
    case .leFeatures:
      if isGood, bytes.count > 0 { support.hasDataLength = bytes[unchecked: 0] & 0x20 != 0 }
    case .leStates:
      if isGood, let states = SupportedStates(bytes) { support.states = states }
    case .address:
      if isGood, bytes.count >= 6 { support.publicAddress = .unchecked(bytes, 0, type: 0) }
    default:
      break
    }
    repeat {
      step = BringUpStep(number: step.number &+ 1)
    } while isLeftOut(step)
    guard step == .done else { return .nothing }
    advertising.clear()
    advertised.clear()
    scanning.clear()
    scanRetryAt = .start
    state = .ready
    turned = now
    return .ready
  }

  @inline(never)
  private mutating func isLeftOut(_ step: BringUpStep) -> Bool {
    switch step {
    case .hostSupport: !support.isDualMode || !support.commands.writeLEHostSupport
    // LE_ACL_Data_Packet_Length 0: the buffers of BR/EDR are used for both.
    case .bufferSize: support.acl.length > 0 && support.acl.count > 0
    case .dataLength: !support.hasDataLength || !support.commands.suggestedDataLength
    default: false
    }
  }
}
