import HeraldHAL

/// Responds to requests of the Simple Management Protocol, one packet at a time, in the buffer of the
/// request.
public struct SMPServer: StatisticsSource, BitwiseCopyable {
  private var requests: UInt32 = 0
  private var failures: UInt32 = 0
  private var ignored: UInt32 = 0
  private var rejected: UInt32 = 0
  private var session = AccessSession()
  /// The file that is being downloaded.
  private var file = LogFile()

  /// A server without a session.
  public init() {}

  /// Whether a host that has proved to have the access key uses this server.
  public func hasSession(at now: Instant) -> Bool { session.isValid(at: now) }

  /// Ends the session and the download of a file, as the link or its peer has disconnected.
  public mutating func endSession() {
    session.end()
    file = LogFile()
  }

  /// Processes the packet in the first `count` bytes of `buffer`, writes the response over it, and returns
  /// its length: 0 if the packet is empty, is too short for a header, or is not a request.
  ///
  /// `buffer` is as long as the longest packet the transport carries, at least 40 bytes; `bufferCount` is how
  /// many such packets it can queue. Both are in the response to MCUmgr's parameters request. On a link that
  /// `isRemote`, whose peer has no physical access, all changes need a session.
  @inline(never)
  public mutating func respond<Device: ManagedDevice & ~Copyable>(
    to buffer: inout MutableSpan<UInt8>, count: Int, bufferCount: Int = 1, isRemote: Bool = false,
    at now: Instant, device: inout Device
  ) -> Int {
    guard count <= buffer.count, var header = Self.header(buffer, count),
      let operation = header.operation.response
    else {
      ignored &+= 1
      return 0
    }
    requests &+= 1
    let isSealed = header.isSealed && session.open(&buffer, count: count, device.access, at: now)
    var room = buffer.count
    var length = count
    if isSealed {
      header.length &-= UInt16(SealedPacket.numberSize &+ SealedPacket.tagSize)
      length &-= SealedPacket.numberSize &+ SealedPacket.tagSize
      room &-= SealedPacket.tagSize
    }
    var request = SMPRequest(
      header, in: buffer._mutatingExtracting(0..<room), end: length, bufferCount: bufferCount, now: now)
    var outcome: SMPOutcome
    if header.isSealed, !isSealed {
      rejected &+= 1
      outcome = .failure(.locked)
    } else {
      outcome = serve(&request, isRemote, &device)
    }
    if outcome.failure == nil,
      request.answer.overflowed || request.answer.count &- SMPHeader.size > 0xFFFF &- SealedPacket.tagSize
    {
      outcome = .failure(.tooLong)
    }
    if let failure = outcome.failure {
      failures &+= 1
      request.refuse(failure)
    }
    var end = request.answer.overflowed ? 0 : request.answer.count
    guard end > 0 else { return 0 }
    if isSealed { end &+= SealedPacket.tagSize }
    header.writeAnswer(operation, isSealed: isSealed, length: end &- SMPHeader.size, to: &buffer)
    if isSealed {
      var packet = buffer._mutatingExtracting(0..<end)
      session.seal(&packet)
    }
    return end
  }

  private mutating func serve<Device: ManagedDevice & ~Copyable>(
    _ request: inout SMPRequest, _ isRemote: Bool, _ device: inout Device
  ) -> SMPOutcome {
    let header = request.header
    guard header.version <= 1 else { return .failure(.tooNew) }
    guard request.isWhole else { return .failure(.corrupt) }
    if !header.isSealed, let failure = AccessRules.refusal(header, isRemote, device: &device) {
      // Generic clients take a code as one of the group of their request.
      return header.group == .herald ? .failure(failure) : .failure(failure.general)
    }
    switch header.group {
    case .os: return OSManagement.respond(to: &request, device: &device)
    case .statistics: return StatisticsManagement.respond(to: &request, device: &device)
    case .settings: return SettingsManagement.respond(to: &request, device: &device)
    case .file where request.asks(.write, FileCommand.transfer):
      return PayloadUpload.respond(to: &request, device: &device)
    case .herald where header.command == HeraldCommand.access:
      return AccessManagement.respond(to: &request, device: &device, session: &session)
    case .herald where request.asks(.write, HeraldCommand.close):
      guard header.isSealed else { return .failure(.locked) }
      session.closeSoon()
      request.answer.map(0)
      return .answered
    case .herald where request.asks(.read, HeraldCommand.payload):
      return PayloadManagement.respond(to: &request, device: &device)
    case .file where Device.hasFiles:
      return FileManagement.respond(to: &request, open: &file, device: &device)
    case .image where Device.hasImageSlot: return ImageManagement.respond(to: &request, device: &device)
    case .herald: return HeraldManagement.respond(to: &request, device: &device)
    default: return .failure(.unsupported)
    }
  }

  private static func header(_ buffer: borrowing MutableSpan<UInt8>, _ count: Int) -> SMPHeader? {
    guard count >= SMPHeader.size else { return nil }
    return SMPHeader(buffer.span.extracting(0..<count))
  }
}

extension SMPServer {
  /// "smp".
  public static var statisticsName: StaticString { "smp" }
  /// How many counters there are.
  public static var statisticsCount: Int { 4 }
  /// The name of counter `index`.
  public static func statisticName(_ index: Int) -> StaticWord {
    StaticWord(index, of: "requests failures ignored rejected")
  }
  /// The value of counter `index`.
  public func statistic(_ index: Int) -> UInt32 {
    switch index {
    case 0: requests
    case 1: failures
    case 2: ignored
    case 3: rejected
    default: 0
    }
  }
}
