import HeraldBluetooth
import HeraldHAL

// Packets to the host.
extension HCIController where Peripheral: ~Copyable, Random: ~Copyable {
  /// The handle of a connection: 0 is not used, because some hosts take it for none.
  static func handle(_ connection: Int) -> UInt16 { UInt16(truncatingIfNeeded: connection &+ 1) }

  /// Appends the next event, or data, that the host wants to receive.
  mutating func writeEvent(_ writer: inout ByteWriter, _ withData: Bool) {
    let start = writer.count
    if owesHardwareError {
      owesHardwareError = false
      if events.allows(HCIEvents.Code.hardwareError) {
        HCIEvents.begin(HCIEvents.Code.hardwareError, 1, &writer)
        writer.u8(0)
      }
    }
    if writer.count == start, owesOverflow {
      owesOverflow = false
      if events.allows(HCIEvents.Code.overflow) {
        HCIEvents.begin(HCIEvents.Code.overflow, 1, &writer)
        // Link_Type: ACL.
        writer.u8(1)
      }
    }
    while writer.count == start, let event = takeEvent() { write(event, &writer) }
    while writer.count == start, let result = layer.takeResult() { write(result, &writer) }
    if writer.count == start { writeCompleted(&writer) }
    if writer.count == start, withData { writeData(&writer) }
    while writer.count == start, let report = layer.takeReport() { write(report, &writer) }
  }

  /// The next event of the link layer; first the end of a connection whose procedures had to be reported.
  private mutating func takeEvent() -> LinkLayerEvent? {
    guard ending > 0 else { return layer.takeEvent() }
    let connection = Int(ending) &- 1
    ending = 0
    return .closed(connection: connection, reason: DisconnectReason(rawValue: endingReason))
  }

  private mutating func write(_ event: LinkLayerEvent, _ writer: inout ByteWriter) {
    switch event {
    case .opened(let connection, let role, let peer):
      // As other controllers do, so that the peripheral's host can read the features, too.
      pending[connection] = .none
      if role == .central { try? layer.readFeatures(connection) }
      guard events.beginMeta(HCIEvents.Subevent.connectionComplete, 18, &writer) else { return }
      let timing = layer.exchange.table[connection].timing
      writer.u8(0)
      writer.u16(Self.handle(connection))
      writer.u8(role.rawValue)
      writer.u8(peer.kind.rawValue)
      writer.deviceAddress(peer)
      writer.u16(timing.intervalUnits)
      writer.u16(timing.latency)
      writer.u16(timing.timeoutUnits)
      // Central_Clock_Accuracy is valid for a peripheral only.
      let central = timing.deviation &- layer.exchange.radio.clockDeviation
      writer.u8(role == .central ? 0 : ClockAccuracy(partsPerMillion: central).code)
    case .closed(let connection, let reason):
      guard pending[connection] == .none else {
        ending = UInt8(truncatingIfNeeded: connection &+ 1)
        endingReason = reason.rawValue
        endProcedure(on: connection, reason, &writer)
        return
      }
      sent[connection] = 0
      hostRoom = hostRoom &+ held[connection]
      held[connection] = 0
      guard events.allows(HCIEvents.Code.disconnectionComplete) else { return }
      HCIEvents.begin(HCIEvents.Code.disconnectionComplete, 4, &writer)
      writer.u8(0)
      writer.u16(Self.handle(connection))
      writer.u8(reason.rawValue)
    case .connectFailed(let reason): writeFailure(reason.rawValue, 0, &writer)
    // Advertising Timeout.
    case .directedAdvertisingEnded: writeFailure(0x3C, 1, &writer)
    // The host counts the completed packets.
    case .ready: break
    }
  }

  /// LE Connection Complete of a connection that was not created.
  private func writeFailure(_ status: UInt8, _ role: UInt8, _ writer: inout ByteWriter) {
    guard events.beginMeta(HCIEvents.Subevent.connectionComplete, 18, &writer) else { return }
    writer.u8(status)
    writer.u16(0)
    writer.u8(role)
    writer.u32(0)
    writer.u32(0)
    writer.u32(0)
    writer.u16(0)
  }

  /// Reports the end of a pending procedure on a connection that has ended: the host has received Command
  /// Status, and waits for the event. `reason` is that for which the connection has ended.
  private mutating func endProcedure(
    on connection: Int, _ reason: DisconnectReason, _ writer: inout ByteWriter
  ) {
    let status = reason.rawValue
    let handle = Self.handle(connection)
    if pending[connection].contains(.features) {
      pending[connection].remove(.features)
      events.remoteFeatures(handle, status, 0, &writer)
    } else if pending[connection].contains(.version) {
      pending[connection].remove(.version)
      events.remoteVersion(handle, status, LinkLayerVersion(number: 0, company: 0, subversion: 0), &writer)
    } else {
      pending[connection].remove(.update)
      let timing = layer.exchange.table[connection].timing
      events.connectionUpdate(
        handle, status, timing.intervalUnits, timing.latency, timing.timeoutUnits, &writer)
    }
  }

  private mutating func write(_ result: LinkLayerResult, _ writer: inout ByteWriter) {
    switch result {
    case .updated(let connection, let interval, let latency, let timeout):
      pending[connection].remove(.update)
      events.connectionUpdate(Self.handle(connection), 0, interval, latency, timeout, &writer)
    case .features(let connection, let status, let features):
      guard pending[connection].contains(.features) else { return }
      pending[connection].remove(.features)
      events.remoteFeatures(Self.handle(connection), status, features, &writer)
    case .version(let connection, let version):
      let status = version.number == 0 ? DisconnectReason.unsupportedFeature.rawValue : 0
      pending[connection].remove(.version)
      events.remoteVersion(Self.handle(connection), status, version, &writer)
    }
  }

  /// Number Of Completed Packets (7.7.19) of one connection.
  private mutating func writeCompleted(_ writer: inout ByteWriter) {
    var index = 0
    while index < connections {
      if layer.isOpen(index), sent[index] > layer.exchange.table[index].data.count {
        let completed = sent[index] &- layer.exchange.table[index].data.count
        sent[index] &-= completed
        HCIEvents.begin(HCIEvents.Code.completedPackets, 5, &writer)
        writer.u8(1)
        writer.u16(Self.handle(index))
        writer.u16(UInt16(completed))
        return
      }
      index &+= 1
    }
  }

  /// The oldest received data, if the host has room for it.
  private mutating func writeData(_ writer: inout ByteWriter) {
    guard !isHostFlowOn || hostRoom > 0, let fragment = layer.takeDataPayload() else { return }
    let connection = Int(fragment.connection)
    if isHostFlowOn {
      hostRoom &-= 1
      held[connection] = held[connection] &+ 1
    }
    writer.u8(0x02)
    writer.u16(Self.handle(connection) | (fragment.isStart ? 0x2000 : 0x1000))
    writer.u16(UInt16(fragment.count))
    writer.bytes(fragment.bytes.span.extracting(first: Int(fragment.count)))
  }

  /// LE Advertising Report (7.7.65.2) of one report.
  private mutating func write(_ report: ReceivedPDU, _ writer: inout ByteWriter) {
    let pdu = report.bytes.span.extracting(first: Int(report.count))
    guard let header = AdvertisingHeader(of: pdu), pdu.count >= 8,
      let sender = DeviceAddress(onAir: pdu.extracting(2..<8), kind: header.sender)
    else { return }
    if filtersDuplicates, duplicates.isDuplicate(sender, isResponse: header.kind == .scanResponse) { return }
    // A directed advertisement has no data.
    let data = header.kind == .directed ? 0 : pdu.count &- 8
    guard
      events.beginMeta(HCIEvents.Subevent.advertisingReport, UInt8(truncatingIfNeeded: 11 &+ data), &writer)
    else {
      return
    }
    writer.u8(1)
    writer.u8(header.kind.reportType)
    writer.u8(sender.kind.rawValue)
    writer.deviceAddress(sender)
    writer.u8(UInt8(truncatingIfNeeded: data))
    writer.bytes(pdu.extracting(8..<(8 &+ data)))
    writer.u8(UInt8(bitPattern: report.rssi))
  }
}

extension AdvertisingHeader.Kind {
  /// Event_Type of an advertising report.
  fileprivate var reportType: UInt8 {
    switch self {
    case .connectable: 0
    case .directed: 1
    case .scannable: 2
    case .nonConnectable: 3
    case .scanResponse, .scanRequest, .connect: 4
    }
  }
}
