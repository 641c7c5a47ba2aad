import HeraldBluetooth
import HeraldHAL

/// `Radio` over a link layer in the same processor.
///
/// It adds to the link layer what HCI's host side adds to a controller: L2CAP PDUs are divided into payloads
/// and reassembled, the signalling channel and the Security Manager are answered, and advertising continues
/// after a connection was opened or closed, connectable while a connection is free and scannable otherwise.
///
/// **Memory.** The link layer is in static memory of its own, where the interrupt handlers find it; the radio
/// has a pointer to it. The compiler therefore assumes that its memory may change in every call, and no
/// access through `LinkLayerRadio` conflicts with one of an interrupt handler. `Hold` keeps `procedures` away
/// during each access.
///
/// **Wake-up.** Everything that `poll` has to process was put there by `LinkLayer.procedures`. The loop polls
/// again after an interrupt; `poll` itself returns a time only if it has left something.
public struct LinkLayerRadio<
  Peripheral: RadioPeripheral & ~Copyable, Hold: ProceduresHold & ~Copyable, let connections: Int
>: ~Copyable {
  /// The link layer. It belongs to the caller of `init`, and exists for as long as the radio.
  public let layer: UnsafeMutablePointer<LinkLayer<Peripheral, connections>>
  var procedures: Hold
  /// The public device address; `.zero` if there is none.
  let publicAddress: DeviceAddress
  var isStarted: Bool
  // Advertising as the host requests it.
  var wantsAdvertising: Bool
  var isConnectable: Bool
  var hasScanResponse: Bool
  /// The link layer advertises, with ADV_IND.
  var advertisesConnectably: Bool
  var all: [connections of HostConnection]
  var buffers: L2CAPBuffers<connections>
  var counters: L2CAPCounters

  /// A radio over `layer`.
  public init(
    _ layer: UnsafeMutablePointer<LinkLayer<Peripheral, connections>>, hold: consuming Hold,
    publicAddress: DeviceAddress = .zero
  ) {
    self.layer = layer
    procedures = hold
    self.publicAddress = publicAddress
    isStarted = false
    wantsAdvertising = false
    isConnectable = false
    hasScanResponse = false
    advertisesConnectably = false
    all = .init(repeating: HostConnection())
    buffers = L2CAPBuffers()
    counters = L2CAPCounters()
  }

  /// The connection with this identifier, if it is open; −1 otherwise.
  mutating func tableIndex(_ connection: ConnectionID) -> Int {
    let index = connection.index
    return index >= 0 && index < connections && all[index].life == .open ? index : -1
  }

  /// Whether no other connection uses the shared buffer.
  mutating func hasSpare(_ index: Int) -> Bool {
    var other = 0
    while other < connections {
      if other != index, all[other].life == .open, all[other].l2cap.slots[1].use != .free { return false }
      other &+= 1
    }
    return true
  }

  /// The slot for a PDU of the host on a connection; −1 if there is none at present.
  mutating func slotToSend(_ index: Int) -> Int {
    all[index].l2cap.slotToSend(hasSpare: hasSpare(index), isWaiting: all[index].isBlocked)
  }

  /// Starts, continues or stops advertising as the host has requested and as free connections permit.
  /// Initiating reserves a connection.
  mutating func adaptAdvertising() {
    guard wantsAdvertising else { return }
    procedures.hold()
    let accepts = isConnectable && layer.pointee.acceptsConnections
    if !layer.pointee.isAdvertising || accepts != advertisesConnectably {
      layer.pointee.continueAdvertising(
        accepts ? .connectable : isConnectable || hasScanResponse ? .scannable : .nonConnectable)
      advertisesConnectably = accepts
    }
    procedures.release()
  }
}

extension LinkLayerRadio: Radio where Peripheral: ~Copyable, Hold: ~Copyable {
  /// The capabilities of the link layer.
  public var capabilities: RadioCapabilities {
    // Inlined, as `state`: a call copies the whole radio to the stack.
    @inline(__always)
    get {
      RadioCapabilities(
        canAdvertise: true, canAdvertiseWhileConnected: true, canScanWhileConnecting: true,
        canConnect: connections > 0, connections: connections, maximumPDU: L2CAPConnection.longestPDU,
        publicAddress: publicAddress)
    }
  }

  /// `.ready` from the first call of `poll`.
  public var state: RadioState {
    @inline(__always) get { isStarted ? .ready : .starting }
  }

  /// Advertises from now on; see `Radio`. `.unsupported` for connectable advertising without connections.
  @inline(never)
  public mutating func startAdvertising(
    _ parameters: AdvertisingParameters, data: Span<UInt8>, scanResponse: Span<UInt8>
  ) throws(RadioError) {
    guard isStarted else { throw .notReady }
    guard connections > 0 || !parameters.connectable else { throw .unsupported }
    procedures.hold()
    defer { procedures.release() }
    let accepts = parameters.connectable && layer.pointee.acceptsConnections
    let isScannable = parameters.connectable || scanResponse.count > 0
    try layer.pointee.advertise(
      accepts ? .connectable : isScannable ? .scannable : .nonConnectable, as: parameters.ownAddress,
      every: parameters.interval.milliseconds, data: data, response: scanResponse)
    wantsAdvertising = true
    isConnectable = parameters.connectable
    hasScanResponse = scanResponse.count > 0
    advertisesConnectably = accepts
  }

  /// Stops advertising.
  public mutating func stopAdvertising() {
    wantsAdvertising = false
    procedures.hold()
    layer.pointee.stopAdvertising()
    procedures.release()
  }

  /// Scans from now on; see `Radio`.
  @inline(never)
  public mutating func startScanning(_ parameters: ScanParameters) throws(RadioError) {
    guard isStarted else { throw .notReady }
    procedures.hold()
    defer { procedures.release() }
    try layer.pointee.scan(
      active: parameters.active, as: parameters.ownAddress, every: parameters.interval.milliseconds,
      for: parameters.window.milliseconds)
  }

  /// Stops scanning.
  public mutating func stopScanning() {
    procedures.hold()
    layer.pointee.stopScanning()
    procedures.release()
  }

  /// Initiates a connection; see `Radio`. `.busy` also when all connections are in use.
  @inline(never)
  public mutating func connect(to peer: DeviceAddress, _ parameters: ConnectionParameters) throws(RadioError)
  {
    guard isStarted else { throw .notReady }
    procedures.hold()
    defer {
      procedures.release()
      adaptAdvertising()
    }
    try layer.pointee.connect(
      to: peer, as: parameters.ownAddress, interval: parameters.interval,
      timeout: parameters.supervisionTimeout)
  }

  /// Cancels initiating; see `Radio`.
  public mutating func cancelConnect() {
    procedures.hold()
    layer.pointee.cancelConnect()
    procedures.release()
  }

  /// Ends a connection; see `Radio`. Its pending PDUs are discarded.
  public mutating func disconnect(_ connection: ConnectionID) {
    let index = tableIndex(connection)
    guard index >= 0 else { return }
    all[index].life = .closing
    procedures.hold()
    layer.pointee.disconnect(index)
    procedures.release()
  }

  /// Queues a PDU; see `Radio`. `.invalidParameter` if it is empty.
  public mutating func send(_ pdu: Span<UInt8>, on connection: ConnectionID) throws(RadioError) {
    let index = tableIndex(connection)
    guard index >= 0 else { throw .notConnected }
    guard pdu.count <= L2CAPConnection.longestPDU else { throw .tooLong }
    guard pdu.count > 0 else { throw .invalidParameter }
    let slot = slotToSend(index)
    guard slot >= 0 else {
      all[index].l2cap.wantsReady = true
      throw .busy
    }
    buffers.send(pdu, on: &all[index].l2cap, index, slot)
    transmit(index)
  }

  /// Requests the RSSI of the last packet of a connection; see `Radio`.
  public mutating func readRSSI(_ connection: ConnectionID) {
    let index = tableIndex(connection)
    if index >= 0 { all[index].wantsRSSI = true }
  }

  /// The time for which the link layer has received, in all roles; see `Radio`.
  public mutating func receivingTime() -> UInt32? {
    procedures.hold()
    defer { procedures.release() }
    return layer.pointee.counters.receivingTime()
  }

  /// Passes events, advertisements and PDUs to the handler, and PDUs to the link layer; see `Radio`.
  public mutating func poll<Handler: RadioEventHandler & ~Copyable>(
    at now: Instant, into handler: inout Handler
  ) -> Instant {
    if !isStarted {
      isStarted = true
      handler.radioChanged(.ready, at: now)
    }
    takeEvents(&handler, at: now)
    let hasReports = Handler.isObserver && takeReports(&handler, at: now)
    var hasMore = hasReports
    if connections > 0 {
      if takePayloads(&handler, at: now) { hasMore = true }
      runPending(&handler, at: now)
    }
    adaptAdvertising()
    return hasMore ? now : .never
  }
}

extension LinkLayerRadio: StatisticsSource where Peripheral: ~Copyable, Hold: ~Copyable {
  /// The name of the statistics group: that of the link layer.
  public static var statisticsName: StaticString { LinkLayer<Peripheral, connections>.statisticsName }
  /// The number of counters: those of the link layer, then those of L2CAP.
  public static var statisticsCount: Int {
    LinkLayer<Peripheral, connections>.statisticsCount &+ L2CAPCounter.count
  }
  /// The name of counter `index`.
  public static func statisticName(_ index: Int) -> StaticWord {
    let first = LinkLayer<Peripheral, connections>.statisticsCount
    return index < first
      ? LinkLayer<Peripheral, connections>.statisticName(index)
      : StaticWord(index &- first, of: L2CAPCounter.names)
  }
  /// The value of counter `index`.
  public mutating func statistic(_ index: Int) -> UInt32 {
    let counter = index &- LinkLayer<Peripheral, connections>.statisticsCount
    guard counter >= 0 else {
      procedures.hold()
      defer { procedures.release() }
      return layer.pointee.statistic(index)
    }
    return counter < L2CAPCounter.count ? counters.values[counter] : 0
  }

  /// The number of roles, each of which has a group.
  public static var statisticsRoles: Int { LinkLayerRole.count }
  /// The name of the group of a role: `advertiser`, `scanner`, `initiator`, `peripheral` or `central`.
  public static func statisticsRoleName(_ role: Int) -> StaticString { LinkLayerRole.name(role) }
  /// The number of counters of each role: those of `LinkLayerCounter`.
  public static var roleStatisticsCount: Int { LinkLayerCounters.count }
  /// The name of counter `index` of each role.
  public static func roleStatisticName(_ index: Int) -> StaticWord {
    StaticWord(index, of: LinkLayerCounters.roleNames)
  }
  /// The value of counter `index` of a role.
  public mutating func roleStatistic(_ index: Int, of role: Int) -> UInt32 {
    procedures.hold()
    defer { procedures.release() }
    return layer.pointee.counters.value(index, of: role)
  }
}
