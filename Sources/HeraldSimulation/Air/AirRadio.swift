import HeraldBluetooth
import HeraldHAL

/// The radio of one station of an `Air`. It conforms to the contract of `Radio`.
public struct AirRadio: Radio, ~Copyable {
  /// The medium.
  public let air: Air
  /// The number of the station.
  public let station: Int
  /// The state of the radio.
  public private(set) var state = RadioState.starting

  /// Creates the radio of a station, for one host.
  public init(_ air: Air, station: Int) {
    self.air = air
    self.station = station
  }

  /// The capabilities of the radio.
  public var capabilities: RadioCapabilities { air.stations[station].capabilities }

  /// The default capabilities: all roles at once, four connections and 247-byte PDUs.
  public static var usualCapabilities: RadioCapabilities {
    RadioCapabilities(
      canAdvertise: true, canAdvertiseWhileConnected: true, canScanWhileConnecting: true, canConnect: true,
      connections: 4, maximumPDU: 247, publicAddress: .zero)
  }

  /// Starts advertising. The first packet is sent within 10 ms, or at the end of the current interval.
  public mutating func startAdvertising(
    _ parameters: AdvertisingParameters, data: Span<UInt8>, scanResponse: Span<UInt8>
  ) throws(RadioError) {
    guard state == .ready else { throw .notReady }
    guard capabilities.canAdvertise else { throw .unsupported }
    guard data.count <= 31, scanResponse.count <= 31 else { throw .tooLong }
    air.startAdvertising(station, parameters, data)
  }

  /// Stops advertising at once; a packet that is being sent is lost.
  public mutating func stopAdvertising() { air.stopAdvertising(station) }

  /// Starts passive scanning: scan requests are not modelled.
  public mutating func startScanning(_ parameters: ScanParameters) throws(RadioError) {
    guard state == .ready else { throw .notReady }
    guard parameters.window.milliseconds > 0, parameters.window <= parameters.interval else {
      throw .invalidParameter
    }
    if air.receivers[station].isInitiating, !capabilities.canScanWhileConnecting { throw .unsupported }
    air.commandScan(station, parameters)
  }

  /// Stops scanning.
  public mutating func stopScanning() { air.commandScan(station, nil) }

  /// Initiates: sends a connection request after an advertisement of the peer.
  public mutating func connect(to peer: DeviceAddress, _ parameters: ConnectionParameters) throws(RadioError)
  {
    guard state == .ready else { throw .notReady }
    guard capabilities.canConnect else { throw .unsupported }
    guard !air.receivers[station].isInitiating, air.stations[station].freeIndex() != nil else { throw .busy }
    if air.stations[station].scan != nil, !capabilities.canScanWhileConnecting { throw .unsupported }
    air.initiate(station, peer, parameters)
  }

  /// Cancels initiating.
  public mutating func cancelConnect() { air.cancel(station) }

  /// Closes a connection: the peer receives LL_TERMINATE_IND at the next successful connection event.
  public mutating func disconnect(_ connection: ConnectionID) { air.disconnect(station, connection) }

  /// Queues one ATT PDU for the next connection event.
  public mutating func send(_ pdu: Span<UInt8>, on connection: ConnectionID) throws(RadioError) {
    guard state == .ready else { throw .notReady }
    guard pdu.count <= capabilities.maximumPDU, pdu.count <= 247 else { throw .tooLong }
    try air.queue(pdu, station, connection)
  }

  /// Measures the RSSI of the peer in dBm.
  public mutating func readRSSI(_ connection: ConnectionID) { air.measure(station, connection) }

  /// The time for which it has received, with scan windows.
  public mutating func receivingTime() -> UInt32? {
    let use = air.use(of: station)
    return UInt32(truncatingIfNeeded: (use.receiving + use.listening) / 1000)
  }

  /// Reports pending events. Time is advanced by `Air.run` only.
  public mutating func poll<Handler: RadioEventHandler & ~Copyable>(
    at now: Instant, into handler: inout Handler
  ) -> Instant {
    if air.heard.receiver == station {
      air.heard.receiver = -1
      let sender = air.sender
      guard let parameters = air.stations[sender].advertising else { return .never }
      let data = UnsafeBufferPointer(start: air.data + sender * 32, count: air.stations[sender].dataLength)
      let kind = AdvertisingReport.Kind.legacy
      let report = AdvertisingReport(
        address: parameters.ownAddress, rssi: RSSI(air.heard.rssi),
        kind: parameters.connectable ? kind.union(.connectable).union(.scannable) : kind)
      handler.received(report, data: data.span, at: now)
    }
    while !air.reports[station].isEmpty {
      let report = air.reports[station].removeFirst()
      hand(report, to: &handler, at: now)
    }
    return .never
  }

  private mutating func hand<Handler: RadioEventHandler & ~Copyable>(
    _ report: AirReport, to handler: inout Handler, at now: Instant
  ) {
    switch report {
    case .state(let new):
      state = new
      handler.radioChanged(new, at: now)
    case .opened(let opened): handler.connectionOpened(opened, at: now)
    case .failed(let reason): handler.connectionFailed(reason, at: now)
    case .closed(let connection, let reason): handler.connectionClosed(connection, reason, at: now)
    case .readyToSend(let connection): handler.readyToSend(on: connection, at: now)
    case .measured(let rssi, let connection): handler.measured(rssi, on: connection, at: now)
    case .pdu(let line, let token, let side, let isAnswer):
      var buffer: [256 of UInt8] = .init(repeating: 0)
      let count = air.take(line, token, from: side, isAnswer: isAnswer, into: &buffer)
      guard count > 0 else { return }
      let connection = ConnectionID(index: air.lines[line].indices[side.other.rawValue])
      var span = buffer.mutableSpan
      var whole = span._mutatingExtracting(0..<min(256, capabilities.maximumPDU))
      let length = handler.pduReceived(&whole, count: count, on: connection, at: now)
      if length > 0 { air.answer(line, token, by: side.other, &buffer, length) }
    }
  }
}
