import HeraldBluetooth
import HeraldHAL

// Packets to the host.
extension HCIController where Peripheral: ~Copyable, Random: ~Copyable {
  /// Event codes (Core Specification, Vol 4, Part E, 7.7), as their bits in Event_Mask: the code is one more.
  private enum Event {
    static var disconnectionComplete: UInt8 { 0x05 }
    static var remoteVersion: UInt8 { 0x0C }
    static var commandComplete: UInt8 { 0x0E }
    static var commandStatus: UInt8 { 0x0F }
    static var hardwareError: UInt8 { 0x10 }
    static var completedPackets: UInt8 { 0x13 }
    static var overflow: UInt8 { 0x1A }
    static var leMeta: UInt8 { 0x3E }
  }

  /// Subevent codes of LE Meta events (7.7.65).
  private enum Subevent {
    static var connectionComplete: UInt8 { 0x01 }
    static var advertisingReport: UInt8 { 0x02 }
    static var connectionUpdate: UInt8 { 0x03 }
    static var remoteFeatures: UInt8 { 0x04 }
  }

  /// Event_Mask and LE_Event_Mask after HCI_Reset (7.3.1, 7.8.1): LE Meta events are off.
  static var initialEventMask: UInt64 { 0x1FFF_FFFF_FFFF }
  static var initialLEEventMask: UInt32 { 0x1F }

  /// Command Status (7.7.15).
  func writeStatus(_ status: HCIStatus, _ opcode: UInt16, _ writer: inout ByteWriter) {
    begin(Event.commandStatus, 4, &writer)
    writer.u8(status.rawValue)
    writer.u8(1)
    writer.u16(opcode)
  }

  /// The beginning of Command Complete (7.7.14); the return parameters follow, and their length is set by
  /// `endComplete`.
  func beginComplete(_ opcode: UInt16, _ writer: inout ByteWriter) {
    begin(Event.commandComplete, 0, &writer)
    writer.u8(1)
    writer.u16(opcode)
  }

  /// Sets the length of a Command Complete that begins at `start`.
  func endComplete(_ start: Int, _ writer: inout ByteWriter) {
    let length = writer.count &- start &- 3
    var place = writer.part(start &+ 2..<start &+ 3)
    place[0] = UInt8(truncatingIfNeeded: length)
  }

  private func begin(_ event: UInt8, _ length: UInt8, _ writer: inout ByteWriter) {
    writer.u8(0x04)
    writer.u8(event)
    writer.u8(length)
  }

  /// Whether the host wants to receive an event.
  private func isUnmasked(_ event: UInt8) -> Bool {
    eventMask &>> (UInt64(wide: UInt32(event)) &- 1) & 1 != 0
  }

  private func isUnmasked(le subevent: UInt8) -> Bool {
    isUnmasked(Event.leMeta) && leEventMask &>> (UInt32(subevent) &- 1) & 1 != 0
  }

  /// The beginning of an LE Meta event with `length` bytes after the subevent code; `false` if the host does
  /// not want to receive it.
  private func beginMeta(_ subevent: UInt8, _ length: UInt8, _ writer: inout ByteWriter) -> Bool {
    guard isUnmasked(le: subevent) else { return false }
    begin(Event.leMeta, length &+ 1, &writer)
    writer.u8(subevent)
    return true
  }

  /// The handle of a connection: 0 is not used, because some hosts take it for none.
  static func handle(_ connection: Int) -> UInt16 { UInt16(truncatingIfNeeded: connection &+ 1) }

  /// Appends the next event, or data, that the host wants to receive.
  mutating func writeEvent(_ writer: inout ByteWriter, _ withData: Bool) {
    let start = writer.count
    if owesHardwareError {
      owesHardwareError = false
      if isUnmasked(Event.hardwareError) {
        begin(Event.hardwareError, 1, &writer)
        writer.u8(0)
      }
    }
    if writer.count == start, owesOverflow {
      owesOverflow = false
      if isUnmasked(Event.overflow) {
        begin(Event.overflow, 1, &writer)
        // Link_Type: ACL.
        writer.u8(1)
      }
    }
    while writer.count == start, let event = layer.takeEvent() { write(event, &writer) }
    while writer.count == start, let result = layer.takeResult() { write(result, &writer) }
    if writer.count == start { writeCompleted(&writer) }
    if writer.count == start, withData { writeData(&writer) }
    while writer.count == start, let report = layer.takeReport() { write(report, &writer) }
  }

  private mutating func write(_ event: LinkLayerEvent, _ writer: inout ByteWriter) {
    switch event {
    case .opened(let connection, let role, let peer):
      // As other controllers do, so that the peripheral's host can read the features, too.
      asksFeatures[connection] = false
      if role == .central { try? layer.readFeatures(connection) }
      guard beginMeta(Subevent.connectionComplete, 18, &writer) else { return }
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
      sent[connection] = 0
      hostRoom = hostRoom &+ held[connection]
      held[connection] = 0
      guard isUnmasked(Event.disconnectionComplete) else { return }
      begin(Event.disconnectionComplete, 4, &writer)
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
    guard beginMeta(Subevent.connectionComplete, 18, &writer) else { return }
    writer.u8(status)
    writer.u16(0)
    writer.u8(role)
    writer.u32(0)
    writer.u32(0)
    writer.u32(0)
    writer.u16(0)
  }

  private mutating func write(_ result: LinkLayerResult, _ writer: inout ByteWriter) {
    switch result {
    case .updated(let connection, let interval, let latency, let timeout):
      guard beginMeta(Subevent.connectionUpdate, 9, &writer) else { return }
      writer.u8(0)
      writer.u16(Self.handle(connection))
      writer.u16(interval)
      writer.u16(latency)
      writer.u16(timeout)
    case .features(let connection, let status, let features):
      guard asksFeatures[connection] else { return }
      asksFeatures[connection] = false
      guard beginMeta(Subevent.remoteFeatures, 11, &writer) else { return }
      writer.u8(status)
      writer.u16(Self.handle(connection))
      writer.u64(features)
    case .version(let connection, let version):
      guard isUnmasked(Event.remoteVersion) else { return }
      begin(Event.remoteVersion, 8, &writer)
      writer.u8(version.number == 0 ? DisconnectReason.unsupportedFeature.rawValue : 0)
      writer.u16(Self.handle(connection))
      writer.u8(version.number)
      writer.u16(version.company)
      writer.u16(version.subversion)
    }
  }

  /// Number Of Completed Packets (7.7.19) of one connection.
  private mutating func writeCompleted(_ writer: inout ByteWriter) {
    var index = 0
    while index < connections {
      if layer.isOpen(index), sent[index] > layer.exchange.table[index].data.count {
        let completed = sent[index] &- layer.exchange.table[index].data.count
        sent[index] &-= completed
        begin(Event.completedPackets, 5, &writer)
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
  private mutating func write(_ report: HeardPDU, _ writer: inout ByteWriter) {
    let pdu = report.bytes.span.extracting(first: Int(report.count))
    guard let header = AdvertisingHeader(of: pdu), pdu.count >= 8,
      let sender = DeviceAddress(onAir: pdu.extracting(2..<8), kind: header.sender)
    else { return }
    if filtersDuplicates, duplicates.isDuplicate(sender, isResponse: header.kind == .scanResponse) { return }
    // A directed advertisement has no data.
    let data = header.kind == .directed ? 0 : pdu.count &- 8
    guard beginMeta(Subevent.advertisingReport, UInt8(truncatingIfNeeded: 11 &+ data), &writer) else {
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
