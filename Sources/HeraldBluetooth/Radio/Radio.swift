import HeraldHAL

/// The hardware abstraction of a Bluetooth LE radio, at the level of GAP plus whole ATT PDUs per connection.
///
/// Calls set what the radio has to do and return at once; the radio does it asynchronously and reports
/// through events. Borrowed bytes are copied. Time passes in `poll` only: it processes what was received,
/// sends what can be sent, and passes events to the handler. Nothing here blocks, and no event is delivered
/// outside `poll`.
///
/// The level is chosen so that a link layer on a radio peripheral fits as well as an HCI controller: there
/// are no opcodes, no command credits and no ACL fragments above this line.
public protocol Radio: ~Copyable {
  /// The capabilities of this radio. Final once it is `ready`; conservative before.
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

  /// Scans with these parameters from now on. Every received advertisement is reported, repetitions included.
  mutating func startScanning(_ parameters: ScanParameters) throws(RadioError)
  /// Stops scanning.
  mutating func stopScanning()

  /// Starts to connect to `peer`. The outcome is one `connectionOpened` or `connectionFailed`; the radio has
  /// no timeout of its own, the caller cancels the attempt. One attempt at a time: `.busy` while another is
  /// under way.
  mutating func connect(to peer: DeviceAddress, _ parameters: ConnectionParameters) throws(RadioError)
  /// Cancels the attempt. It still ends with `connectionFailed`, or with `connectionOpened` if the connection
  /// was opened before.
  mutating func cancelConnect()
  /// Ends a connection. `connectionClosed` follows; unknown connections are ignored.
  mutating func disconnect(_ connection: ConnectionID)

  /// Queues one ATT PDU, copying it. `.busy` if the last one has not been sent yet (`readyToSend` follows),
  /// `.notConnected`, or `.tooLong` above `capabilities.maximumPDU`.
  mutating func send(_ pdu: Span<UInt8>, on connection: ConnectionID) throws(RadioError)
  /// Requests the RSSI of a connection; `measured` follows if the radio can.
  mutating func readRSSI(_ connection: ConnectionID)

  /// The time in ms for which the receiver was on since the start, for any purpose, modulo 2³²; `nil` if the
  /// radio does not count it.
  mutating func receivingTime() -> UInt32?

  /// Processes input and output and delivers events. Returns when to poll again at the latest, even if
  /// nothing is received (`.never` if there is no deadline).
  mutating func poll<Handler: RadioEventHandler & ~Copyable>(at now: Instant, into handler: inout Handler)
    -> Instant
}

extension Radio where Self: ~Copyable {
  /// `nil`.
  @inline(__always) public mutating func receivingTime() -> UInt32? { nil }
}

/// What a radio reports, in the order it happened. Bytes are borrowed for the duration of the call.
public protocol RadioEventHandler: ~Copyable {
  /// Whether it uses scanning. Otherwise the image contains no code for advertising reports.
  static var isObserver: Bool { get }
  /// The radio became usable, or stopped being so; on `.failed` and `.starting` all connections have ended
  /// without further events, and all commands must be repeated when it is `.ready`.
  mutating func radioChanged(_ state: RadioState, at now: Instant)
  /// One advertisement or scan response was received.
  mutating func received(_ report: AdvertisingReport, data: Span<UInt8>, at now: Instant)
  /// A connection was opened, by this device or by a peer.
  mutating func connectionOpened(_ opened: ConnectionOpened, at now: Instant)
  /// The attempt to connect ended without a connection.
  mutating func connectionFailed(_ reason: DisconnectReason, at now: Instant)
  /// A connection ended.
  mutating func connectionClosed(_ connection: ConnectionID, _ reason: DisconnectReason, at now: Instant)
  /// An ATT PDU was received in the first `count` bytes of `buffer`, which has room for the longest PDU. The
  /// return value is the length of a response the handler has written over it, 0 for none: a response needs
  /// no further memory.
  mutating func pduReceived(
    _ buffer: inout MutableSpan<UInt8>, count: Int, on connection: ConnectionID, at now: Instant
  ) -> Int
  /// A connection that refused a PDU as `.busy` accepts one now.
  mutating func readyToSend(on connection: ConnectionID, at now: Instant)
  /// The RSSI of a connection in dBm.
  mutating func measured(_ rssi: RSSI, on connection: ConnectionID, at now: Instant)
}

extension RadioEventHandler where Self: ~Copyable {
  /// `true`.
  @inline(__always) public static var isObserver: Bool { true }
}

/// Whether a radio can be used.
public enum RadioState: UInt8, BitwiseCopyable, Sendable {
  /// Not ready yet, or starting again after a failure.
  case starting = 0
  /// Ready for work.
  case ready = 1
  /// The controller is absent or does not respond.
  case failed = 2
}

/// The capabilities of a radio, to which its user adapts.
public struct RadioCapabilities: BitwiseCopyable, Sendable {
  /// The radio can advertise at all.
  public var canAdvertise: Bool
  /// The radio can advertise connectably while a connection is open.
  public var canAdvertiseWhileConnected: Bool
  /// The radio can scan while a connection attempt is under way.
  public var canScanWhileConnecting: Bool
  /// The radio can open connections.
  public var canConnect: Bool
  /// How many connections it holds at once.
  public var connections: Int
  /// The longest ATT PDU it supports (its ATT_MTU), 23 or more.
  public var maximumPDU: Int
  /// The controller's own public address; `.zero` if it has none.
  public var publicAddress: DeviceAddress

  /// Initialises each member.
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

/// The reason why a radio refused a call.
public enum RadioError: Error, BitwiseCopyable, Sendable {
  /// The radio is not ready.
  case notReady
  /// The last such request is still in progress.
  case busy
  /// There is no such connection.
  case notConnected
  /// The data is longer than the radio supports.
  case tooLong
  /// A parameter is outside its range.
  case invalidParameter
  /// The radio does not support the call.
  case unsupported
}
