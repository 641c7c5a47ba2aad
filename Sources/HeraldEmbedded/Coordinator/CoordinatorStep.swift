/// Where an exchange with a connected peer stands. The whole exchange is the one table in `next(after:)`.
@usableFromInline
enum ExchangeStep: UInt8, BitwiseCopyable, Sendable {
  /// No connection.
  case closed = 0
  /// We ask for a longer ATT_MTU.
  case exchangeMTU = 1
  /// We look for the service of Herald 2.1 and later. All services with one UUID are looked at before the
  /// next UUID is: a phone may have an empty or stale one in front of the one that works.
  case findShortService = 2
  /// We look for the service of the protocol document.
  case findLongService = 3
  /// We look for the service of the provider's own, if there is one (HP-37).
  case findCustomService = 4
  /// We look at the characteristics of the service.
  case findCharacteristics = 5
  /// We read the payload.
  case readPayload = 6
  /// We look for the Device Information service.
  case findInformation = 7
  /// We look at its characteristics.
  case findModel = 8
  /// We read the model.
  case readModel = 9
  /// We write to the signal characteristic.
  case writeSignal = 10
  /// We look for codes of other systems; CoordinatorCodes.swift has the steps of that.
  case readCodes = 11
  /// What was begun is done: what the peer is owed next is next.
  case choosing = 12
  /// The peer has no Herald service, or none with a payload.
  case withoutService = 13
  /// The exchange failed.
  case failed = 14
  /// All is done; the connection is being closed.
  case closing = 15
  /// The peer opened the connection and we serve it.
  case serving = 16
  /// All is done; the connection is kept to measure the peer's strength on it.
  case keeping = 17
  /// The service has no payload that can be read: we look for another with the same UUID, behind it.
  case findAnother = 18

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
    guard isWorking else { return self }
    switch outcome {
    case .found: return whenFound
    case .absent: return whenAbsent
    case .failed: return .failed
    }
  }

  private var whenFound: ExchangeStep {
    switch self {
    case .exchangeMTU: .findShortService
    case .findShortService, .findLongService, .findCustomService: .findCharacteristics
    case .findInformation: .findModel
    case .findModel: .readModel
    default: .choosing
    }
  }

  private var whenAbsent: ExchangeStep {
    switch self {
    case .exchangeMTU: .findShortService
    case .findShortService: .findLongService
    case .findLongService: .findCustomService
    case .findCustomService: .withoutService
    case .findCharacteristics, .readPayload: .findAnother
    default: .choosing
    }
  }

  /// Whether this is a search for a service of Herald's.
  @usableFromInline
  var findsService: Bool {
    rawValue >= Self.findShortService.rawValue && rawValue <= Self.findCustomService.rawValue
  }

  /// Whether the peer owes us something.
  @usableFromInline
  var isWorking: Bool { rawValue >= Self.exchangeMTU.rawValue && rawValue <= Self.readCodes.rawValue }
}

/// How far the search for a service with a payload has come. Zero bits at the beginning.
@usableFromInline
struct ServiceSearch: BitwiseCopyable, Sendable {
  private var bits: UInt8 = 0

  @usableFromInline init() {}

  /// The step that looked for a service last.
  @usableFromInline var step: ExchangeStep { ExchangeStep(rawValue: bits & 7) ?? .closed }

  /// Why the payload of a service that was found could not be read; `nil` if there was no such service.
  @usableFromInline var fault: CoordinatorCounter? {
    bits < 8 ? nil : bits < 16 ? .exchangesRefused : .exchangesMalformed
  }

  /// A search by this step begins.
  @usableFromInline mutating func begin(_ step: ExchangeStep) { bits = bits & 24 | step.rawValue & 7 }

  /// The payload of a service could not be read.
  @usableFromInline mutating func fail(isRefused: Bool) { bits = bits & 7 | (isRefused ? 8 : 16) }
}

/// One connection: zero bits when closed, and what it is at otherwise.
@usableFromInline
struct Link: BitwiseCopyable {
  @usableFromInline var step: ExchangeStep
  /// What runs on the peer, as far as this exchange has shown.
  @usableFromInline var system: Target.System
  /// What the step under way is for.
  @usableFromInline var task: PeerTask
  /// Nothing more may be written on this connection: the peer would take it for part of what it has.
  @usableFromInline var isSpent: Bool
  /// Whether the peer opened it: it is the peer's to close.
  @usableFromInline var isPeers: Bool
  /// Whether the target at `place` is held for this exchange.
  @usableFromInline var holdsTarget: Bool
  /// Which code of another system is being looked for.
  @usableFromInline var question: CodeQuestion
  /// The buffer of what is read or written in the pool, plus one; 0 for none.
  @usableFromInline var buffer: UInt8
  /// The target's place in the table.
  @usableFromInline var place: UInt16
  /// The handle of the peer's payload; 0 if it has none.
  @usableFromInline var payloadHandle: UInt16
  /// The handle of the peer's signal characteristic; 0 if it has none.
  @usableFromInline var signalHandle: UInt16
  /// The handle of the peer's model, or of its contact event number; 0 if it has none.
  @usableFromInline var modelHandle: UInt16
  /// How many bytes of a message have been written, and how many are being written.
  @usableFromInline var written: UInt16
  @usableFromInline var piece: UInt16
  @usableFromInline var service: HandleRange
  /// The peer's address, as the connection showed it.
  @usableFromInline var peer: DeviceAddress
  /// Which service is looked for. It fills what would be a gap: without one all connections are cleared in
  /// their place.
  @usableFromInline var search: ServiceSearch
  /// When the connection is closed whatever it is at, or, once it is being closed, when to ask for that
  /// again.
  @usableFromInline var end: Instant
  /// When the peer last asked us for something, or, on a connection that is kept, when it was last measured.
  @usableFromInline var lastAsked: Instant
  /// When the connection was opened.
  @usableFromInline var openedAt: Instant
  @usableFromInline var client: GATTClient

  @usableFromInline
  init() {
    step = .closed
    system = .unknown
    task = .nothing
    isSpent = false
    isPeers = false
    holdsTarget = false
    question = .none
    place = 0
    payloadHandle = 0
    signalHandle = 0
    modelHandle = 0
    written = 0
    piece = 0
    buffer = 0
    peer = .zero
    search = ServiceSearch()
    end = .start
    lastAsked = .start
    openedAt = .start
    service = HandleRange(first: 0, last: 0)
    client = GATTClient()
  }
}
