/// The client side of GATT on one connection: one procedure at a time, one request outstanding at a time.
///
/// Call `begin`, send what `nextRequest` writes, hand `receive` every PDU that is for a client, and again `nextRequest`,
/// until an event ends the procedure. While a request waits, `deadline` says until when; past it, call `expire`.
/// Nothing here sends, waits or reads a clock. All state fits in 64 bytes and is zero bits when idle.
public struct GATTClient: BitwiseCopyable, Sendable {
  /// What the next request is, or the one that is waiting.
  enum Step: UInt8, BitwiseCopyable, Sendable {
    case idle = 0
    case exchangeMTU, findService, readCharacteristics, read, readBlob, write
    case prepare, execute, cancelPrepared
    case findConfiguration, configure
  }

  var step = Step.idle
  /// The request was handed out and its response has not come.
  var isWaiting = false
  /// Whether a transaction was left without an answer, or got another's: the connection cannot carry requests any more
  /// (Core Specification, Vol 3, Part F, 3.3.3) and is best closed.
  public internal(set) var isBroken = false
  /// The service looked for has a 16-bit UUID.
  var isShort = false
  /// The configuration to write.
  var configuration: UInt8 = 0
  /// Why a prepared write is being cancelled: the peer's error, 0 for a wrong echo.
  var refusal: UInt8 = 0
  /// First handle of the range still to search, or the handle read or written.
  var handle: UInt16 = 0
  /// Last handle of the range to search.
  var last: UInt16 = 0
  /// How many bytes of the value have come or gone.
  var offset: UInt16 = 0
  /// How long the value to write is; the ATT_MTU to offer.
  var length: UInt16 = 0
  /// How many bytes the prepared write that is waiting carries.
  var part: UInt16 = 0
  /// What those bytes come to, to compare the echo with.
  var digest: UInt32 = 0
  /// How long one request may wait, in milliseconds.
  var stepTimeout: UInt32 = 0
  /// Until when the waiting request may wait.
  var waitingUntil = Instant.start
  /// The service looked for.
  var uuid = UUID128(0, 0)

  /// A client with nothing to do. Also what to assign when a connection was opened.
  public init() {}

  /// Whether a procedure is under way.
  public var isBusy: Bool { step != .idle }

  /// When `expire` is to be called; `.never` when nothing is awaited.
  public var deadline: Instant { isWaiting ? waitingUntil : .never }

  /// The PDU that confirms an indication: this one byte.
  public static var confirmation: UInt8 { ATTOpcode.handleValueConfirmation.rawValue }

  /// Starts a procedure. `stepTimeout` is how long each of its requests may wait for the answer, 30 s at most. Returns
  /// `false`, changing nothing, while another is under way, if the connection is broken, or if a parameter is outside
  /// its range.
  public mutating func begin(
    _ procedure: GATTProcedure, stepTimeout: Interval = ATTLimits.transactionTimeout
  ) -> Bool {
    guard !isBusy, !isBroken else { return false }
    switch procedure {
    case .exchangeMTU(let mtu):
      guard mtu >= ATTLimits.defaultMTU, mtu <= 517 else { return false }
      start(.exchangeMTU, 0, 0)
      length = UInt16(truncatingIfNeeded: mtu)
    case .discoverService16(let uuid):
      start(.findService, 1, 0xFFFF)
      isShort = true
      self.uuid = UUID128(0, UInt64(wide: UInt32(uuid.rawValue)))
    case .discoverService128(let uuid):
      start(.findService, 1, 0xFFFF)
      self.uuid = uuid
    case .discoverCharacteristics(let range):
      guard range.first > 0, range.first <= range.last else { return false }
      start(.readCharacteristics, range.first, range.last)
    case .readLong(let handle):
      guard handle > 0 else { return false }
      start(.read, handle, 0)
    case .write(let handle, let length):
      guard handle > 0, length >= 0, length <= ATTLimits.longestValue else { return false }
      start(.write, handle, 0)
      self.length = UInt16(truncatingIfNeeded: length)
    case .subscribe(let range, let configuration):
      guard range.first > 0, range.first <= range.last else { return false }
      // The descriptor is behind the value; with nothing behind it the search starts, and ends, at the value.
      start(.findConfiguration, range.first < range.last ? range.first &+ 1 : range.first, range.last)
      self.configuration = configuration.rawValue & 3
    }
    self.stepTimeout = min(stepTimeout, ATTLimits.transactionTimeout).milliseconds
    return true
  }

  /// Has the service discovery that was just begun find only what is behind this handle, 0…0xFFFE: the next service with the same UUID,
  /// if this is the last handle of one.
  public mutating func search(behind handle: UInt16) {
    if step == .findService, !isWaiting, handle < .max { self.handle = handle &+ 1 }
  }

  /// Forgets the procedure before and starts at a step.
  @inline(never)
  private mutating func start(_ step: Step, _ handle: UInt16, _ last: UInt16) {
    self = GATTClient()
    self.step = step
    self.handle = handle
    self.last = last
  }

  /// Takes back a request that `nextRequest` wrote but the radio refused: `nextRequest` writes it again.
  public mutating func notSent() { isWaiting = false }

  /// Fails the procedure if its deadline is past: `.failed(.timeout)`, else `.none`.
  public mutating func expire(at now: Instant) -> GATTClientEvent {
    guard isWaiting, now >= waitingUntil else { return .none }
    return breakOff(.timeout)
  }

  /// Gives the procedure up. If a request is waiting the connection is broken from then on.
  public mutating func cancel() {
    if isWaiting { isBroken = true }
    end()
  }

  /// Ends the procedure.
  mutating func end() {
    step = .idle
    isWaiting = false
  }

  /// Ends the procedure with a failure.
  mutating func fail(_ failure: GATTFailure) -> GATTClientEvent {
    end()
    return .failed(failure)
  }

  /// Ends the procedure with a failure after which nothing more can be asked.
  mutating func breakOff(_ failure: GATTFailure) -> GATTClientEvent {
    isBroken = true
    return fail(failure)
  }
}
