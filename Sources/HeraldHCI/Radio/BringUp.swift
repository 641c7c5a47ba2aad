import HeraldEmbedded

/// The steps from an unknown controller to a ready one. Each is one command, whose form is in `CommandForms`; some are left out.
enum BringUpStep: UInt8, BitwiseCopyable {
  case reset = 0
  case vendor
  case version
  case commands
  case features
  case eventMask
  case hostSupport
  case leEventMask
  case leBufferSize
  case bufferSize
  case leFeatures
  case leStates
  case address
  case dataLength
  case done
}

extension ControllerSession {
  /// Whether it is the vendor's turn: commands that the transport knows.
  @usableFromInline var isAtVendor: Bool { state == .starting && step == .vendor }

  /// There are no more of the vendor's.
  @usableFromInline
  mutating func endVendor() { step = .version }

  /// The command of the current step; none while the controller is not to be brought up.
  mutating func planBringUp() -> CommandPurpose {
    // The vendor's commands come from the transport, before this is asked.
    state == .starting && step != .vendor && step != .done ? .bringUp : .none
  }

  /// Takes the answer to the current step. A step that only makes things better may be refused; without
  /// the others there is no LE host, and bring-up fails.
  @_lifetime(reader: copy reader)
  mutating func bringUp(
    _ status: HCIErrorCode, _ reader: inout ByteReader, at now: Instant
  ) -> Outcome {
    let isGood = status.isSuccess
    switch step {
    case .reset, .eventMask, .leEventMask:
      guard isGood else { return .failed }
    case .vendor:
      guard isGood else { return .failed }
      vendorCommands &+= 1
      return .nothing
    case .version:
      if isGood, let version = reader.u8() { support.version = version }
    case .commands:
      guard isGood else { return .failed }
      support.take(SupportedCommands(&reader))
    case .features:
      // BR/EDR Not Supported is bit 37: byte 4, bit 5.
      if isGood, reader.skip(4), let byte = reader.u8() { support.isDualMode = byte & 0x20 == 0 }
    case .leBufferSize:
      guard isGood, let size = ACLBufferSize.le(&reader) else { return .failed }
      support.acl = size
    case .bufferSize:
      if isGood, let size = ACLBufferSize.shared(&reader) { support.acl = size }
    case .leFeatures:
      if isGood, let byte = reader.u8() { support.hasDataLength = byte & 0x20 != 0 }
    case .leStates:
      if isGood, let states = SupportedStates(&reader) { support.states = states }
    case .address:
      if isGood, let address = reader.deviceAddress(.public) { support.publicAddress = address }
    case .hostSupport, .dataLength, .done:
      break
    }
    repeat {
      step = BringUpStep(rawValue: step.rawValue &+ 1) ?? .done
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
    // LE_ACL_Data_Packet_Length 0 says that BR/EDR's buffers serve both.
    case .bufferSize: support.acl.length > 0 && support.acl.count > 0
    case .dataLength: !support.hasDataLength || !support.commands.suggestedDataLength
    default: false
    }
  }
}
