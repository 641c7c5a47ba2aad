import HeraldBluetooth
import HeraldHAL

// Called by the host, with `procedures` held off.
extension LinkLayer where Peripheral: ~Copyable {
  /// Starts advertising and replaces the previous advertising. `milliseconds` is the advertising interval,
  /// 20…10,240, to which a random delay of up to 10 ms is added. `data` and `response` have at most 31 bytes.
  /// A connection created from an advertising event ends the advertising.
  ///
  /// Errors: `.invalidParameter`, `.tooLong`; for connectable advertising `.unsupported` if the link layer
  /// has no capacity for connections, `.busy` if all connections are in use.
  public mutating func advertise(
    _ type: AdvertisingType, as address: DeviceAddress, every milliseconds: UInt32, data: Span<UInt8>,
    response: Span<UInt8>
  ) throws(RadioError) {
    guard milliseconds >= 20, milliseconds <= 10_240 else { throw .invalidParameter }
    guard let data = InlineBytes<31>(data), let response = InlineBytes<31>(response) else { throw .tooLong }
    switch type {
    case .connectable, .directed:
      guard connections > 0 else { throw .unsupported }
      guard freeIndex() >= 0 else { throw .busy }
    case .scannable, .nonConnectable: break
    }
    advertising.set(type)
    advertising.address = address
    advertising.data = data
    advertising.response = response
    startAdvertising(every: milliseconds &* 1000)
  }

  /// Starts advertising with the settings in `advertising` and an interval in microseconds.
  mutating func startAdvertising(every interval: UInt32) {
    // In high duty cycle the three channels are repeated within 3.75 ms (4.4.2.4.1).
    advertising.interval = advertising.isHighDuty ? 3000 : interval
    advertisingTimes.start(
      advertising.address, continues: isAdvertising, chance: random.next(), at: exchange.radio.now())
    isAdvertising = true
    reschedule()
  }

  /// Stops advertising. An event in progress is completed.
  public mutating func stopAdvertising() {
    isAdvertising = false
    if exchange.activity == .advertising { reschedule() }
  }

  /// Starts scanning with a scan window of `window` in each scan interval of `interval` milliseconds,
  /// 3…10,240. Each received advertisement is reported; a directed one only if its target is `address`.
  /// Error: `.invalidParameter`.
  public mutating func scan(
    active isActive: Bool, as address: DeviceAddress, every interval: UInt32, for window: UInt32
  ) throws(RadioError) {
    guard interval <= 10_240, window >= 3, window <= interval else { throw .invalidParameter }
    scanning.isActive = isActive
    scanning.filters = false
    scanning.address = address
    scanning.interval = interval &* 1000
    scanning.window = window &* 1000
    startScanning()
  }

  /// Starts scanning with the settings in `scanning`.
  mutating func startScanning() {
    scanning.isOn = true
    backoff = ScanBackoff()
    scanInterval.start = exchange.radio.now()
    reschedule()
  }

  /// Stops scanning.
  public mutating func stopScanning() {
    scanning.isOn = false
    if exchange.activity == .scanning { reschedule() }
  }

  /// Initiates a connection to `peer`, with a connection interval in units of 1.25 ms and a supervision
  /// timeout in units of 10 ms. Errors: `.busy` while another initiation is in progress or all connections
  /// are in use, `.invalidParameter`.
  public mutating func connect(
    to peer: DeviceAddress, as address: DeviceAddress, interval: UInt16, timeout: UInt16
  ) throws(RadioError) {
    try initiate(to: peer, as: address, interval: interval, latency: 0, timeout: timeout)
  }

  /// Initiates a connection to `peer`, or to any device in the filter accept list if it is `nil`; see
  /// `connect`.
  mutating func initiate(
    to peer: DeviceAddress?, as address: DeviceAddress, interval: UInt16, latency: UInt16, timeout: UInt16
  ) throws(RadioError) {
    guard connections > 0 else { throw .unsupported }
    guard !initiating.isOn, freeIndex() >= 0 else { throw .busy }
    let times = ConnectionTimes(
      windowSize: 2, windowOffset: 0, interval: interval, latency: latency, timeout: timeout)
    guard times.isValid else { throw .invalidParameter }
    let request = ConnectRequest(
      initiator: address, advertiser: peer ?? .zero, accessAddress: exchange.table.newAccessAddress(&random),
      crcInit: random.next() & 0xFF_FFFF, times: times, channels: channels,
      hop: 5 &+ UInt8(truncatingIfNeeded: random.next() % 12),
      clockAccuracy: ClockAccuracy(partsPerMillion: exchange.radio.clockDeviation))
    var writer = ByteWriter(exchange.initiation.mutableSpan)
    request.write(to: &writer)
    initiating.begin(request, usesList: peer == nil)
    if !scanning.isOn { scanInterval.start = exchange.radio.now() }
    reschedule()
  }

  /// Cancels initiating. `.connectFailed` follows, or `.opened` if the CONNECT_IND is already being
  /// transmitted.
  public mutating func cancelConnect() {
    guard initiating.isOn else { return }
    if exchange.activity == .scanning {
      guard !exchange.isDone, exchange.cancel(&counters) else {
        // The operation in progress may be the transmission of the CONNECT_IND. Otherwise initiating has
        // ended.
        initiating.isCancelled = true
        return
      }
    }
    failConnecting(.cancelled)
    reschedule()
  }

  mutating func failConnecting(_ reason: DisconnectReason) {
    initiating.fail(reason)
  }

  /// Ends a connection: `.closed` follows when the peer has acknowledged LL_TERMINATE_IND, or after the
  /// supervision timeout. The peer receives `reason`. Queued payloads may be lost.
  public mutating func disconnect(_ connection: Int, reason: DisconnectReason = .remoteUserTerminated) {
    guard isOpen(connection), !exchange.table[connection].hasDeadline else { return }
    exchange.table[connection].terminationReason = reason.rawValue
    exchange.table[connection].wantsTermination = true
    hasten(connection)
  }

  /// Data is pending for a connection: its next event is not skipped. If a later operation is already
  /// scheduled, it is cancelled so that the data is included.
  mutating func hasten(_ connection: Int) {
    let soonest = exchange.radio.now() + Self.restartTime
    if exchange.activity == .connection, Int(exchange.connectionEvent.connection) == connection {
      guard !exchange.isDone, !eventStart.isBefore(soonest), exchange.cancel(&counters) else { return }
    }
    exchange.table[connection].timing.recall(after: soonest)
    reschedule()
  }

  /// Queues a payload of 1…27 bytes, the start or a continuation of an L2CAP PDU. An event of the connection
  /// that is in progress transmits it after `publish`. Errors: `.busy` if three payloads are queued already,
  /// followed by `.ready`; `.notConnected`, `.tooLong`, `.invalidParameter`.
  public mutating func send(_ payload: Span<UInt8>, isStart: Bool, on connection: Int) throws(RadioError) {
    guard isOpen(connection), !exchange.table[connection].wantsTermination,
      !exchange.table[connection].hasDeadline
    else {
      throw .notConnected
    }
    guard payload.count > 0 else { throw .invalidParameter }
    guard payload.count <= DataHeader.longestPayload else { throw .tooLong }
    guard exchange.table[connection].data.append(payload, isStart: isStart) else {
      exchange.table[connection].wantsReady = true
      throw .busy
    }
    hasten(connection)
  }

  /// The RSSI of the peer's last packet in dBm; 127 if unknown.
  public mutating func rssi(_ connection: Int) -> Int8 {
    isOpen(connection) ? exchange.table[connection].rssi : 127
  }

  mutating func isOpen(_ connection: Int) -> Bool {
    connection >= 0 && connection < connections && exchange.table[connection].life == .open
  }

  /// Removes and returns the oldest advertisement or scan response.
  public mutating func takeReport() -> ReceivedPDU? { reports.popFirst() }

  /// Removes and returns the next event. The end of a connection is reported after its payloads have been
  /// taken.
  public mutating func takeEvent() -> LinkLayerEvent? {
    if let failure = initiating.takeFailure() { return failure }
    if owesDirectedTimeout {
      owesDirectedTimeout = false
      return .directedAdvertisingEnded
    }
    let event = exchange.table.takeEvent(hasPayloads: !exchange.payloads.isEmpty)
    if case .closed(let connection, let reason)? = event, reason == .failedToBeEstablished,
      exchange.table[connection].role == .central
    {
      counters.count(.lost, .initiator)
    }
    return event
  }

  /// Passes the oldest received payload to `body`, with its connection and whether it is the start of an
  /// L2CAP PDU. Returns `false` if there is none.
  public mutating func takePayload(
    _ body: (_ connection: Int, _ isStart: Bool, _ payload: Span<UInt8>) -> Void
  ) -> Bool {
    guard let fragment = takeDataPayload() else { return false }
    body(
      Int(fragment.connection), fragment.isStart, fragment.bytes.span.extracting(first: Int(fragment.count)))
    return true
  }
}
