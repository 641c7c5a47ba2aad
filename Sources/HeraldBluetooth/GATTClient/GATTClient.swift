import HeraldHAL

/// The client side of GATT on one connection: one procedure at a time, one request outstanding at a time.
///
/// Call `begin`, send what `nextRequest` writes, hand `receive` every PDU that is for a client, and again
/// `nextRequest`, until an event ends the procedure. While a request waits, `deadline` says until when; past
/// it, call `expire`. Nothing here sends, waits or reads a clock. All state fits in 64 bytes and is zero bits
/// when idle.
public struct GATTClient: BitwiseCopyable, Sendable {
  /// The step of the next request, or of the one that is outstanding.
  public enum Step: UInt8, BitwiseCopyable, Sendable {
    case idle = 0
    case exchangeMTU, findService, readCharacteristics, read, readBlob, write
    case prepare, execute, cancelPrepared
    case findConfiguration, configure
  }

  var step = Step.idle
  /// The request was returned by `nextRequest` and its response is outstanding.
  var isWaiting = false
  /// Whether a transaction was left without a response, or had the response of another: the connection
  /// carries no further requests (Core Specification, Vol 3, Part F, 3.3.3) and should be closed.
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
  /// How many bytes of the value have been received or sent.
  var offset: UInt16 = 0
  /// The length of the value to write; the ATT_MTU to offer.
  public var length: UInt16 = 0
  /// How many bytes the prepared write that is waiting carries.
  var part: UInt16 = 0
  /// The hash of those bytes, to compare the echo with.
  var digest: UInt32 = 0
  /// How long one request may wait, in milliseconds.
  var stepTimeout: UInt32 = 0
  /// Until when the waiting request may wait.
  var waitingUntil = Instant.start
  /// The service looked for.
  public var uuid = UUID128(0, 0)

  /// A client with nothing to do. Also what to assign when a connection was opened.
  public init() {}

  /// Whether a procedure is under way.
  public var isBusy: Bool { step != .idle }

  /// When `expire` is to be called; `.never` when no response is outstanding.
  public var deadline: Instant { isWaiting ? waitingUntil : .never }

  /// The PDU that confirms an indication: this one byte.
  public static var confirmation: UInt8 { ATTOpcode.handleValueConfirmation.rawValue }

  /// Starts a procedure. `stepTimeout` is how long each of its requests may wait for the response, 30 s at
  /// most. Returns `false`, changing nothing, while another is under way, if the connection is broken, or if
  /// a parameter is outside its range.
  public mutating func begin(
    _ procedure: GATTProcedure, stepTimeout: Interval = ATTLimits.transactionTimeout
  ) -> Bool {
    switch procedure {
    case .exchangeMTU(let mtu):
      guard mtu >= ATTLimits.defaultMTU, mtu <= 517, begin(.exchangeMTU, stepTimeout) else { return false }
      length = UInt16(truncatingIfNeeded: mtu)
    case .discoverService16(let uuid):
      guard begin(.findService, stepTimeout) else { return false }
      find(uuid)
    case .discoverService128(let uuid):
      guard begin(.findService, stepTimeout) else { return false }
      self.uuid = uuid
    case .discoverCharacteristics(let range):
      return begin(.readCharacteristics, stepTimeout, range.first, range.last)
    case .readLong(let handle):
      return begin(.read, stepTimeout, handle)
    case .write(let handle, let length):
      guard length >= 0, length <= ATTLimits.longestValue, begin(.write, stepTimeout, handle)
      else { return false }
      self.length = UInt16(truncatingIfNeeded: length)
    case .subscribe(let range, let configuration):
      guard begin(.findConfiguration, stepTimeout, range.first, range.last) else { return false }
      // The descriptor is behind the value; with nothing behind it the search starts, and ends, at the value.
      if handle < last { handle &+= 1 }
      self.configuration = configuration.rawValue & 3
    }
    return true
  }

  /// Discards the procedure before and starts one at this step, with the first handle of what is searched, or
  /// the one that is read or written, and the last that is searched; what else the procedure needs is set
  /// after that. Returns `false` as `begin` does.
  @inline(never)
  public mutating func begin(
    _ step: Step, _ stepTimeout: Interval, _ handle: UInt16 = 1, _ last: UInt16 = .max
  ) -> Bool {
    guard !isBusy, !isBroken, handle > 0, handle <= last else { return false }
    self = GATTClient()
    self.step = step
    self.handle = handle
    self.last = last
    self.stepTimeout = min(stepTimeout, ATTLimits.transactionTimeout).milliseconds
    return true
  }

  /// The service discovery that was just begun is for this UUID.
  public mutating func find(_ uuid: UUID16) {
    isShort = true
    self.uuid = UUID128(0, UInt64(wide: UInt32(uuid.rawValue)))
  }

  /// Restricts the service discovery that was just begun to handles above this one, 0…0xFFFE: the next
  /// service with the same UUID, if this is the last handle of one.
  public mutating func search(behind handle: UInt16) {
    if step == .findService, !isWaiting, handle < .max { self.handle = handle &+ 1 }
  }

  /// Takes back a request that `nextRequest` wrote but the radio refused: `nextRequest` writes it again.
  public mutating func notSent() { isWaiting = false }

  /// Fails the procedure if its deadline is past: `.failed(.timeout)`, else `.none`.
  public mutating func expire(at now: Instant) -> GATTClientEvent {
    guard isWaiting, now >= waitingUntil else { return .none }
    return breakOff(.timeout)
  }

  /// Cancels the procedure. If a request is waiting the connection is broken from then on.
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

  /// Ends the procedure with a failure after which no further request is possible.
  mutating func breakOff(_ failure: GATTFailure) -> GATTClientEvent {
    isBroken = true
    return fail(failure)
  }
}
