import HeraldEmbedded

/// Answers requests of the Simple Management Protocol, one packet at a time, in the buffer of the request.
public struct SMPServer: StatisticsSource, BitwiseCopyable {
  private var requests: UInt32 = 0
  private var failures: UInt32 = 0
  private var ignored: UInt32 = 0
  private var session = AccessSession()
  /// The file that is being downloaded.
  private var file = LogFile()

  /// A server that has not been asked anything.
  public init() {}

  /// The link has ended, or whoever was at its other end has: the next has to prove anew that they have the access key.
  public mutating func endSession() { session.end() }

  /// Answers the packet in the first `count` bytes of `buffer`, in their place, and returns how many bytes the answer
  /// takes: 0 if the packet is none, is too short for a header, or is no question.
  ///
  /// `buffer` is as long as the longest packet the transport carries, at least 32 bytes; `bufferCount` is how many
  /// such packets it keeps waiting. Both are told to clients that ask for MCUmgr's parameters.
  @inline(never)
  public mutating func respond<Device: ManagedDevice & ~Copyable>(
    to buffer: inout MutableSpan<UInt8>, count: Int, bufferCount: Int = 1, at now: Instant,
    device: inout Device
  ) -> Int {
    guard count <= buffer.count, let header = Self.header(buffer, count),
      let operation = header.operation.response
    else {
      ignored &+= 1
      return 0
    }
    requests &+= 1
    let bodyEnd = SMPHeader.size &+ Int(header.length)
    let outcome: SMPOutcome
    if header.version > 1 {
      outcome = .failure(SMPFailure(.tooNew))
    } else if bodyEnd != count {
      outcome = .failure(SMPFailure(.corrupt))
    } else {
      let request = SMPRequest(header: header, end: bodyEnd, bufferCount: bufferCount, now: now)
      let isOpen = session.isOpen(device.access, at: now)
      switch header.group {
      case _ where !isOpen && AccessRules.needsKey(header) && device.hasAccessKey():
        outcome = .failure(.locked)
      case .os: outcome = OSManagement.respond(to: request, in: &buffer, device: &device)
      case .statistics: outcome = StatisticsManagement.respond(to: request, in: &buffer, device: &device)
      case .settings: outcome = SettingsManagement.respond(to: request, in: &buffer, device: &device)
      case .file where request.asks(.write, FileCommand.transfer):
        outcome = PayloadUpload.respond(to: request, in: &buffer, device: &device)
      case .herald where header.command == HeraldCommand.access:
        outcome = AccessManagement.respond(to: request, in: &buffer, device: &device, session: &session)
      case .herald where request.asks(.read, HeraldCommand.payload):
        outcome = PayloadManagement.respond(to: request, in: &buffer, device: &device)
      case .file where Device.hasFiles:
        outcome = FileManagement.respond(to: request, in: &buffer, open: &file, device: &device)
      case .image where Device.hasImageSlot:
        outcome = ImageManagement.respond(to: request, in: &buffer, device: &device)
      case .herald: outcome = HeraldManagement.respond(to: request, in: &buffer, device: &device)
      default: outcome = .failure(SMPFailure(.unsupported))
      }
    }
    let end: Int
    switch outcome {
    case .success(let position) where position &- SMPHeader.size <= 0xFFFF: end = position
    case .success:
      failures &+= 1
      end = Self.write(SMPFailure(.tooLong), version: header.version, to: &buffer)
    case .failure(let failure):
      failures &+= 1
      end = Self.write(failure, version: header.version, to: &buffer)
    }
    guard end > 0 else { return 0 }
    var response = header
    response.operation = operation
    response.version = min(header.version, 1)
    response.flags = 0
    response.length = UInt16(truncatingIfNeeded: end &- SMPHeader.size)
    return response.write(to: &buffer) ? end : 0
  }

  private static func header(_ buffer: borrowing MutableSpan<UInt8>, _ count: Int) -> SMPHeader? {
    guard count >= SMPHeader.size else { return nil }
    return SMPHeader(buffer.span.extracting(0..<count))
  }

  @inline(never)
  private static func write(_ failure: SMPFailure, version: UInt8, to buffer: inout MutableSpan<UInt8>) -> Int
  {
    var writer = CBORWriter(buffer._mutatingExtracting(0...), from: SMPHeader.size)
    writer.map(1)
    if version > 0, let group = failure.group {
      writer.text(SMPKey.error)
      writer.map(2)
      writer.text(SMPKey.group)
      writer.unsigned(UInt32(group.rawValue))
      writer.text(SMPKey.returnCode)
      writer.unsigned(UInt32(failure.code))
    } else {
      writer.text(SMPKey.returnCode)
      writer.unsigned(UInt32(failure.general.rawValue))
    }
    return writer.overflowed ? 0 : writer.count
  }
}

/// A request whose header has been understood; its body lies in the buffer between the header and `end`.
struct SMPRequest: BitwiseCopyable {
  let header: SMPHeader
  let end: Int
  let bufferCount: Int
  let now: Instant

  /// Whether it asks for `command` with an operation of `operation`.
  func asks(_ operation: SMPOperation, _ command: UInt8) -> Bool {
    header.operation == operation && header.command == command
  }
}

extension SMPServer {
  /// "smp".
  public static var statisticsName: StaticString { "smp" }
  /// How many counters there are.
  public static var statisticsCount: Int { 3 }
  /// The name of counter `index`.
  public static func statisticName(_ index: Int) -> StaticWord {
    StaticWord(index, of: "requests failures ignored")
  }
  /// The value of counter `index`.
  public func statistic(_ index: Int) -> UInt32 {
    switch index {
    case 0: requests
    case 1: failures
    case 2: ignored
    default: 0
    }
  }
}
