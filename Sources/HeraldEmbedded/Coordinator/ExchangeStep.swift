import HeraldBluetooth
import HeraldHAL

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
  /// We look for codes of other systems; Serving+Codes.swift has the steps of that.
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
