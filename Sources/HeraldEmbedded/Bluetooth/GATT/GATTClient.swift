/// The client side of GATT on one connection: one procedure at a time, one request outstanding at a time.
///
/// Call `begin`, send what `nextRequest` writes, hand what `receive` is for to it, and again `nextRequest`, until an event
/// ends the procedure. Before each wait `deadline` says until when; past it, call `expire`. Nothing here sends, waits or reads a clock.
/// All state fits in 64 bytes and is zero bits when idle.
public struct GATTClient: BitwiseCopyable, Sendable {
  /// A client with nothing to do. Also what to assign when a connection was opened.
  public init() {}

  /// Whether a procedure is under way.
  public var isBusy: Bool { false }

  /// Whether a transaction was left without an answer, or got a wrong one: the connection cannot carry requests any more
  /// (Vol 3, Part F, 3.3.3) and is best closed.
  public var isBroken: Bool { false }

  /// When `expire` is to be called; `.never` when nothing is awaited.
  public var deadline: Instant { .never }

  /// Starts a procedure. `stepTimeout` is how long each of its requests may wait for the answer, 30 s at most. Returns
  /// `false`, changing nothing, while another is under way or the connection is broken.
  public mutating func begin(
    _ procedure: GATTProcedure, stepTimeout: Interval = ATTLimits.transactionTimeout
  ) -> Bool { false }

  /// Writes the request to send now into `buffer`, sets the deadline, and returns its length; 0 if there is none to send.
  /// `mtu` is the connection's ATT_MTU (`ATTServer.mtu`); `value` is the whole value of a `write`, the same
  /// at each call, and is ignored by the other procedures.
  public mutating func nextRequest(
    into buffer: inout MutableSpan<UInt8>, mtu: Int, value: Span<UInt8>, at now: Instant
  ) -> Int { 0 }

  /// Takes a PDU whose opcode `isForClient`. For `.indication` the caller answers with the one byte `GATTClient.confirmation`.
  public mutating func receive(_ pdu: Span<UInt8>, mtu: Int) -> GATTClientEvent { .none }

  /// Fails the procedure if its deadline is past: `.failed(.timeout)`, else `.none`.
  public mutating func expire(at now: Instant) -> GATTClientEvent { .none }

  /// Gives the procedure up. If a request is outstanding the client is broken from then on.
  public mutating func cancel() {}

  /// The PDU that confirms an indication: this one byte.
  public static var confirmation: UInt8 { 0x1E }
}
