/// Where an exchange with a connected peer stands. The whole exchange is the one table in `next(after:)`.
@usableFromInline
enum ExchangeStep: UInt8, BitwiseCopyable, Sendable {
  /// No connection.
  case closed = 0
  /// We ask for a longer ATT_MTU.
  case exchangeMTU = 1
  /// We look for the service of Herald 2.1 and later.
  case findShortService = 2
  /// We look for the service of the protocol document.
  case findLongService = 3
  /// We look at the characteristics of the service.
  case findCharacteristics = 4
  /// We read the payload.
  case readPayload = 5
  /// The payload was read.
  case succeeded = 6
  /// The peer has no Herald service, or none with a payload.
  case withoutService = 7
  /// The exchange failed.
  case failed = 8
  /// All is done; the connection is being closed.
  case closing = 9
  /// The peer opened the connection and we serve it.
  case serving = 10

  /// How a step ended.
  @usableFromInline
  enum Outcome: UInt8, BitwiseCopyable, Sendable {
    /// What was looked for is there, what was asked for is done.
    case found
    /// It is not there, or the peer does not do such a thing.
    case absent
    /// The peer did not answer, answered nonsense, or went away.
    case failed
  }

  /// The next step. A peer that refuses a longer ATT_MTU is read 22 bytes at a time.
  @usableFromInline
  func next(after outcome: Outcome) -> ExchangeStep {
    switch (self, outcome) {
    case (.exchangeMTU, .found), (.exchangeMTU, .absent): .findShortService
    case (.findShortService, .found): .findCharacteristics
    case (.findShortService, .absent): .findLongService
    case (.findLongService, .found): .findCharacteristics
    case (.findLongService, .absent): .withoutService
    case (.findCharacteristics, .found): .readPayload
    case (.findCharacteristics, .absent): .withoutService
    case (.readPayload, .found): .succeeded
    case (.readPayload, .absent): .failed
    case (.exchangeMTU, .failed), (.findShortService, .failed), (.findLongService, .failed),
      (.findCharacteristics, .failed), (.readPayload, .failed):
      .failed
    case (.closed, _), (.succeeded, _), (.withoutService, _), (.failed, _), (.closing, _), (.serving, _): self
    }
  }

  /// Whether the peer owes us something.
  @usableFromInline
  var isWorking: Bool { rawValue >= Self.exchangeMTU.rawValue && rawValue <= Self.readPayload.rawValue }
}

/// One connection: zero bits when closed, and what it is at otherwise.
@usableFromInline
struct Link: BitwiseCopyable {
  @usableFromInline var step: ExchangeStep
  /// What runs on the peer, as far as this exchange has shown.
  @usableFromInline var system: Target.System
  /// Whether the target at `place` is held for this exchange.
  @usableFromInline var holdsTarget: Bool
  /// The target's place in the table.
  @usableFromInline var place: UInt16
  /// The handle of the peer's payload; 0 if it has none.
  @usableFromInline var payloadHandle: UInt16
  /// Bytes of the peer's payload so far.
  @usableFromInline var payloadLength: UInt16
  /// The buffer of the peer's payload in the pool, plus one; 0 for none.
  @usableFromInline var buffer: UInt8
  /// The peer's address, as the connection showed it.
  @usableFromInline var peer: DeviceAddress
  /// When the connection is closed whatever it is at, or, once it is being closed, when to ask for that again.
  @usableFromInline var end: Instant
  /// When the peer last asked us for something.
  @usableFromInline var lastAsked: Instant
  @usableFromInline var service: HandleRange
  @usableFromInline var client: GATTClient

  @usableFromInline
  init() {
    step = .closed
    system = .unknown
    holdsTarget = false
    place = 0
    payloadHandle = 0
    payloadLength = 0
    buffer = 0
    peer = .zero
    end = .start
    lastAsked = .start
    service = HandleRange(first: 0, last: 0)
    client = GATTClient()
  }
}

/// The one connection attempt that may be under way. Zero bits when there is none.
@usableFromInline
struct Attempt: BitwiseCopyable {
  @usableFromInline var isActive: Bool
  /// We gave it up; the radio has not confirmed that yet.
  @usableFromInline var isCancelled: Bool
  /// It was given less time than it is entitled to, so that the radio can scan.
  @usableFromInline var isCut: Bool
  /// The target's place in the table.
  @usableFromInline var place: UInt16
  /// When it is given up, or, once it is, when to say so again.
  @usableFromInline var deadline: Instant

  @usableFromInline
  init() {
    isActive = false
    isCancelled = false
    isCut = false
    place = 0
    deadline = .start
  }
}
