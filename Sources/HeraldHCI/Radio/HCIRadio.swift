import HeraldBluetooth
import HeraldHAL

/// A radio over any controller with HCI over H4, with room for `connections` connections.
///
/// **Receiving.** `poll` reads what was received, at most `readsPerPoll` times 260 bytes, and passes every
/// advertising report to the handler directly from the receive buffer: there is no queue in which reports
/// could wait, overflow, or displace other events. Responses are sent when they are made, commands and other
/// data at the end of the same `poll`, so that neither direction can starve the other; if there is more to
/// read, `poll` returns the present time as its deadline.
///
/// **Sending.** Data and commands are sent as soon as possible: in the call that requests them, or in the
/// `poll` that makes it possible. One command is under way at a time; data waits for the controller's
/// buffers, which are distributed evenly among the connections, so that one stalled peer does not delay the
/// others.
///
/// **Failure.** A controller that has work and has been silent for half a minute gets a Read Local Version
/// Information command. A command that is not completed within two seconds, a connection that has not ended
/// 40 to 80 seconds after Disconnect, a Hardware Error or Data Buffer Overflow event, or a byte stream out of
/// synchronisation makes the radio `.failed`. It then resets the controller, at once the first time and after
/// growing pauses if that fails, and reports `.starting` and `.ready` again. A byte from the controller, or a
/// line that was reopened, ends a pause. While the line is lost the controller is not reset; `read` is called
/// every quarter of a second.
///
/// A connection unknown to this host, as of a controller that keeps its connections when it is reset, is
/// disconnected.
///
/// **Memory.** 288 bytes for each connection and about 960 for the rest on a 32-bit controller. Idle state is
/// all zero bits.
public struct HCIRadio<Transport: ControllerTransport & ~Copyable, let connections: Int>: Radio,
  StatisticsSource,
  ~Copyable
{
  /// How often one `poll` reads at most.
  static var readsPerPoll: Int { 8 }
  /// How long a connection may take to end after the command to the controller, at least: longer than any
  /// supervision timeout. At most twice as long, as one moment is kept for all connections.
  static var disconnectTimeout: Interval { .seconds(40) }
  /// How often a lost line is checked.
  static var linePeriod: Interval { .milliseconds(250) }
  /// How long the report of a connection may follow its first data: over USB they come from different
  /// endpoints.
  static var longestDelay: Interval { .milliseconds(100) }

  // Short members that are read often come first, within reach of short instructions; the buffers last.

  /// Whether only advertisements were received since everything else was processed, and no new command is
  /// pending.
  var isQuiet: Bool
  /// The transport refused a packet: it is repeated soon.
  var hasBackpressure: Bool
  var hasOrphan: Bool
  var line: TransportLine
  /// How many packets the controller still accepts.
  var credits: UInt16
  /// A connection without a slot, or an unknown one, to be disconnected.
  var orphan: ConnectionHandle
  /// The connection after the one that sent last.
  var nextIndex: Int
  /// The connection of the pending command.
  var pendingIndex: Int
  /// When `poll` was last called.
  var now: Instant
  /// Until when there is nothing to process while it is quiet.
  var quietUntil: Instant
  /// When the orphan is to be disconnected.
  var orphanAt: Instant
  /// By when the connections that are `.due` must have ended.
  var disconnectedBy: Instant
  var session: ControllerSession
  /// The capabilities of the controller, stored separately so that reading them is cheap.
  var known: RadioCapabilities
  var continuation: ReportContinuation
  var counters: HCICounters
  var transfers: L2CAPCounters
  var acl: ACLConnections<connections>
  /// The line to the controller: an event loop uses it to find out what to wait for. Only the radio reads and
  /// writes.
  public var transport: Transport
  var receiver: H4Receiver
  var buffers: L2CAPBuffers<connections>

  /// A radio over `transport`. It is `.starting` until `poll` has brought the controller up.
  public init(transport: consuming Transport) {
    self.transport = transport
    receiver = H4Receiver()
    session = ControllerSession()
    counters = HCICounters()
    transfers = L2CAPCounters()
    continuation = ReportContinuation()
    acl = ACLConnections()
    buffers = L2CAPBuffers()
    credits = 0
    nextIndex = 0
    pendingIndex = 0
    orphan = ConnectionHandle(rawValue: 0)
    hasOrphan = false
    hasBackpressure = false
    disconnectedBy = .start
    isQuiet = false
    line = .up
    orphanAt = .start
    quietUntil = .start
    now = .start
    known = .none
  }

  /// What the controller can do, by its supported commands and states; none before it is ready.
  public var capabilities: RadioCapabilities {
    @inline(__always)
    get {
      var capabilities = known
      capabilities.maximumPDU = L2CAPConnection.longestPDU
      return capabilities
    }
  }

  /// Whether the controller has been brought up.
  public var state: RadioState {
    @inline(__always) get { session.state }
  }

  /// Advertises from now on; see `Radio`. `.unsupported` for connectable advertising without room for a
  /// connection. With the legacy commands a controller has one random address: that of advertising, if set,
  /// is also used in scan requests and connections.
  public mutating func startAdvertising(
    _ parameters: AdvertisingParameters, data: Span<UInt8>, scanResponse: Span<UInt8>
  ) throws(RadioError) {
    if connections == 0, parameters.connectable { throw .unsupported }
    try session.wantAdvertising(parameters, data: data, response: scanResponse)
    transmit()
  }

  /// Stops advertising.
  public mutating func stopAdvertising() {
    session.stopAdvertising()
    transmit()
  }

  /// Scans from now on; see `Radio`.
  public mutating func startScanning(_ parameters: ScanParameters) throws(RadioError) {
    try session.wantScanning(parameters)
    transmit()
  }

  /// Stops scanning.
  public mutating func stopScanning() {
    session.stopScanning()
    transmit()
  }

  /// Starts to connect; see `Radio`. `.busy` also when all slots are taken.
  public mutating func connect(to peer: DeviceAddress, _ parameters: ConnectionParameters) throws(RadioError)
  {
    try session.wantConnection(to: peer, parameters, hasRoom: acl.summary().free > 0)
    transmit()
  }

  /// Cancels an attempt to connect; see `Radio`.
  public mutating func cancelConnect() {
    session.cancelConnection()
    transmit()
  }

  /// Ends a connection; see `Radio`. Pending data of it is dropped.
  @inline(never)
  public mutating func disconnect(_ connection: ConnectionID) {
    let index = connection.index
    guard session.state == .ready, index >= 0, index < connections, acl[index].life == .open else { return }
    acl[index].life = .closing
    transmit()
  }

  /// Queues a PDU; see `Radio`. `.invalidParameter` if it is empty.
  public mutating func send(_ pdu: Span<UInt8>, on connection: ConnectionID) throws(RadioError) {
    let index = connection.index
    guard session.state == .ready else { throw .notReady }
    guard index >= 0, index < connections, acl[index].life == .open else { throw .notConnected }
    guard pdu.count <= L2CAPConnection.longestPDU else { throw .tooLong }
    guard pdu.count > 0 else { throw .invalidParameter }
    let slot = acl.slotToSend(index)
    guard slot >= 0 else {
      acl[index].l2cap.wantsReady = true
      throw .busy
    }
    buffers.send(pdu, on: &acl[index].l2cap, index, slot)
    transmit()
  }

  /// Requests the RSSI of a connection; see `Radio`.
  public mutating func readRSSI(_ connection: ConnectionID) {
    let index = connection.index
    guard session.state == .ready, index >= 0, index < connections, acl[index].life == .open else { return }
    acl[index].wantsRSSI = true
    transmit()
  }

  /// Receives, sends, and delivers events; see `Radio`.
  public mutating func poll<Handler: RadioEventHandler & ~Copyable>(
    at now: Instant, into handler: inout Handler
  ) -> Instant {
    self.now = now
    hasBackpressure = false
    let hasMore = receive(into: &handler)
    // Advertisements change no state here: with many of them this is the most frequent path.
    if !isQuiet || now >= quietUntil { runPending(&handler) }
    return hasMore ? now : quietUntil
  }

  /// Does what is due besides receiving. Not inlined, so that the path of advertisements does not carry its
  /// registers and stack.
  @inline(never)
  mutating func runPending<Handler: RadioEventHandler & ~Copyable>(_ handler: inout Handler) {
    if connections > 0, session.endUnsentConnect() { handler.connectionFailed(.cancelled, at: now) }
    if now >= session.overdueAt() || isDisconnectOverdue() {
      counters.count(.commandTimeouts)
      receiver.hunt()
      fail(&handler)
    }
    let mayRestart = isLineUp()
    if session.state == .failed, mayRestart, now >= session.turned {
      restart()
      handler.radioChanged(.starting, at: now)
    }
    transmit()
    offerReady(&handler)
    quietUntil = nextDeadline()
    isQuiet = session.state == .ready && !hasBackpressure
  }

  /// Whether there is a line over which the controller can be reset, as far as is known: the first attempt
  /// shows it. In `.failed`, ends the pause when the line is back, or a byte was received.
  mutating func isLineUp() -> Bool {
    if !Transport.isAlwaysThere, line != .up {
      let found = line
      line = found == .gone ? .up : .gone
      guard found == .gone else { return found == .lost }
      // Bytes received on the former line are not continued on this one.
      receiver.hunt()
      session.resume(at: now, wasReopened: true)
    }
    if session.state == .failed { session.resume(at: now, wasReopened: false) }
    return true
  }

  /// The deadline for the controller's response, and for the end of connections that are being closed.
  @inline(never)
  mutating func overdueAt() -> Instant {
    let command = session.overdueAt()
    return acl.isClosing() ? min(command, disconnectedBy) : command
  }

  /// Whether a connection has not ended in time after Disconnect. Each connection has its deadline: commands
  /// for others do not extend it.
  @inline(never)
  mutating func isDisconnectOverdue() -> Bool {
    guard acl.isClosing(), now >= disconnectedBy else { return false }
    disconnectedBy = now + Self.disconnectTimeout
    return acl.expire()
  }

  mutating func nextDeadline() -> Instant {
    guard session.state != .failed else {
      return Transport.isAlwaysThere || line == .up ? session.turned : now + Self.linePeriod
    }
    var earliest = overdueAt()
    let retryAt = session.retryAt()
    if retryAt > now { earliest = min(earliest, retryAt) }
    if hasOrphan, orphanAt > now { earliest = min(earliest, orphanAt) }
    if hasBackpressure { earliest = min(earliest, now + .milliseconds(2)) }
    return earliest
  }

  /// Enters `.failed`: all connections have ended.
  @inline(never)
  mutating func fail<Handler: RadioEventHandler & ~Copyable>(_ handler: inout Handler) {
    guard session.state != .failed else { return }
    isQuiet = false
    session.fail(at: now, &counters)
    known = .none
    handler.radioChanged(.failed, at: now)
  }

  mutating func restart() {
    session.restart()
    acl.freeAll()
    continuation = ReportContinuation()
    credits = 0
  }

  /// Reports `readyToSend` on connections that refused a PDU as busy.
  mutating func offerReady<Handler: RadioEventHandler & ~Copyable>(_ handler: inout Handler) {
    var index = 0
    while index < connections {
      if acl[index].l2cap.wantsReady, acl[index].life == .open,
        acl.slotToSend(index) >= 0
      {
        acl[index].l2cap.wantsReady = false
        handler.readyToSend(on: ConnectionID(index: index), at: now)
      }
      index &+= 1
    }
  }
}

extension HCIRadio where Transport: ~Copyable {
  /// The group `hci`.
  public static var statisticsName: StaticString { "hci" }
  /// How many counters there are.
  public static var statisticsCount: Int { HCICounter.groupCount }
  /// The name of counter `index`.
  public static func statisticName(_ index: Int) -> StaticWord { StaticWord(index, of: HCICounter.names) }
  /// The value of counter `index`.
  public mutating func statistic(_ index: Int) -> UInt32 {
    guard index >= 0, index < HCICounter.groupCount else { return 0 }
    return index < HCICounter.count ? counters.values[index] : transfers.values[index &- HCICounter.count]
  }
}
