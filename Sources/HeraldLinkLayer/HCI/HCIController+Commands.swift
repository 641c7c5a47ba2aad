import HeraldBluetooth
import HeraldHAL

// Commands of the host.
extension HCIController where Peripheral: ~Copyable, Random: ~Copyable {
  /// Executes the received command, appends its Command Complete or Command Status, and accepts the next one.
  mutating func execute(_ writer: inout ByteWriter) {
    let opcode = input.word
    guard let command = HCICommand(rawValue: opcode) else {
      HCIEvents.commandStatus(.unknownCommand, opcode, &writer)
      input.clear()
      return
    }
    // These wait for the end of an event in progress.
    if command == .reset, input.length == 0, !reset() { return }
    if command.changesAcceptList, layer.usesAcceptList, !isAcceptListInUse { return }
    var packet = input
    let length = input.length
    input.clear()
    let isValid = command.parameterLength < 0 || command.parameterLength == length
    var reader = ByteReader(packet.payload)
    if command.hasStatus {
      HCIEvents.commandStatus(isValid ? begin(command, &reader) : .invalidParameters, opcode, &writer)
      return
    }
    if command == .hostCompletedPackets, completeHostPackets(length, &reader) { return }
    let start = writer.count
    HCIEvents.beginComplete(opcode, &writer)
    if isValid, command != .hostCompletedPackets {
      complete(command, &reader, &writer)
    } else {
      writer.u8(HCIStatus.invalidParameters.rawValue)
    }
    HCIEvents.endComplete(start, &writer)
  }

  /// Executes a command that is answered with Command Status.
  private mutating func begin(_ command: HCICommand, _ reader: inout ByteReader) -> HCIStatus {
    if command == .leCreateConnection { return createConnection(&reader) }
    let connection = connection(&reader)
    guard connection >= 0 else { return .unknownConnection }
    do throws(RadioError) {
      switch command {
      case .disconnect:
        let reason = reader.u8() ?? 0
        switch reason {
        case 0x05, 0x13, 0x14, 0x15, 0x1A, 0x29, 0x3B: break
        default: return .invalidParameters
        }
        layer.disconnect(connection, reason: DisconnectReason(rawValue: reason))
      case .readRemoteVersion:
        try layer.readVersion(connection)
        pending[connection].insert(.version)
      case .leReadRemoteFeatures:
        if pending[connection].contains(.features) { return .disallowed }
        do throws(RadioError) { try layer.readFeatures(connection) } catch {
          // The exchange at the start of the connection is in progress.
          if error != .busy { throw error }
        }
        pending[connection].insert(.features)
      default:
        guard let timing = timing(&reader) else { return .invalidParameters }
        try layer.update(
          connection, interval: timing.intervalMax, latency: timing.latency, timeout: timing.timeout)
        pending[connection].insert(.update)
      }
      return .success
    } catch {
      // As peripheral, or the same procedure is in progress.
      return error == .invalidParameter ? .invalidParameters : .disallowed
    }
  }

  /// The connection with the handle that follows; −1 if there is none.
  private mutating func connection(_ reader: inout ByteReader) -> Int {
    let handle = Int(reader.u16() ?? 0)
    return layer.isOpen(handle &- 1) ? handle &- 1 : -1
  }

  /// The timing parameters of a connection, and the range of the connection event length, which is not used;
  /// `nil` if they are invalid.
  func timing(_ reader: inout ByteReader) -> ConnectionTiming? {
    guard let intervalMin = reader.u16(), let intervalMax = reader.u16(), let latency = reader.u16(),
      let timeout = reader.u16(), let lengthMin = reader.u16(), let lengthMax = reader.u16(),
      lengthMin <= lengthMax
    else { return nil }
    let timing = ConnectionTiming(
      intervalMin: intervalMin, intervalMax: intervalMax, latency: latency, timeout: timeout)
    return timing.isValid ? timing : nil
  }

  /// Executes a command that is answered with Command Complete, and appends its return parameters.
  private mutating func complete(
    _ command: HCICommand, _ reader: inout ByteReader, _ writer: inout ByteWriter
  ) {
    switch command {
    case .readTransmitPower, .readRSSI, .leReadChannelMap:
      completeForConnection(command, &reader, &writer)
    case .readLocalVersion, .readLocalCommands, .readLocalFeatures, .readBufferSize, .readAddress,
      .leReadBufferSize, .leReadLocalFeatures, .leReadAdvertisingPower, .leReadAcceptListSize, .leRand,
      .leReadSupportedStates:
      writer.u8(0)
      read(command, &writer)
    case .leEncrypt:
      writer.u8(0)
      LEEncryption.encrypt(&reader, &writer)
    default: writer.u8(set(command, &reader).rawValue)
    }
  }

  /// Return parameters that contain the handle of a connection.
  private mutating func completeForConnection(
    _ command: HCICommand, _ reader: inout ByteReader, _ writer: inout ByteWriter
  ) {
    var again = reader
    let handle = again.u16() ?? 0
    let connection = connection(&reader)
    var status = connection < 0 ? HCIStatus.unknownConnection : .success
    // Type: the current or the maximum level.
    if command == .readTransmitPower, let type = reader.u8(), type > 1 { status = .invalidParameters }
    writer.u8(status.rawValue)
    writer.u16(handle)
    switch command {
    case .leReadChannelMap:
      let map =
        connection < 0 ? ChannelMap(low: 0, high: 0) : layer.exchange.table[connection].timing.map
      writer.u32(map.lowBits)
      writer.u8(map.highBits)
    case .readRSSI: writer.u8(UInt8(bitPattern: layer.rssi(connection)))
    // The radio has one power, 0 dBm.
    default: writer.u8(0)
    }
  }

  /// Return parameters that do not depend on parameters, without the status.
  private mutating func read(_ command: HCICommand, _ writer: inout ByteWriter) {
    switch command {
    case .readLocalVersion:
      // HCI and LMP version 4.0.
      writer.u8(6)
      writer.u16(0)
      writer.u8(6)
      writer.u16(0xFFFF)
      writer.u16(1)
    case .readLocalCommands:
      let supported = HCICommand.supported
      var index = 0
      while index < 64 {
        writer.u8(index < 29 ? supported[index] : 0)
        index &+= 1
      }
    case .readLocalFeatures:
      // BR/EDR Not Supported, LE Supported (Controller).
      writer.u32(0)
      writer.u32(0x60)
    case .readBufferSize:
      writer.u16(UInt16(DataHeader.longestPayload))
      writer.u8(0)
      writer.u16(UInt16(Self.aclPackets))
      writer.u16(0)
    case .readAddress: writer.deviceAddress(address)
    case .leReadBufferSize:
      writer.u16(UInt16(DataHeader.longestPayload))
      writer.u8(Self.aclPackets)
    case .leReadLocalFeatures: writer.u64(0)
    // 0 dBm.
    case .leReadAdvertisingPower: writer.u8(0)
    case .leReadAcceptListSize: writer.u8(FilterAcceptList.capacity)
    case .leRand:
      writer.u32(random.next())
      writer.u32(random.next())
    // All combinations of states (7.8.27).
    default:
      writer.u32(.max)
      writer.u32(0x3FF)
    }
  }

  /// Executes a command whose only return parameter is the status.
  private mutating func set(_ command: HCICommand, _ reader: inout ByteReader) -> HCIStatus {
    switch command {
    case .setEventMask: events.mask = reader.u64() ?? 0
    // No event of page 2 is supported.
    case .setEventMaskPage2, .reset: break
    case .leSetEventMask: events.leMask = reader.u32() ?? 0
    case .setHostFlowControl: return setHostFlowControl(reader.u8() ?? 0)
    case .hostBufferSize: return setHostBuffer(&reader)
    case .leSetRandomAddress: return setRandomAddress(&reader)
    case .leSetAdvertisingParameters: return setAdvertisingParameters(&reader)
    case .leSetAdvertisingData, .leSetScanResponseData:
      return setData(isResponse: command == .leSetScanResponseData, &reader)
    case .leSetAdvertisingEnable: return enableAdvertising(reader.u8() ?? 0)
    case .leSetScanParameters: return setScanParameters(&reader)
    case .leSetScanEnable: return enableScan(&reader)
    case .leCreateConnectionCancel:
      guard layer.initiating.isOn else { return .disallowed }
      layer.cancelConnect()
    case .leClearAcceptList, .leAddToAcceptList, .leRemoveFromAcceptList:
      return changeAcceptList(command, &reader)
    case .leSetChannelClassification:
      let map = ChannelMap(low: reader.u32() ?? 0, high: reader.u8() ?? 0)
      if (try? layer.use(map)) == nil { return .invalidParameters }
    default: return .unknownCommand
    }
    return .success
  }

  /// HCI_Reset (7.3.2). Returns `false` while an event is in progress.
  mutating func reset() -> Bool {
    guard layer.reset() else { return false }
    randomAddress = .zero
    events = HCIEvents()
    advertisingInterval = Self.initialAdvertisingInterval
    advertisesRandom = false
    scansRandom = false
    filtersDuplicates = false
    isHostFlowOn = false
    hostPackets = 0
    var index = 0
    while index < connections {
      sent[index] = 0
      held[index] = 0
      pending[index] = .none
      index &+= 1
    }
    ending = 0
    owesOverflow = false
    owesHardwareError = false
    setInitialScan()
    return true
  }

  /// Set Controller To Host Flow Control (7.3.38), for ACL data.
  private mutating func setHostFlowControl(_ value: UInt8) -> HCIStatus {
    guard value <= 3 else { return .invalidParameters }
    guard value <= 1 else { return .unsupportedValue }
    var index = 0
    while index < connections {
      if layer.exchange.table[index].life != .free { return .disallowed }
      index &+= 1
    }
    isHostFlowOn = value == 1
    hostRoom = hostPackets
    return .success
  }

  /// Host Buffer Size (7.3.39).
  private mutating func setHostBuffer(_ reader: inout ByteReader) -> HCIStatus {
    guard let length = reader.u16(), reader.skip(1), let packets = reader.u16(),
      Int(length) >= DataHeader.longestPayload, packets > 0
    else { return .invalidParameters }
    hostPackets = packets
    hostRoom = packets
    return .success
  }

  /// Host Number Of Completed Packets (7.3.40), which is answered only if it is invalid. Returns whether it
  /// is valid.
  private mutating func completeHostPackets(_ length: Int, _ reader: inout ByteReader) -> Bool {
    guard let count = reader.u8(), length == 1 &+ 4 &* Int(count) else { return false }
    while reader.remaining >= 4 {
      // Also a connection that has ended: the host is notified after it has received all data.
      let connection = Int(reader.u16() ?? 0) &- 1
      let packets = reader.u16() ?? 0
      guard connection >= 0, connection < connections, packets <= held[connection] else { return false }
      held[connection] &-= packets
      hostRoom = hostRoom &+ packets
    }
    return true
  }

  /// Whether the host has started an activity with a filter policy that uses the filter accept list.
  private var isAcceptListInUse: Bool {
    layer.isAdvertising && (layer.advertising.filtersScans || layer.advertising.filtersConnections)
      || layer.scanning.isOn && layer.scanning.filters || layer.initiating.isOn && layer.initiating.usesList
  }

  /// The commands of the filter accept list (7.8.15 to 7.8.17).
  private mutating func changeAcceptList(_ command: HCICommand, _ reader: inout ByteReader) -> HCIStatus {
    guard command != .leClearAcceptList else {
      if isAcceptListInUse { return .disallowed }
      layer.exchange.acceptList.clear()
      return .success
    }
    guard let kind = reader.addressKind(), let device = reader.deviceAddress(kind) else {
      return .invalidParameters
    }
    if isAcceptListInUse { return .disallowed }
    if command == .leRemoveFromAcceptList {
      layer.exchange.acceptList.remove(device)
    } else if !layer.exchange.acceptList.add(device) {
      return .memoryExceeded
    }
    return .success
  }
}

extension ByteReader {
  /// An address type; `nil` for those that resolve private addresses, and invalid ones.
  @_lifetime(self: copy self)
  mutating func addressKind() -> DeviceAddress.Kind? {
    guard let value = u8() else { return nil }
    return DeviceAddress.Kind(rawValue: value)
  }
}
