import HeraldBluetooth
import HeraldHAL

// State changes when a command is sent and when its response is received.
extension ControllerSession {
  /// The command in `packet` was sent, right after `plan` chose it. The state from which `plan` chose may
  /// have changed when the response is received: what the command settles is therefore marked as done now.
  @inline(__always)
  mutating func sent(
    _ packet: CommandPacket, _ purpose: CommandPurpose, _ summary: ConnectionSummary, connects: Bool,
    at now: Instant
  ) {
    pending = packet.opcode
    pendingPurpose = purpose
    isWaiting = true
    deadline = now + Self.commandTimeout
    switch purpose {
    case .advertisingParameters:
      advertising.owesParameters = false
      advertising.type = advertisingType(summary)
    case .advertisingAddress: advertising.owesAddress = false
    case .advertisingData: advertising.owesData = false
    case .scanResponse: advertising.owesResponse = false
    case .scanParameters: scanning.owesParameters = false
    case .randomAddress: pendingAddress = wantedRandomAddress()
    case .createConnection where connects: connect = .creating
    case .cancelConnection where connects:
      connect = .cancelling
      restartWanted = !cancelWanted
      cancelDeadline = deadline
    default: break
    }
  }

  /// The parameters of HCI_Command_Complete, or of HCI_Command_Status; `nil` if they are too short.
  @inline(__always)
  mutating func answered(
    _ parameters: Span<UInt8>, isComplete: Bool, connects: Bool, at now: Instant,
    _ counters: inout HCICounters
  ) -> Outcome? {
    guard let event = CommandStatus(parameters, isComplete: isComplete) else { return nil }
    // Every command of this host returns a status first.
    let bytes = parameters.extracting(droppingFirst: 4)
    let isPending = event.opcode == pending && pending != .none
    if isPending { pending = .none }
    credit(event.credits)
    guard isPending else {
      // Not requested: the controller has restarted by itself.
      return event.isComplete && event.opcode == .reset && state == .ready ? .failed : .nothing
    }
    if !event.status.isSuccess { counters.count(.commandsRefused) }
    switch state {
    case .ready: break
    case .starting:
      // Bring-up requires Command Complete; only a refusal may come as Command Status instead.
      return event.isComplete || !event.status.isSuccess ? bringUp(event.status, bytes, at: now) : .failed
    case .failed: return .nothing
    }
    if connects, pendingPurpose == .readRSSI, event.status.isSuccess, bytes.count >= 3 {
      return .measured(
        ConnectionHandle(rawValue: bytes.u16(unchecked: 0)), RSSI(Int8(bitPattern: bytes[unchecked: 2])))
    }
    return settle(event.status, connects: connects, at: now)
  }

  @inline(__always)
  private mutating func settle(_ status: HCIErrorCode, connects: Bool, at now: Instant) -> Outcome {
    let isGood = status.isSuccess
    switch pendingPurpose {
    case .none, .bringUp, .presence: break
    case .advertisingOff:
      // Disabled in either case: the command is also refused if it was disabled already.
      advertising.isOn = false
    case .advertisingOn:
      advertising.isOn = isGood
      if !isGood { restAdvertising(now) }
    case .advertisingParameters, .advertisingAddress, .advertisingData, .scanResponse:
      if !isGood { restAdvertising(now) }
      // The controller reports that it advertises (not every controller stops at a reset): advertising is
      // stopped first.
      if status == .commandDisallowed { advertising.isOn = true }
    case .scanOff:
      scanning.isOn = false
    case .scanOn:
      scanning.isOn = isGood
      if !isGood { restScanning(now) }
    case .scanParameters:
      if !isGood { restScanning(now) }
      if status == .commandDisallowed { scanning.isOn = true }
    case .randomAddress:
      if isGood {
        randomAddress = pendingAddress
        addressWasRefused = false
      } else if status == .commandDisallowed, !addressWasRefused {
        addressWasRefused = true
        advertising.isOn = true
        scanning.isOn = true
      } else {
        // A controller that refuses the address would use another: what depends on the address must not
        // start.
        return .failed
      }
    case .createConnection where connects:
      guard connect == .creating else { return .nothing }
      connect = .initiating
      if !isGood { return connectEnded(status) }
    case .cancelConnection where connects:
      // Refused: there was no attempt left to cancel, and its result has been reported already.
      if !isGood, connect == .cancelling { return connectEnded(.unknownConnection) }
      // Otherwise a connection complete event, which is mandatory, ends it.
      cancelDeadline = now + Self.commandTimeout
    default:
      // Commands for one connection: `.disconnect`, `.refuseKey`, `.updateConnection`, `.dataLength`,
      // `.readRSSI`.
      if connects, !isGood { return .refused(status) }
    }
    return .nothing
  }

  private mutating func restAdvertising(_ now: Instant) {
    advertising.oweAll()
    advertised.retryAt = now + Self.rest
  }

  private mutating func restScanning(_ now: Instant) {
    scanning.owesParameters = true
    scanRetryAt = now + Self.rest
  }

  /// The attempt to connect ended without a connection.
  mutating func connectEnded(_ status: HCIErrorCode) -> Outcome {
    guard connect != .idle else { return .nothing }
    let again = restartWanted && !cancelWanted && status == .unknownConnection
    restartWanted = false
    connect = again ? .wanted : .idle
    if again { return .nothing }
    cancelWanted = false
    return .connectFailed(status.disconnectReason)
  }

  /// A connection was opened; `false` if it is not wanted.
  mutating func opened(_ role: ConnectionRole) -> Bool {
    if role == .peripheral {
      // A new connection ends advertising; it is started again as far as there is room.
      advertising.isOn = false
      return true
    }
    guard connect != .idle else { return false }
    connect = .idle
    cancelWanted = false
    restartWanted = false
    return true
  }
}

// The requested state of the radio.
extension ControllerSession {
  mutating func wantAdvertising(
    _ parameters: AdvertisingParameters, data: Span<UInt8>, response: Span<UInt8>
  ) throws(RadioError) {
    guard state == .ready else { throw .notReady }
    guard support.canAdvertise else { throw .unsupported }
    guard data.count <= 31, response.count <= 31 else { throw .tooLong }
    guard parameters.interval >= .milliseconds(20), parameters.interval <= .milliseconds(10_240) else {
      throw .invalidParameter
    }
    advertised.want(parameters, data: data, response: response, &advertising)
  }

  mutating func stopAdvertising() { advertising.isWanted = false }

  mutating func wantScanning(_ parameters: ScanParameters) throws(RadioError) {
    guard state == .ready else { throw .notReady }
    guard support.canScan else { throw .unsupported }
    guard parameters.window >= .milliseconds(3), parameters.window <= parameters.interval,
      parameters.interval <= .milliseconds(10_240)
    else { throw .invalidParameter }
    scanning.isWanted = true
    scanRetryAt = .start
    guard parameters != scanParameters else { return }
    scanning.owesParameters = true
    scanParameters = parameters
  }

  mutating func stopScanning() { scanning.isWanted = false }

  mutating func wantConnection(
    to peer: DeviceAddress, _ parameters: ConnectionParameters, hasRoom: Bool
  ) throws(RadioError) {
    guard state == .ready else { throw .notReady }
    guard support.canConnect else { throw .unsupported }
    guard connect == .idle, hasRoom else { throw .busy }
    guard timing(parameters).isValid else { throw .invalidParameter }
    connect = .wanted
    cancelWanted = false
    restartWanted = false
    connectPeer = peer
    connectParameters = parameters
  }

  mutating func cancelConnection() {
    if connect != .idle { cancelWanted = true }
  }

  /// A cancelled attempt for which no command was sent has ended; to be called at each poll.
  mutating func endUnsentConnect() -> Bool {
    guard connect == .wanted, cancelWanted else { return false }
    connect = .idle
    cancelWanted = false
    return true
  }
}
