import HeraldBluetooth
import HeraldHAL

// From the requested state to the actual one: one command at a time, each chosen anew.
//
// A change of the random address requires that everything using one is disabled: scanning, initiating and,
// with the legacy commands, advertising. The order is then address, parameters, data, scan response, enable,
// so that no packet mixes old and new. New data under the same address is set while advertising continues:
// the controller changes it between two packets.
extension ControllerSession {
  /// The next command that brings the controller closer to the requested state.
  ///
  /// `connects` is whether the radio has room for connections at all. It is a constant where an image inlines
  /// this, and one without that room then has no code for initiating.
  @inline(__always)
  mutating func plan(_ summary: ConnectionSummary, connects: Bool, at now: Instant) -> CommandPurpose {
    guard state == .ready else { return planBringUp() }
    let connect = connects ? self.connect : .idle
    let isConnecting = connect != .idle
    let owesType = advertising.owesParameters || advertisingType(summary) != advertising.type
    // Only the extended commands set a separate address for advertising.
    let owesOwnAddress =
      support.isExtended && advertising.owesAddress && advertised.parameters.ownAddress.kind == .random
    let address = wantedRandomAddress()
    let changesAddress = address.kind == .random && address != randomAddress
    let mayScan = scanning.isWanted && (support.states.scanningWhileInitiating || !isConnecting)

    if scanning.isOn, !mayScan || scanning.owesParameters || changesAddress { return .scanOff }
    if connect == .initiating, cancelWanted || changesAddress { return .cancelConnection }
    if advertising.isOn,
      !advertising.isWanted || owesType || owesOwnAddress || (changesAddress && !support.isExtended)
    {
      return .advertisingOff
    }
    if changesAddress { return connect.rawValue < Connect.creating.rawValue ? .randomAddress : .none }

    if advertising.isWanted, now >= advertised.retryAt {
      if owesType { return .advertisingParameters }
      if owesOwnAddress { return .advertisingAddress }
      if advertising.owesData { return .advertisingData }
      if advertising.owesResponse { return .scanResponse }
      if !advertising.isOn { return .advertisingOn }
    }
    if connect == .wanted, !cancelWanted { return .createConnection }
    if mayScan, now >= scanRetryAt {
      if scanning.owesParameters { return .scanParameters }
      if !scanning.isOn { return .scanOn }
    }
    // Without advertisements in range a working controller is as silent as a failed one.
    return watchesSilence && now.since(receivedAt) >= Self.silence ? .presence : .none
  }

  /// Whether the controller does work that may produce no event for a long time.
  private var watchesSilence: Bool { state == .ready && (advertising.isWanted || scanning.isWanted) }

  /// When `plan` has more to do than now, without any event.
  mutating func retryAt() -> Instant {
    var earliest = Instant.never
    if advertising.isWanted, !advertising.isOn || advertising.owesData || advertising.owesResponse {
      earliest = min(earliest, advertised.retryAt)
    }
    if scanning.isWanted, !scanning.isOn { earliest = min(earliest, scanRetryAt) }
    if watchesSilence { earliest = min(earliest, receivedAt + Self.silence) }
    return earliest
  }

  /// The random address to set in the controller; of kind public if it does not matter. With the legacy
  /// commands there is one for all purposes: that of advertising comes first, then that of a connection
  /// attempt, then that of an active scan. With the extended ones advertising has its own.
  mutating func wantedRandomAddress() -> DeviceAddress {
    if !support.isExtended, advertising.isWanted, advertised.parameters.ownAddress.kind == .random {
      return advertised.parameters.ownAddress
    }
    if connect != .idle, connectParameters.ownAddress.kind == .random { return connectParameters.ownAddress }
    if scanning.isWanted, scanParameters.active { return scanParameters.ownAddress }
    return .zero
  }

  /// Whether the address of advertising has not been set in the controller yet: a peer that connects used the
  /// former one, and must not get data that belongs to the new one.
  mutating func advertisesFormerAddress() -> Bool {
    let wanted = advertised.parameters.ownAddress
    guard advertising.isWanted, wanted.kind == .random else { return false }
    return support.isExtended ? advertising.owesAddress : wanted != randomAddress
  }

  /// The kind of advertising. Connectable advertising becomes scannable only while no connection can be
  /// accepted: all slots are in use (a connection attempt of this host reserves one), or the controller
  /// cannot do both at once.
  mutating func advertisingType(_ summary: ConnectionSummary) -> AdvertisingType {
    let isConnecting = connect != .idle
    guard advertised.parameters.connectable else {
      return advertised.responseCount == 0 ? .nonConnectable : .scannable
    }
    let hasRoom = summary.free > (isConnecting ? 1 : 0)
    let isPossible =
      (summary.open == 0 || support.states.advertisingWhileConnected)
      && (!isConnecting || support.states.advertisingWhileInitiating)
    return hasRoom && isPossible ? .connectable : .scannable
  }

  /// Own_Address_Type: public (0) unless there is a random address (1) to use.
  private mutating func shown(_ wanted: DeviceAddress) -> UInt16 {
    wanted.kind == .random && randomAddress != .zero ? 1 : 0
  }

  /// Writes the command that `plan` chose.
  @inline(never)
  mutating func write(
    _ purpose: CommandPurpose, _ summary: ConnectionSummary, into packet: inout CommandPacket
  ) {
    var fields = CommandFields()
    var form = purpose.form(isExtended: support.isExtended)
    switch purpose {
    case .advertisingParameters:
      let type = advertisingType(summary)
      var interval = advertised.parameters.interval
      // Before Core Specification 5.0 the minimum interval of non-connectable advertising was 100 ms.
      if type != .connectable, support.version < 9, interval < .milliseconds(100) {
        interval = .milliseconds(100)
      }
      fields[CommandFields.Word.interval] = Slots(interval).rawValue
      fields[CommandFields.Word.type] = UInt16(type.rawValue)
      fields[CommandFields.Word.properties] = type.eventProperties
      fields[CommandFields.Word.ownKind] = UInt16(advertised.parameters.ownAddress.kind.rawValue)
    case .advertisingAddress: fields.set(advertised.parameters.ownAddress)
    case .advertisingData: fields[CommandFields.Word.detail] = UInt16(advertised.dataCount)
    case .scanResponse: fields[CommandFields.Word.detail] = UInt16(advertised.responseCount)
    case .randomAddress: fields.set(wantedRandomAddress())
    case .scanParameters:
      let wanted = scanParameters
      fields[CommandFields.Word.type] = wanted.active ? 1 : 0
      fields[CommandFields.Word.interval] = Slots(wanted.interval).rawValue
      fields[CommandFields.Word.window] = Slots(wanted.window).rawValue
      fields[CommandFields.Word.ownKind] = shown(wanted.ownAddress)
    case .createConnection:
      fields.set(connectPeer)
      fields[CommandFields.Word.ownKind] = shown(connectParameters.ownAddress)
      fields.set(timing(connectParameters))
    case .bringUp:
      form = CommandPurpose.firstStep &+ Int(step.number)
      fields[CommandFields.Word.detail] = support.eventMask
    default: break
    }
    packet.fill(form, &fields)
    if purpose == .advertisingData {
      packet.append(
        advertised.data.span.extracting(0..<Int(advertised.dataCount)), isExtended: support.isExtended)
    } else if purpose == .scanResponse {
      packet.append(
        advertised.response.span.extracting(0..<Int(advertised.responseCount)), isExtended: support.isExtended
      )
    }
  }

  /// The timing of a connection that this host opens.
  mutating func timing(_ parameters: ConnectionParameters) -> ConnectionTiming {
    ConnectionTiming(
      intervalMin: parameters.interval, intervalMax: parameters.interval, latency: 0,
      timeout: parameters.supervisionTimeout)
  }
}
