import HeraldBluetooth
import HeraldHAL

// Commands for advertising, scanning and initiating (Core Specification, Vol 4, Part E, 7.8).
extension HCIController where Peripheral: ~Copyable, Random: ~Copyable {
  /// The unit of advertising and scan intervals, in microseconds.
  private static var slot: UInt32 { 625 }
  /// The advertising interval after HCI_Reset: 1.28 s.
  static var initialAdvertisingInterval: UInt32 { 0x0800 &* slot }

  /// The scan parameters after HCI_Reset: passive, 10 ms in an interval of 10 ms.
  mutating func setInitialScan() {
    layer.scanning.interval = 0x0010 &* Self.slot
    layer.scanning.window = 0x0010 &* Self.slot
  }

  /// The own address of a type; `nil` if it is random and the host has not set it, or public and the device
  /// has none.
  private func ownAddress(isRandom: Bool) -> DeviceAddress? {
    let own = isRandom ? randomAddress : address
    return own == .zero ? nil : own
  }

  /// LE Set Random Address (7.8.4).
  mutating func setRandomAddress(_ reader: inout ByteReader) -> HCIStatus {
    guard !layer.isAdvertising, !layer.scanning.isOn, !layer.initiating.isOn else { return .disallowed }
    randomAddress = reader.deviceAddress(.random) ?? .zero
    return .success
  }

  /// LE Set Advertising Parameters (7.8.5).
  mutating func setAdvertisingParameters(_ reader: inout ByteReader) -> HCIStatus {
    guard let intervalMin = reader.u16(), let intervalMax = reader.u16(), let value = reader.u8(),
      let own = reader.addressKind(), let peerKind = reader.addressKind(),
      let peer = reader.deviceAddress(peerKind), let channels = reader.u8(), let policy = reader.u8(),
      channels >= 1, channels <= 7, policy <= 3
    else { return .invalidParameters }
    let type: AdvertisingType
    switch value {
    case 0: type = .connectable
    case 1: type = .directed(to: peer, isHighDuty: true)
    case 2: type = .scannable
    case 3: type = .nonConnectable
    case 4: type = .directed(to: peer, isHighDuty: false)
    default: return .invalidParameters
    }
    // In high duty cycle the interval is not used.
    guard value == 1 || intervalMin >= 0x20 && intervalMin <= intervalMax && intervalMax <= 0x4000 else {
      return .invalidParameters
    }
    guard !layer.isAdvertising else { return .disallowed }
    layer.advertising.set(type)
    layer.advertising.channels = channels
    layer.advertising.filtersScans = policy & 1 != 0
    layer.advertising.filtersConnections = policy & 2 != 0
    advertisesRandom = own == .random
    advertisingInterval = UInt32(intervalMax) &* Self.slot
    return .success
  }

  /// LE Set Advertising Data (7.8.7) and LE Set Scan Response Data (7.8.8): they take effect with the next
  /// advertising event.
  mutating func setData(isResponse: Bool, _ reader: inout ByteReader) -> HCIStatus {
    guard let length = reader.u8(), length <= 31, let bytes = reader.bytes(Int(length)),
      let data = InlineBytes<31>(bytes)
    else { return .invalidParameters }
    if isResponse { layer.advertising.response = data } else { layer.advertising.data = data }
    return .success
  }

  /// LE Set Advertising Enable (7.8.9).
  mutating func enableAdvertising(_ value: UInt8) -> HCIStatus {
    guard value <= 1 else { return .invalidParameters }
    guard value == 1 else {
      layer.stopAdvertising()
      return .success
    }
    guard !layer.isAdvertising else { return .success }
    guard let own = ownAddress(isRandom: advertisesRandom) else { return .invalidParameters }
    switch layer.advertising.kind {
    case .connectable, .directed: guard layer.freeIndex() >= 0 else { return .connectionLimit }
    default: break
    }
    layer.advertising.address = own
    layer.startAdvertising(every: advertisingInterval)
    return .success
  }

  /// LE Set Scan Parameters (7.8.10).
  mutating func setScanParameters(_ reader: inout ByteReader) -> HCIStatus {
    guard let type = reader.u8(), type <= 1, let (interval, window) = scanTimes(&reader),
      let own = reader.addressKind(), let policy = reader.u8(), policy <= 1
    else { return .invalidParameters }
    guard !layer.scanning.isOn else { return .disallowed }
    layer.scanning.isActive = type == 1
    layer.scanning.interval = UInt32(interval) &* Self.slot
    layer.scanning.window = UInt32(window) &* Self.slot
    layer.scanning.filters = policy == 1
    scansRandom = own == .random
    return .success
  }

  /// Scan interval and scan window; `nil` if they are invalid.
  private func scanTimes(_ reader: inout ByteReader) -> (interval: UInt16, window: UInt16)? {
    guard let interval = reader.u16(), let window = reader.u16(), interval <= 0x4000, window >= 4,
      window <= interval
    else { return nil }
    return (interval, window)
  }

  /// LE Set Scan Enable (7.8.11). Reports that the host has not taken when scanning ends are discarded.
  mutating func enableScan(_ reader: inout ByteReader) -> HCIStatus {
    guard let value = reader.u8(), let filter = reader.u8(), value <= 1, filter <= 1 else {
      return .invalidParameters
    }
    guard value == 1 else {
      layer.stopScanning()
      layer.reports.removeAll()
      return .success
    }
    guard let own = ownAddress(isRandom: scansRandom) else { return .invalidParameters }
    filtersDuplicates = filter == 1
    duplicates = DuplicateFilter()
    guard !layer.scanning.isOn else { return .success }
    layer.scanning.address = own
    layer.startScanning()
    return .success
  }

  /// LE Create Connection (7.8.12). Scan interval and scan window are recommendations, which this link layer
  /// does not need: it uses all of the remaining time.
  mutating func createConnection(_ reader: inout ByteReader) -> HCIStatus {
    guard scanTimes(&reader) != nil, let policy = reader.u8(), policy <= 1,
      let peerKind = reader.addressKind(), let peer = reader.deviceAddress(peerKind),
      let own = reader.addressKind(), let timing = timing(&reader),
      let address = ownAddress(isRandom: own == .random)
    else { return .invalidParameters }
    guard !layer.initiating.isOn else { return .disallowed }
    guard layer.freeIndex() >= 0 else { return .connectionLimit }
    if policy == 0, layer.isConnected(to: peer) { return .connectionExists }
    do throws(RadioError) {
      try layer.initiate(
        to: policy == 0 ? peer : nil, as: address, interval: timing.intervalMax, latency: timing.latency,
        timeout: timing.timeout)
    } catch { return error == .invalidParameter ? .invalidParameters : .disallowed }
    return .success
  }
}
