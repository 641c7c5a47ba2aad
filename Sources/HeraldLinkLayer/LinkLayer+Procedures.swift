import HeraldBluetooth
import HeraldHAL

// Called by the host, with `procedures` held off.
extension LinkLayer where Peripheral: ~Copyable {
  /// Starts a feature exchange as central, or repeats the result of an earlier one; `.features` follows. As
  /// peripheral the features are known after a feature exchange by the central. Errors: `.notConnected`,
  /// `.busy` while an exchange is in progress, `.unsupported` as peripheral before an exchange: Bluetooth 4.0
  /// does not permit a peripheral to start it.
  public mutating func readFeatures(_ connection: Int) throws(RadioError) {
    guard isOpen(connection) else { throw .notConnected }
    if exchange.table[connection].own.knowsFeatures {
      exchange.table[connection].own.status = 0
      exchange.table[connection].own.finished.insert(.features)
      return
    }
    try checkCentral(connection)
    try start(.features, connection)
  }

  /// Starts a version exchange, or repeats the result of an earlier one; `.version` follows. Errors:
  /// `.notConnected`, `.busy` while one is in progress.
  public mutating func readVersion(_ connection: Int) throws(RadioError) {
    guard isOpen(connection) else { throw .notConnected }
    try start(.version, connection)
  }

  /// Starts a connection update as central: the connection interval in units of 1.25 ms, the peripheral
  /// latency, and the supervision timeout in units of 10 ms. `.updated` follows at the instant. Errors:
  /// `.notConnected`, `.invalidParameter`, `.busy` while one is in progress, `.unsupported` as peripheral.
  public mutating func update(
    _ connection: Int, interval: UInt16, latency: UInt16, timeout: UInt16
  ) throws(RadioError) {
    try checkCentral(connection)
    let times = ConnectionTimes(
      windowSize: 1, windowOffset: 0, interval: interval, latency: latency, timeout: timeout)
    guard times.isValid else { throw .invalidParameter }
    guard !exchange.table[connection].timing.hasProposal else { throw .busy }
    exchange.table[connection].timing.propose(times)
    try start(.update, connection)
  }

  /// Sets the data channels for connections in which this device is the central: those to be created, and by
  /// channel map updates the existing ones. Error: `.invalidParameter` for fewer than two channels.
  public mutating func use(_ channels: ChannelMap) throws(RadioError) {
    guard channels.isValid else { throw .invalidParameter }
    self.channels = channels
    var index = 0
    while index < connections {
      if exchange.table[index].life == .open, exchange.table[index].role == .central {
        exchange.table[index].own.wanted.insert(.channelMap)
      }
      index &+= 1
    }
  }

  private mutating func checkCentral(_ connection: Int) throws(RadioError) {
    guard isOpen(connection) else { throw .notConnected }
    guard exchange.table[connection].role == .central else { throw .unsupported }
  }

  /// The procedure begins in the next event of the connection.
  private mutating func start(_ procedure: ProcedureSet, _ connection: Int) throws(RadioError) {
    let own = exchange.table[connection].own
    guard !own.wanted.contains(procedure), own.awaited != procedure else { throw .busy }
    exchange.table[connection].own.wanted.insert(procedure)
    hasten(connection)
  }

  /// Removes and returns the next result of a control procedure. The results of a connection that has ended
  /// are not reported.
  public mutating func takeResult() -> LinkLayerResult? { exchange.table.takeResult() }
}
