import HeraldBluetooth
import HeraldHAL

/// A radio for unit tests: plays a script of events and records every command with its time.
///
/// It keeps to the contract of `Radio` and notes every call that breaks it in `violations`. Peers do nothing
/// by themselves unless `responder` speaks for them; cancelled attempts and disconnections are confirmed at
/// the next poll by default.
public struct MockRadio: Radio, ~Copyable {
  /// Something the core asked for.
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
    /// `send`: a request or command of ours.
    case send([UInt8], on: ConnectionID)
    /// What `pduReceived` answered.
    case answer([UInt8], on: ConnectionID)
    /// `readRSSI`.
    case readRSSI(ConnectionID)
  }

  /// A command and when it was given: at the time of the last poll.
  public struct Record: Equatable, Sendable {
    /// Time of the call.
    public let time: Instant
    /// The command that was called.
    public let command: Command
  }

  /// Something that happens to the core.
  public enum Event: Sendable {
    /// The radio's state changed.
    case state(RadioState)
    /// An advertisement was heard.
    case advertisement(DeviceAddress, RSSI, AdvertisingReport.Kind, [UInt8])
    /// A connection was opened.
    case opened(ConnectionID, ConnectionRole, peer: DeviceAddress)
    /// The attempt failed.
    case failed(DisconnectReason)
    /// A connection ended.
    case closed(ConnectionID, DisconnectReason)
    /// An ATT PDU arrived.
    case pdu([UInt8], on: ConnectionID)
    /// A connection can take a PDU again.
    case readyToSend(ConnectionID)
    /// An RSSI was measured on a connection.
    case measured(RSSI, on: ConnectionID)
  }

  /// What it claims to be able to do.
  public var capabilities: RadioCapabilities
  /// Whether it is usable.
  public private(set) var state: RadioState
  /// The time of the last poll.
  public private(set) var now: Instant
  /// Every command so far.
  public var commands: [Record]
  /// Calls that broke the contract of `Radio`, in words.
  public private(set) var violations: [String]
  /// Whether a cancelled attempt ends with `connectionFailed`, as the contract promises.
  public var confirmsCancel = true
  /// Whether a disconnection is confirmed with `connectionClosed`, as the contract promises.
  public var confirmsDisconnect = true
  /// Whether `send` refuses everything as `.busy`.
  public var isClogged = false
  /// Answers our requests for the peers at the next poll: the connection and the request, to the response if
  /// there is one.
  public var responder: (@Sendable (ConnectionID, [UInt8]) -> [UInt8]?)?
  /// Whether `send` and responses are recorded: switched off in tests of millions of events.
  public var recordsCommands = true

  /// Whether it advertises, and what.
  public private(set) var advertising: AdvertisingParameters?
  /// Whether it scans, and how.
  public private(set) var scanning: ScanParameters?
  /// The peer of the current connection attempt.
  public private(set) var connecting: DeviceAddress?
  /// The connections that are open.
  public private(set) var open: Set<ConnectionID> = []

  private var script: [(time: Instant, event: Event)] = []
  private var played = 0

  /// A radio that is ready from the first poll on.
  public init(capabilities: RadioCapabilities = Self.usualCapabilities) {
    self.capabilities = capabilities
    state = .starting
    now = .start
    commands = []
    violations = []
    script.append((.start, .state(.ready)))
  }

  /// A radio that can do everything, with four connections and 247-byte PDUs.
  public static var usualCapabilities: RadioCapabilities {
    RadioCapabilities(
      canAdvertise: true, canAdvertiseWhileConnected: true, canScanWhileConnecting: true, canConnect: true,
      connections: 4, maximumPDU: 247, publicAddress: .zero)
  }

  /// Lets `event` happen at `time`, after everything scripted for that time before.
  public mutating func at(_ time: Instant, _ event: Event) {
    var place = script.count
    while place > played, script[place - 1].time > time { place -= 1 }
    script.insert((time, event), at: place)
  }

  /// Lets `event` happen at the next poll.
  public mutating func happen(_ event: Event) { at(now, event) }

  /// Discards the commands recorded so far and returns them without their times.
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

  /// Records it and advertises from now on.
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

  /// Records it; a violation while connecting if the radio cannot do both.
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

  /// Records it; a violation while another attempt is under way.
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

  /// Records it and, if `confirmsCancel`, lets the attempt fail at the next poll.
  public mutating func cancelConnect() {
    note(.cancelConnect)
    if connecting != nil, confirmsCancel { happen(.failed(.cancelled)) }
  }

  /// Records it and, if `confirmsDisconnect`, closes the connection at the next poll.
  public mutating func disconnect(_ connection: ConnectionID) {
    note(.disconnect(connection))
    if open.contains(connection), confirmsDisconnect { happen(.closed(connection, .localHostTerminated)) }
  }

  /// Records it and lets `responder` answer at the next poll.
  public mutating func send(_ pdu: Span<UInt8>, on connection: ConnectionID) throws(RadioError) {
    try guardReady("send")
    guard open.contains(connection) else { throw .notConnected }
    guard pdu.count <= capabilities.maximumPDU else { throw .tooLong }
    if isClogged { throw .busy }
    let bytes = copy(pdu)
    note(.send(bytes, on: connection))
    if let answer = responder?(connection, bytes) { happen(.pdu(answer, on: connection)) }
  }

  public mutating func readRSSI(_ connection: ConnectionID) { note(.readRSSI(connection)) }

  /// Plays what is scripted up to `now`. Returns the time of the next event in the script.
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
      guard connecting != nil else { return }  // a connection won the race
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
