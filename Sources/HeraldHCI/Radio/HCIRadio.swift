import HeraldEmbedded

/// A radio behind any controller that speaks HCI over H4, with room for `connections` connections.
public struct HCIRadio<Transport: HCITransport & ~Copyable, let connections: Int>: Radio, StatisticsSource,
  ~Copyable
{
  /// The line to the controller: whoever waits for events asks it what to wait for. Reading and writing are the radio's.
  public var transport: Transport

  /// A radio over `transport`. It is `.starting` until `poll` has brought the controller up.
  @inlinable
  public init(transport: consuming Transport) {
    self.transport = transport
  }

  /// What the controller can do; nothing before it is ready.
  public var capabilities: RadioCapabilities {
    RadioCapabilities(
      canAdvertise: false, canAdvertiseWhileConnected: false, canScanWhileConnecting: false,
      canConnect: false,
      connections: 0, maximumPDU: 23, publicAddress: .zero)
  }
  /// Whether the controller has been brought up.
  public var state: RadioState { .starting }

  /// Advertises from now on; see `Radio`.
  public mutating func startAdvertising(
    _ parameters: AdvertisingParameters, data: Span<UInt8>, scanResponse: Span<UInt8>
  ) throws(RadioError) { throw .notReady }
  /// Stops advertising; see `Radio`.
  public mutating func stopAdvertising() {}
  /// Scans from now on; see `Radio`.
  public mutating func startScanning(_ parameters: ScanParameters) throws(RadioError) { throw .notReady }
  /// Stops scanning; see `Radio`.
  public mutating func stopScanning() {}
  /// Starts to connect; see `Radio`.
  public mutating func connect(to peer: DeviceAddress, _ parameters: ConnectionParameters) throws(RadioError)
  {
    throw .notReady
  }
  /// Gives an attempt to connect up; see `Radio`.
  public mutating func cancelConnect() {}
  /// Ends a connection; see `Radio`.
  public mutating func disconnect(_ connection: ConnectionID) {}
  /// Queues a PDU; see `Radio`.
  public mutating func send(_ pdu: Span<UInt8>, on connection: ConnectionID) throws(RadioError) {
    throw .notReady
  }
  /// Asks for the strength of a connection; see `Radio`.
  public mutating func readRSSI(_ connection: ConnectionID) {}

  /// Takes in, sends out, hands over events; see `Radio`.
  public mutating func poll<Handler: RadioEventHandler & ~Copyable>(
    at now: Instant, into handler: inout Handler
  ) -> Instant { .never }

  /// The group `hci`.
  public static var statisticsName: StaticString { "hci" }
  /// How many counters there are.
  public static var statisticsCount: Int { 0 }
  /// The name of a counter.
  public static func statisticName(_ index: Int) -> StaticString { "" }
  /// The value of a counter.
  public func statistic(_ index: Int) -> UInt32 { 0 }
}
