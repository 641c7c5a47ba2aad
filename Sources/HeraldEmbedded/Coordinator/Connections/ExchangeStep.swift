import HeraldBluetooth
import HeraldHAL

/// The step of an exchange with a connected peer. The whole sequence is the one table in `next(after:)`.
enum ExchangeStep: UInt8, BitwiseCopyable, Sendable {
  /// No connection.
  case closed = 0
  /// Requests a larger ATT_MTU.
  case exchangeMTU = 1
  /// Searches for the service of Herald 2.1 and later. All services with one UUID are tried before the next
  /// UUID: a phone may list an empty or stale one before the one that works.
  case findShortService = 2
  /// Searches for the service of the protocol document.
  case findLongService = 3
  /// Searches for the provider's own service, if there is one (HP-37).
  case findCustomService = 4
  /// Discovers the characteristics of the service.
  case findCharacteristics = 5
  /// Reads the payload.
  case readPayload = 6
  /// Searches for the Device Information service.
  case findInformation = 7
  /// Discovers its characteristics.
  case findModel = 8
  /// Reads the model.
  case readModel = 9
  /// Writes to the signal characteristic.
  case writeSignal = 10
  /// Searches for codes of additional services; the steps are in Serving+Codes.swift.
  case readCodes = 11
  /// A task has ended: the next task for this peer is chosen.
  case choosing = 12
  /// The peer has no Herald service, or none with a payload.
  case withoutService = 13
  /// The exchange failed.
  case failed = 14
  /// All tasks have ended; the connection is being closed.
  case closing = 15
  /// The peer opened the connection and this device serves it.
  case serving = 16
  /// All tasks have ended; the connection is kept to read the peer's RSSI on it.
  case keeping = 17
  /// The service has no readable payload: searches for another with the same UUID at higher handles.
  case findAnother = 18

  /// How a step ended.
  enum Outcome: UInt8, BitwiseCopyable, Sendable {
    /// The attribute was found, or the request succeeded.
    case found
    /// The attribute was not found, or the peer does not support the request.
    case absent
    /// The peer did not respond, responded with invalid data, or disconnected.
    case failed
  }

  /// The next step. A peer that refuses a longer ATT_MTU is read 22 bytes at a time.
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
  var findsService: Bool {
    rawValue >= Self.findShortService.rawValue && rawValue <= Self.findCustomService.rawValue
  }

  /// Whether a response of the peer is outstanding.
  var isWorking: Bool { rawValue >= Self.exchangeMTU.rawValue && rawValue <= Self.readCodes.rawValue }
}
