import HeraldBluetooth
import HeraldHAL

/// A radio for unit tests: delivers scripted events and records every command with its time.
///
/// It checks the caller against the contract of `Radio` and records each breach in `violations`. Peers are
/// passive unless `responder` is set; cancelled attempts and disconnections are confirmed at the next poll by
/// default.
public struct MockRadio: Radio, ~Copyable {
  /// A command of the core.
  public enum Command: Equatable, Sendable {
    /// `startAdvertising`.
    case startAdvertising(AdvertisingParameters, data: [UInt8], scanResponse: [UInt8])
    /// `stopAdvertising`.
    case stopAdvertising
    /// `startScanning`.
    case startScanning(ScanParameters)
    /// `stopScanning`.
    case stopScanning
    /// `connect`.
    case connect(DeviceAddress, ConnectionParameters)
    /// `cancelConnect`.
    case cancelConnect
    /// `disconnect`.
    case disconnect(ConnectionID)
    /// `send`: a request or command.
    case send([UInt8], on: ConnectionID)
    /// The response returned by `pduReceived`.
    case answer([UInt8], on: ConnectionID)
    /// `readRSSI`.
    case readRSSI(ConnectionID)
  }

  /// A command and its time: that of the last poll.
  public struct Record: Equatable, Sendable {
    /// The time of the call.
    public let time: Instant
    /// The command.
    public let command: Command
  }

  /// An event of the radio.
  public enum Event: Sendable {
    /// The radio's state changed.
    case state(RadioState)
    /// An advertisement was received.
    case advertisement(DeviceAddress, RSSI, AdvertisingReport.Kind, [UInt8])
    /// A connection was opened.
    case opened(ConnectionID, ConnectionRole, peer: DeviceAddress)
    /// The connection attempt failed.
    case failed(DisconnectReason)
    /// A connection ended.
    case closed(ConnectionID, DisconnectReason)
    /// An ATT PDU arrived.
    case pdu([UInt8], on: ConnectionID)
    /// A connection can accept a PDU again.
    case readyToSend(ConnectionID)
    /// An RSSI was measured on a connection.
    case measured(RSSI, on: ConnectionID)
  }

  /// The capabilities that the radio reports.
  public var capabilities: RadioCapabilities
  /// The state of the radio.
  public private(set) var state: RadioState
  /// The time of the last poll.
  public private(set) var now: Instant
  /// The recorded commands.
  public var commands: [Record]
  /// The calls that violated the contract of `Radio`, as text.
  public private(set) var violations: [String]
  /// Whether a cancelled attempt ends with `connectionFailed`, as the contract requires.
  public var confirmsCancel = true
  /// Whether a disconnection is confirmed with `connectionClosed`, as the contract requires.
  public var confirmsDisconnect = true
  /// Whether `send` fails with `.busy` on every call.
  public var hasBackpressure = false
  /// Returns a peer's response to a request, given the connection and the request; `nil` if there is none. It
  /// is delivered at the next poll.
  public var responder: (@Sendable (ConnectionID, [UInt8]) -> [UInt8]?)?
  /// Whether `send` and responses are recorded: switched off in tests of millions of events.
  public var recordsCommands = true

  /// The time in ms that `receivingTime` returns; `nil` if it does not count it.
  public var received: UInt32?

  /// The current advertising parameters; `nil` if it does not advertise.
  public private(set) var advertising: AdvertisingParameters?
  /// The current scan parameters; `nil` if it does not scan.
  public private(set) var scanning: ScanParameters?
  /// The peer of the current connection attempt; `nil` if there is none.
  public private(set) var connecting: DeviceAddress?
  /// The open connections.
  public private(set) var open: Set<ConnectionID> = []

  private var script: [(time: Instant, event: Event)] = []
  private var played = 0

  /// Creates a radio that is ready from the first poll on.
  public init(capabilities: RadioCapabilities = Self.usualCapabilities) {
    self.capabilities = capabilities
    state = .starting
    now = .start
    commands = []
    violations = []
    script.append((.start, .state(.ready)))
  }

  /// The default capabilities: all roles at once, four connections and 247-byte PDUs.
  public static var usualCapabilities: RadioCapabilities {
    RadioCapabilities(
      canAdvertise: true, canAdvertiseWhileConnected: true, canScanWhileConnecting: true, canConnect: true,
      connections: 4, maximumPDU: 247, publicAddress: .zero)
  }

  /// Schedules `event` at `time`, after the events already scheduled for that time.
  public mutating func at(_ time: Instant, _ event: Event) {
    var index = script.count
    while index > played, script[index - 1].time > time { index -= 1 }
    script.insert((time, event), at: index)
  }

  /// Schedules `event` for the next poll.
  public mutating func happen(_ event: Event) { at(now, event) }

  /// Removes the recorded commands and returns them without their times.
  public mutating func takeCommands() -> [Command] {
    defer { commands = [] }
    return commands.map(\.command)
  }

  private mutating func note(_ command: Command) {
    if recordsCommands { commands.append(Record(time: now, command: command)) }
  }

  private mutating func guardReady(_ call: String) throws(RadioError) {
    if state != .ready {
      violations.append("\(call) while \(state)")
      throw .notReady
    }
  }

  // MARK: Radio

  /// Records the command and starts advertising.
  public mutating func startAdvertising(
    _ parameters: AdvertisingParameters, data: Span<UInt8>, scanResponse: Span<UInt8>
  ) throws(RadioError) {
    try guardReady("startAdvertising")
    if data.count > 31 || scanResponse.count > 31 { throw .tooLong }
    if !capabilities.canAdvertise { throw .unsupported }
    if connecting != nil, advertising?.ownAddress != parameters.ownAddress, advertising != nil {
      violations.append("own address changed while connecting")
    }
    advertising = parameters
    note(.startAdvertising(parameters, data: copy(data), scanResponse: copy(scanResponse)))
  }

  public mutating func stopAdvertising() {
    advertising = nil
    note(.stopAdvertising)
  }

  /// Records the command and starts scanning. A violation while connecting if the radio cannot do both.
  public mutating func startScanning(_ parameters: ScanParameters) throws(RadioError) {
    try guardReady("startScanning")
    if connecting != nil, !capabilities.canScanWhileConnecting {
      violations.append("startScanning while connecting")
      throw .unsupported
    }
    scanning = parameters
    note(.startScanning(parameters))
  }

  public mutating func stopScanning() {
    scanning = nil
    note(.stopScanning)
  }

  /// Records the command. A violation during another attempt.
  public mutating func connect(to peer: DeviceAddress, _ parameters: ConnectionParameters) throws(RadioError)
  {
    try guardReady("connect")
    if connecting != nil {
      violations.append("connect while connecting")
      throw .busy
    }
    if scanning != nil, !capabilities.canScanWhileConnecting { violations.append("connect while scanning") }
    connecting = peer
    note(.connect(peer, parameters))
  }

  /// Records the command and, if `confirmsCancel`, ends the attempt at the next poll.
  public mutating func cancelConnect() {
    note(.cancelConnect)
    if connecting != nil, confirmsCancel { happen(.failed(.cancelled)) }
  }

  /// Records the command and, if `confirmsDisconnect`, closes the connection at the next poll.
  public mutating func disconnect(_ connection: ConnectionID) {
    note(.disconnect(connection))
    if open.contains(connection), confirmsDisconnect { happen(.closed(connection, .localHostTerminated)) }
  }

  /// Records the command and, if `responder` returns a response, delivers it at the next poll.
  public mutating func send(_ pdu: Span<UInt8>, on connection: ConnectionID) throws(RadioError) {
    try guardReady("send")
    guard open.contains(connection) else { throw .notConnected }
    guard pdu.count <= capabilities.maximumPDU else { throw .tooLong }
    if hasBackpressure { throw .busy }
    let bytes = copy(pdu)
    note(.send(bytes, on: connection))
    if let answer = responder?(connection, bytes) { happen(.pdu(answer, on: connection)) }
  }

  /// The time in ms for which it has received, as the test has set it.
  public mutating func receivingTime() -> UInt32? { received }

  public mutating func readRSSI(_ connection: ConnectionID) { note(.readRSSI(connection)) }

  /// Delivers the events scheduled up to `now`. Returns the time of the next scheduled event.
  public mutating func poll<Handler: RadioEventHandler & ~Copyable>(
    at now: Instant, into handler: inout Handler
  ) -> Instant {
    self.now = now
    while played < script.count, script[played].time <= now {
      let event = script[played].event
      played += 1
      play(event, into: &handler)
    }
    if played == script.count {
      script.removeAll(keepingCapacity: true)
      played = 0
    }
    return played < script.count ? script[played].time : .never
  }

  private mutating func play<Handler: RadioEventHandler & ~Copyable>(
    _ event: Event, into handler: inout Handler
  ) {
    switch event {
    case .state(let new):
      state = new
      if new != .ready {
        (advertising, scanning, connecting) = (nil, nil, nil)
        open = []
      }
      handler.radioChanged(new, at: now)
    case .advertisement(let address, let rssi, let kind, let data):
      handler.received(AdvertisingReport(address: address, rssi: rssi, kind: kind), data: data.span, at: now)
    case .opened(let connection, let role, let peer):
      if role == .central { connecting = nil }
      open.insert(connection)
      handler.connectionOpened(ConnectionOpened(connection: connection, role: role, peer: peer), at: now)
    case .failed(let reason):
      guard connecting != nil else { return }  // the connection was opened before the cancellation
      connecting = nil
      handler.connectionFailed(reason, at: now)
    case .closed(let connection, let reason):
      guard open.remove(connection) != nil else { return }
      handler.connectionClosed(connection, reason, at: now)
    case .pdu(let bytes, let connection):
      guard open.contains(connection) else { return }
      var buffer = [UInt8](repeating: 0, count: max(capabilities.maximumPDU, bytes.count))
      buffer.replaceSubrange(0..<bytes.count, with: bytes)
      var span = buffer.mutableSpan
      let length = handler.pduReceived(&span, count: bytes.count, on: connection, at: now)
      if length > 0 { note(.answer(Array(buffer[0..<length]), on: connection)) }
    case .readyToSend(let connection):
      handler.readyToSend(on: connection, at: now)
    case .measured(let rssi, let connection):
      handler.measured(rssi, on: connection, at: now)
    }
  }
}

private func copy(_ span: Span<UInt8>) -> [UInt8] {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(span.count)
  for index in 0..<span.count { bytes.append(span[index]) }
  return bytes
}
