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
  /// Writes the next command that brings the controller closer to what is wanted. Returns its length, 0 if there is none.
  @usableFromInline
  mutating func plan(
    into buffer: consuming MutableSpan<UInt8>, _ links: LinkSummary, at now: Instant
  ) -> Int {
    guard state == .ready else { return state == .starting ? planBringUp(into: buffer) : 0 }
    let isConnecting = connect != .idle
    let isInitiating = connect.rawValue >= Connect.creating.rawValue
    let type = advertisingType(links)
    let address = wantedRandomAddress()
    let changesAddress = address.kind == .random && address != randomAddress
    let mayScan = scanning.isWanted && (support.states.scanningWhileInitiating || !isConnecting)

    if scanning.isOn, !mayScan || scanning.owesParameters || changesAddress {
      return scanEnable(false, into: buffer)
    }
    if connect == .initiating, cancelWanted || changesAddress {
      return PlainCommand(.leCreateConnectionCancel).packet(into: buffer)
    }
    if advertising.isOn,
      !advertising.isWanted || advertising.owesParameters || type != advertising.type
        || (support.isExtended ? advertising.owesRandomAddress : changesAddress)
    {
      return advertisingEnable(false, into: buffer)
    }
    if changesAddress {
      guard !isInitiating else { return 0 }
      return LESetRandomAddress(address).packet(into: buffer)
    }

    if advertising.isWanted, now >= advertising.retryAt {
      if advertising.owesParameters || type != advertising.type {
        return advertisingParameters(type, into: buffer)
      }
      if support.isExtended, advertising.owesRandomAddress {
        return LESetAdvertisingSetRandomAddress(advertising.parameters.ownAddress).packet(into: buffer)
      }
      if advertising.owesData {
        let data = advertising.data.span.extracting(0..<Int(advertising.dataCount))
        return support.isExtended
          ? ExtendedAdvertisingData.packet(ExtendedAdvertisingData.advertising, data, into: buffer)
          : LegacyAdvertisingData.packet(LegacyAdvertisingData.advertising, data, into: buffer)
      }
      if advertising.owesResponse {
        let data = advertising.response.span.extracting(0..<Int(advertising.responseCount))
        return support.isExtended
          ? ExtendedAdvertisingData.packet(ExtendedAdvertisingData.scanResponse, data, into: buffer)
          : LegacyAdvertisingData.packet(LegacyAdvertisingData.scanResponse, data, into: buffer)
      }
      if !advertising.isOn { return advertisingEnable(true, into: buffer) }
    }
    if connect == .wanted, !cancelWanted { return createConnection(into: buffer) }
    if mayScan, now >= scanning.retryAt {
      if scanning.owesParameters { return scanParameters(into: buffer) }
      if !scanning.isOn { return scanEnable(true, into: buffer) }
    }
    return 0
  }

  /// When `plan` would find more to do than now, if nothing else happens.
  @usableFromInline
  mutating func retryAt() -> Instant {
    var earliest = Instant.never
    if advertising.isWanted, !advertising.isOn || advertising.owesData || advertising.owesResponse {
      earliest = min(earliest, advertising.retryAt)
    }
    if scanning.isWanted, !scanning.isOn { earliest = min(earliest, scanning.retryAt) }
    return earliest
  }

  /// The random address the controller is to have; of kind public if it does not matter. With the legacy commands there is
  /// one for everything: that of advertising comes first, then the one a connection is opened with, then the one an active
  /// scan shows. With the extended ones advertising has its own.
  private mutating func wantedRandomAddress() -> DeviceAddress {
    if !support.isExtended, advertising.isWanted, advertising.parameters.ownAddress.kind == .random {
      return advertising.parameters.ownAddress
    }
    if connect != .idle, connectParameters.ownAddress.kind == .random { return connectParameters.ownAddress }
    if scanning.isWanted, scanning.parameters.active { return scanning.parameters.ownAddress }
    return .zero
  }

  /// The kind of advertising. What is to be connectable is only scannable while a connection could not be taken:
  /// all places are taken (an attempt of our own keeps one), or the controller cannot do both at once.
  private mutating func advertisingType(_ links: LinkSummary) -> AdvertisingType {
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
    _ type: AdvertisingType, into buffer: consuming MutableSpan<UInt8>
  ) -> Int {
    var interval = advertising.parameters.interval
    // Before Core Specification 5.0 what is not connectable was not to be sent more often than every 100 ms.
    if type != .connectable, support.version < 9, interval < .milliseconds(100) {
      interval = .milliseconds(100)
    }
    let kind = advertising.parameters.ownAddress.kind
    return support.isExtended
      ? LESetExtendedAdvertisingParameters(interval: Slots(interval), type: type, ownAddress: kind)
        .packet(into: buffer)
      : LESetAdvertisingParameters(interval: Slots(interval), type: type, ownAddress: kind)
        .packet(into: buffer)
  }

  private mutating func advertisingEnable(_ isOn: Bool, into buffer: consuming MutableSpan<UInt8>) -> Int {
    support.isExtended
      ? LESetExtendedAdvertisingEnable(isOn).packet(into: buffer)
      : LESetAdvertisingEnable(isOn).packet(into: buffer)
  }

  private mutating func scanParameters(into buffer: consuming MutableSpan<UInt8>) -> Int {
    let wanted = scanning.parameters
    let command = LESetScanParameters(
      active: wanted.active, interval: Slots(wanted.interval), window: Slots(wanted.window),
      ownAddress: shown(wanted.ownAddress))
    return support.isExtended
      ? LESetExtendedScanParameters(command).packet(into: buffer) : command.packet(into: buffer)
  }

  private mutating func scanEnable(_ isOn: Bool, into buffer: consuming MutableSpan<UInt8>) -> Int {
    support.isExtended
      ? LESetExtendedScanEnable(isOn).packet(into: buffer) : LESetScanEnable(isOn).packet(into: buffer)
  }

  private mutating func createConnection(into buffer: consuming MutableSpan<UInt8>) -> Int {
    let command = LECreateConnection(
      peer: connectPeer, ownAddress: shown(connectParameters.ownAddress),
      timing: ConnectionTiming(
        intervalMin: connectParameters.interval, intervalMax: connectParameters.interval, latency: 0,
        timeout: connectParameters.supervisionTimeout))
    return support.isExtended
      ? LEExtendedCreateConnection(command).packet(into: buffer) : command.packet(into: buffer)
  }
}
