import Board
import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL

/// A Bluetooth host with nothing on top: it serves the Herald table and runs every procedure of the GATT
/// client.
public struct MeasuredHost<let connections: Int>: RadioEventHandler, ~Copyable {
  private var server = ATTServer<HeraldGATTTable, connections, 1>()
  private var clients: [connections of GATTClient] = .init(repeating: GATTClient())
  private var steps: [connections of UInt8] = .init(repeating: 0)
  private var values = ByteValues()
  private var scratch: [247 of UInt8] = .init(repeating: 0)
  private var heard = 0

  /// A host that has not started.
  public init() {}

  /// Starts to scan and to advertise once it can.
  public mutating func radioChanged(_ state: RadioState, at now: Instant) { server.maximumMTU = 247 }
  /// Counts.
  public mutating func received(_ report: AdvertisingReport, data: Span<UInt8>, at now: Instant) {
    heard &+= data.count
  }
  /// Starts with a connection.
  public mutating func connectionOpened(_ opened: ConnectionOpened, at now: Instant) {
    server.opened(opened.connection)
    clients[opened.connection.index] = GATTClient()
    steps[opened.connection.index] = 0
  }
  public mutating func connectionFailed(_ reason: DisconnectReason, at now: Instant) {}
  /// Discards a connection.
  public mutating func connectionClosed(
    _ connection: ConnectionID, _ reason: DisconnectReason, at now: Instant
  ) {
    server.closed(connection)
  }
  /// Answers, or takes a response.
  public mutating func pduReceived(
    _ buffer: inout MutableSpan<UInt8>, count: Int, on connection: ConnectionID, at now: Instant
  ) -> Int {
    guard count > 0, !ATTOpcode(rawValue: buffer[0]).isForClient else {
      let event = clients[connection.index].receive(
        buffer.span.extracting(0..<count), mtu: server.mtu(connection))
      if case .mtu(let mtu) = event { server.agreed(peerMTU: mtu, on: connection) }
      return 0
    }
    return server.respond(to: &buffer, count: count, on: connection, at: now, values: &values)
  }
  public mutating func readyToSend(on connection: ConnectionID, at now: Instant) {}
  public mutating func measured(_ rssi: RSSI, on connection: ConnectionID, at now: Instant) {}

  /// Asks the radio for everything it can do, one after the other.
  public mutating func run<R: Radio & ~Copyable>(at now: Instant, commanding radio: inout R) {
    let parameters = AdvertisingParameters(ownAddress: .zero, interval: .milliseconds(250), connectable: true)
    try? radio.startAdvertising(parameters, data: scratch.span.extracting(0..<31), scanResponse: Span())
    try? radio.startScanning(
      ScanParameters(
        ownAddress: .zero, interval: .milliseconds(100), window: .milliseconds(50), active: false))
    try? radio.connect(to: .zero, ConnectionParameters(ownAddress: .zero))
    if heard & 15 == 1 { radio.cancelConnect() }
    if heard & 15 == 2 { radio.stopScanning() }
    if heard & 15 == 3 { radio.stopAdvertising() }
    var index = 0
    while index < connections {
      let connection = ConnectionID(index: index)
      if !clients[index].isBusy {
        steps[index] &+= 1
        if steps[index] == 8 { radio.disconnect(connection) }
        _ = clients[index].begin(procedure(steps[index]))
      }
      _ = clients[index].expire(at: now)
      var span = scratch.mutableSpan
      let length = clients[index].nextRequest(
        into: &span, mtu: server.mtu(connection), value: Span(), at: now)
      if length > 0 { try? radio.send(scratch.span.extracting(0..<length), on: connection) }
      radio.readRSSI(connection)
      index &+= 1
    }
  }

  private func procedure(_ step: UInt8) -> GATTProcedure {
    let range = HandleRange(first: 1, last: UInt16(step))
    return switch step {
    case 1: .exchangeMTU(247)
    case 2: .discoverService16(HeraldUUIDs.shortService)
    case 3: .discoverService128(HeraldUUIDs.service)
    case 4: .discoverCharacteristics(range)
    case 5: .readLong(1)
    case 6: .write(1, length: 100)
    default: .subscribe(range, .notifications)
    }
  }
}

/// One byte of a value, whatever is asked for, and room for one prepared write.
struct ByteValues: AttributeValues, ~Copyable {
  private var byte: UInt8 = 0
  private var prepared: [516 of UInt8] = .init(repeating: 0)

  mutating func read(
    _ tag: AttributeTag, offset: Int, into buffer: inout MutableSpan<UInt8>, on connection: ConnectionID
  ) -> AttributeRead {
    if offset == 0, buffer.count > 0 { buffer[0] = byte }
    return .length(1)
  }

  mutating func write(
    _ tag: AttributeTag, _ value: Span<UInt8>, withResponse: Bool, on connection: ConnectionID
  ) -> ATTErrorCode? {
    if value.count > 0 { byte = value[0] }
    return nil
  }

  mutating func prepare(_ part: Span<UInt8>, at offset: Int, on connection: ConnectionID) -> Bool {
    guard offset >= 0, part.count <= 516 &- offset else { return false }
    var index = 0
    while index < part.count {
      prepared[offset &+ index] = part[index]
      index &+= 1
    }
    return true
  }

  mutating func writePrepared(_ tag: AttributeTag, on connection: ConnectionID) -> ATTErrorCode? {
    byte = prepared[0]
    return nil
  }
}
