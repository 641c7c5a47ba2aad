import HeraldEmbedded

/// How many connections there are, as far as the controller's other work depends on it.
@usableFromInline
struct LinkSummary: BitwiseCopyable {
  /// Open connections, those that are being ended included.
  @usableFromInline let open: Int
  /// Free places.
  @usableFromInline let free: Int

  @usableFromInline init(open: Int, free: Int) {
    self.open = open
    self.free = free
  }
}

// From what is wanted to what is: one command at a time, each chosen afresh.
//
// A change of the random address needs everything off that shows one: scanning, initiating and, with the legacy commands,
// advertising. Then the order is address, parameters, data, scan response, on; so no packet ever mixes old and new.
// New data under the same address are set while advertising goes on: the controller swaps them between two packets.
extension ControllerSession {
  /// Writes the next command that brings the controller closer to what is wanted. Returns what it is for.
  @usableFromInline
  mutating func plan(
    into packet: inout CommandPacket, _ links: LinkSummary, at now: Instant
  ) -> CommandPurpose {
    guard state == .ready else { return state == .starting ? planBringUp(into: &packet) : .none }
    let isConnecting = connect != .idle
    let owesType = advertising.owesParameters || advertisingType(links) != advertising.type
    // Only the extended commands know an address of advertising's own.
    let owesOwnAddress =
      support.isExtended && advertising.owesAddress && advertising.parameters.ownAddress.kind == .random
    let address = wantedRandomAddress()
    let changesAddress = address.kind == .random && address != randomAddress
    let mayScan = scanning.isWanted && (support.states.scanningWhileInitiating || !isConnecting)

    if scanning.isOn, !mayScan || scanning.owesParameters || changesAddress {
      return scanEnable(false, into: &packet)
    }
    if connect == .initiating, cancelWanted || changesAddress {
      PlainCommand(.leCreateConnectionCancel).packet(into: &packet)
      return .cancelConnection
    }
    if advertising.isOn,
      !advertising.isWanted || owesType || owesOwnAddress || (changesAddress && !support.isExtended)
    {
      return advertisingEnable(false, into: &packet)
    }
    if changesAddress {
      guard connect.rawValue < Connect.creating.rawValue else { return .none }
      LESetRandomAddress(address).packet(into: &packet)
      return .randomAddress
    }

    if advertising.isWanted, now >= advertising.retryAt {
      if owesType { return advertisingParameters(advertisingType(links), into: &packet) }
      if owesOwnAddress {
        LESetAdvertisingSetRandomAddress(advertising.parameters.ownAddress).packet(into: &packet)
        return .advertisingAddress
      }
      if advertising.owesData {
        let data = advertising.data.span.extracting(0..<Int(advertising.dataCount))
        AdvertisingDataCommand.packet(
          data, isResponse: false, isExtended: support.isExtended, into: &packet)
        return .advertisingData
      }
      if advertising.owesResponse {
        let data = advertising.response.span.extracting(0..<Int(advertising.responseCount))
        AdvertisingDataCommand.packet(data, isResponse: true, isExtended: support.isExtended, into: &packet)
        return .scanResponse
      }
      if !advertising.isOn { return advertisingEnable(true, into: &packet) }
    }
    if connect == .wanted, !cancelWanted { return createConnection(into: &packet) }
    if mayScan, now >= scanning.retryAt {
      if scanning.owesParameters { return scanParameters(into: &packet) }
      if !scanning.isOn { return scanEnable(true, into: &packet) }
    }
    // An empty air and a dead controller are equally silent.
    if watchesSilence, now.since(heardAt) >= Self.silence {
      PlainCommand(.readLocalVersion).packet(into: &packet)
      return .presence
    }
    return .none
  }

  /// Whether the controller is at work of which nothing may come for long.
  private var watchesSilence: Bool { state == .ready && (advertising.isWanted || scanning.isWanted) }

  /// When `plan` would find more to do than now, if nothing else happens.
  @usableFromInline
  mutating func retryAt() -> Instant {
    var earliest = Instant.never
    if advertising.isWanted, !advertising.isOn || advertising.owesData || advertising.owesResponse {
      earliest = min(earliest, advertising.retryAt)
    }
    if scanning.isWanted, !scanning.isOn { earliest = min(earliest, scanning.retryAt) }
    if watchesSilence { earliest = min(earliest, heardAt + Self.silence) }
    return earliest
  }

  /// The random address the controller is to have; of kind public if it does not matter. With the legacy commands there is
  /// one for everything: that of advertising comes first, then the one a connection is opened with, then the one an active
  /// scan shows. With the extended ones advertising has its own.
  mutating func wantedRandomAddress() -> DeviceAddress {
    if !support.isExtended, advertising.isWanted, advertising.parameters.ownAddress.kind == .random {
      return advertising.parameters.ownAddress
    }
    if connect != .idle, connectParameters.ownAddress.kind == .random { return connectParameters.ownAddress }
    if scanning.isWanted, scanning.parameters.active { return scanning.parameters.ownAddress }
    return .zero
  }

  /// The kind of advertising. What is to be connectable is only scannable while a connection could not be taken:
  /// all places are taken (an attempt of our own keeps one), or the controller cannot do both at once.
  mutating func advertisingType(_ links: LinkSummary) -> AdvertisingType {
    let isConnecting = connect != .idle
    guard advertising.parameters.connectable else {
      return advertising.responseCount == 0 ? .nonConnectable : .scannable
    }
    let hasRoom = links.free > (isConnecting ? 1 : 0)
    let isPossible =
      (links.open == 0 || support.states.advertisingWhileConnected)
      && (!isConnecting || support.states.advertisingWhileInitiating)
    return hasRoom && isPossible ? .connectable : .scannable
  }

  /// Public unless there is a random address to show.
  private mutating func shown(_ wanted: DeviceAddress) -> DeviceAddress.Kind {
    wanted.kind == .random && randomAddress != .zero ? .random : .public
  }

  private mutating func advertisingParameters(
    _ type: AdvertisingType, into packet: inout CommandPacket
  ) -> CommandPurpose {
    var interval = advertising.parameters.interval
    // Before Core Specification 5.0 what is not connectable was not to be sent more often than every 100 ms.
    if type != .connectable, support.version < 9, interval < .milliseconds(100) {
      interval = .milliseconds(100)
    }
    let kind = advertising.parameters.ownAddress.kind
    if support.isExtended {
      LESetExtendedAdvertisingParameters(interval: Slots(interval), type: type, ownAddress: kind)
        .packet(into: &packet)
    } else {
      LESetAdvertisingParameters(interval: Slots(interval), type: type, ownAddress: kind)
        .packet(into: &packet)
    }
    return .advertisingParameters
  }

  private mutating func advertisingEnable(
    _ isOn: Bool, into packet: inout CommandPacket
  ) -> CommandPurpose {
    if support.isExtended {
      LESetExtendedAdvertisingEnable(isOn).packet(into: &packet)
    } else {
      LESetAdvertisingEnable(isOn).packet(into: &packet)
    }
    return isOn ? .advertisingOn : .advertisingOff
  }

  private mutating func scanParameters(into packet: inout CommandPacket) -> CommandPurpose {
    let wanted = scanning.parameters
    let command = LESetScanParameters(
      active: wanted.active, interval: Slots(wanted.interval), window: Slots(wanted.window),
      ownAddress: shown(wanted.ownAddress))
    if support.isExtended {
      LESetExtendedScanParameters(command).packet(into: &packet)
    } else {
      command.packet(into: &packet)
    }
    return .scanParameters
  }

  private mutating func scanEnable(_ isOn: Bool, into packet: inout CommandPacket) -> CommandPurpose {
    if support.isExtended {
      LESetExtendedScanEnable(isOn).packet(into: &packet)
    } else {
      LESetScanEnable(isOn).packet(into: &packet)
    }
    return isOn ? .scanOn : .scanOff
  }

  private mutating func createConnection(into packet: inout CommandPacket) -> CommandPurpose {
    let command = LECreateConnection(
      peer: connectPeer, ownAddress: shown(connectParameters.ownAddress),
      timing: ConnectionTiming(
        intervalMin: connectParameters.interval, intervalMax: connectParameters.interval, latency: 0,
        timeout: connectParameters.supervisionTimeout))
    if support.isExtended {
      LEExtendedCreateConnection(command).packet(into: &packet)
    } else {
      command.packet(into: &packet)
    }
    return .createConnection
  }
}
