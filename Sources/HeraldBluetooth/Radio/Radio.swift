import HeraldHAL

/// The hardware abstraction of a Bluetooth LE radio, at the level of GAP plus whole ATT PDUs per connection.
///
/// Calls state what is wanted and return at once; the radio gets there in its own time and reports through
/// events. What a call borrows it copies. `poll` is the only way time passes: it takes in what arrived, sends
/// what may be sent, and hands events to the handler. Nothing here blocks and nothing calls back outside
/// `poll`.
///
/// The level is chosen so that a link layer on a radio peripheral fits as well as an HCI controller: there
/// are no opcodes, no command credits and no ACL fragments above this line.
public protocol Radio: ~Copyable {
  /// What this radio can do. Known once it is `ready`; conservative before.
  var capabilities: RadioCapabilities { get }
  /// Whether the radio can be used.
  var state: RadioState { get }

  /// Advertises with these parameters and data from now on, replacing whatever was advertised before. The own
  /// address and the data change in one step: no packet goes out with the old one of either and the new one
  /// of the other. `data` and `scanResponse` hold at most 31 bytes each.
  mutating func startAdvertising(
    _ parameters: AdvertisingParameters, data: Span<UInt8>, scanResponse: Span<UInt8>
  ) throws(RadioError)
  /// Stops advertising.
  mutating func stopAdvertising()

  /// Scans with these parameters from now on. Every advertisement is reported each time it is heard.
  mutating func startScanning(_ parameters: ScanParameters) throws(RadioError)
  /// Stops scanning.
  mutating func stopScanning()

  /// Starts to connect to `peer`. The outcome is one `connectionOpened` or `connectionFailed`; the radio has
  /// no timeout of its own, the caller cancels. One attempt at a time: `.busy` while another is under way.
  mutating func connect(to peer: DeviceAddress, _ parameters: ConnectionParameters) throws(RadioError)
  /// Gives the attempt up. It still ends with `connectionFailed`, or with `connectionOpened` if that won the
  /// race.
  mutating func cancelConnect()
  /// Ends a connection. `connectionClosed` follows; unknown connections are ignored.
  mutating func disconnect(_ connection: ConnectionID)

  /// Queues one ATT PDU, copying it. `.busy` if the last one has not left yet (`readyToSend` follows),
  /// `.notConnected`, or `.tooLong` above `capabilities.maximumPDU`.
  mutating func send(_ pdu: Span<UInt8>, on connection: ConnectionID) throws(RadioError)
  /// Requests the RSSI of a connection; `measured` follows if the radio can.
  mutating func readRSSI(_ connection: ConnectionID)

  /// Processes input and output and delivers events. Returns when to poll again at the latest, even if
  /// nothing arrives (`.never` if it has no such wish).
  mutating func poll<Handler: RadioEventHandler & ~Copyable>(at now: Instant, into handler: inout Handler)
    -> Instant
}

/// What a radio reports, in the order it happened. Bytes are borrowed for the duration of the call.
public protocol RadioEventHandler: ~Copyable {
  /// Whether it ever has the radio scan. Without that an image has no code for advertising reports.
  static var isObserver: Bool { get }
  /// The radio became usable, or stopped being so; on `.failed` and `.starting` all connections are gone
  /// without further events, and what was wanted must be stated again when it is `.ready`.
  mutating func radioChanged(_ state: RadioState, at now: Instant)
  /// One advertisement or scan response was heard.
  mutating func received(_ report: AdvertisingReport, data: Span<UInt8>, at now: Instant)
  /// A connection was opened, by us or by a peer.
  mutating func connectionOpened(_ opened: ConnectionOpened, at now: Instant)
  /// The attempt to connect ended without a connection.
  mutating func connectionFailed(_ reason: DisconnectReason, at now: Instant)
  /// A connection ended.
  mutating func connectionClosed(_ connection: ConnectionID, _ reason: DisconnectReason, at now: Instant)
  /// An ATT PDU arrived in the first `count` bytes of `buffer`, which has room for the longest PDU. The
  /// return value is the length of a response the handler has written over it, 0 for none: a response never
  /// waits for memory.
  mutating func pduReceived(
    _ buffer: inout MutableSpan<UInt8>, count: Int, on connection: ConnectionID, at now: Instant
  ) -> Int
  /// A connection that refused a PDU as `.busy` takes one now.
  mutating func readyToSend(on connection: ConnectionID, at now: Instant)
  /// The RSSI of a connection in dBm.
  mutating func measured(_ rssi: RSSI, on connection: ConnectionID, at now: Instant)
}

extension RadioEventHandler where Self: ~Copyable {
  /// `true`.
  @inlinable @inline(__always) public static var isObserver: Bool { true }
}

/// Whether a radio can be used.
public enum RadioState: UInt8, BitwiseCopyable, Sendable {
  /// Not ready yet, or starting again after a failure.
  case starting = 0
  /// Ready for work.
  case ready = 1
  /// The controller went away or does not answer.
  case failed = 2
}

/// What a radio can do. The coordinator adapts to it.
public struct RadioCapabilities: BitwiseCopyable, Sendable {
  /// It can advertise at all.
  public var canAdvertise: Bool
  /// It can advertise connectably while a connection is open.
  public var canAdvertiseWhileConnected: Bool
  /// It can scan while a connection attempt is under way.
  public var canScanWhileConnecting: Bool
  /// It can open connections.
  public var canConnect: Bool
  /// How many connections it holds at once.
  public var connections: Int
  /// The longest ATT PDU it carries (its ATT_MTU), 23 or more.
  public var maximumPDU: Int
  /// The controller's own public address; `.zero` if it has none.
  public var publicAddress: DeviceAddress

  /// Capabilities, stated one by one.
  public init(
    canAdvertise: Bool, canAdvertiseWhileConnected: Bool, canScanWhileConnecting: Bool, canConnect: Bool,
    connections: Int, maximumPDU: Int, publicAddress: DeviceAddress
  ) {
    self.canAdvertise = canAdvertise
    self.canAdvertiseWhileConnected = canAdvertiseWhileConnected
    self.canScanWhileConnecting = canScanWhileConnecting
    self.canConnect = canConnect
    self.connections = connections
    self.maximumPDU = maximumPDU
    self.publicAddress = publicAddress
  }
}

/// Why a radio refused a call.
public enum RadioError: Error, BitwiseCopyable, Sendable {
  /// The radio is not ready.
  case notReady
  /// It is still at the last such request.
  case busy
  /// There is no such connection.
  case notConnected
  /// The data is longer than it carries.
  case tooLong
  /// A parameter is outside its range.
  case invalidParameter
  /// It cannot do this at all.
  case unsupported
}
