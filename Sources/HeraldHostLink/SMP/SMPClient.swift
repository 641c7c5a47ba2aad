import HeraldDeviceLink
import HeraldText
import Logging

/// Asks a device questions in the Simple Management Protocol, several at a time, and matches what comes back.
///
/// An answer belongs to the question whose sequence number, group, command and operation it repeats; anything else is
/// counted and passed over, so a device that answers twice, late or out of the blue does no harm. Questions that change
/// nothing are asked again when no answer comes in time.
public final class SMPClient {
  /// How long to wait, and how often to ask.
  public struct Patience: Sendable {
    /// How long an answer may take.
    public var timeout: Duration
    /// How often a question that changes nothing is asked.
    public var attempts: Int

    /// Two seconds, four times.
    public init(timeout: Duration = .seconds(2), attempts: Int = 4) {
      self.timeout = timeout
      self.attempts = attempts
    }
  }

  /// A question on its way.
  public struct Ticket: Hashable, Sendable {
    let number: Int
  }

  private struct Pending {
    let ticket: Ticket
    let request: ManagementRequest
    var sequences: [UInt8]
    var deadline: Deadline
  }

  /// How many packets that answer nothing may come before lateness is looked at.
  private static let mostStrays = 64

  private let transport: any SMPTransport
  private let patience: Patience
  private let logger: Logger
  private var pending: [Pending] = []
  private var lastSequence = UInt8.max
  private var lastTicket = 0

  /// How many packets arrived that answered nothing.
  public private(set) var unexpectedPackets = 0
  /// How many questions were asked again.
  public private(set) var repeats = 0

  /// A client over an open transport. What is odd about the link goes to `logger`.
  public init(
    transport: any SMPTransport, patience: Patience = Patience(),
    logger: Logger = Logger(label: "herald.link")
  ) {
    self.transport = transport
    self.patience = patience
    self.logger = logger
  }

  /// Where the device is.
  public var location: String { transport.location }
  /// How many more questions may be asked before an answer is awaited.
  public var room: Int { max(0, transport.window - pending.count) }
  /// How many questions are on their way.
  public var inFlight: Int { pending.count }

  /// Sends a question without waiting for the answer. Throws when the link is broken.
  public func submit(_ request: ManagementRequest) throws(HostLinkError) -> Ticket {
    lastTicket += 1
    let ticket = Ticket(number: lastTicket)
    let sequence = freshSequence()
    let deadline = Deadline.after(patience.timeout)
    try transport.send(request.packet(sequence: sequence), by: deadline)
    pending.append(Pending(ticket: ticket, request: request, sequences: [sequence], deadline: deadline))
    return ticket
  }

  /// Waits until one of the questions on their way is answered or given up, and says which; `nil` if there is none. Throws
  /// when the link is broken.
  public func next() throws(HostLinkError) -> (Ticket, Result<CBORValue, ManagementFailure>)? {
    var strays = 0
    while !pending.isEmpty {
      guard let earliest = pending.map(\.deadline).min() else { return nil }
      // What has arrived is looked at before anything counts as late: the time may have passed while the caller was busy.
      // Packets that answer nothing do not put that off for ever.
      if let packet = try transport.receive(by: earliest) {
        if let answer = match(packet) { return answer }
        strays += 1
        if strays < Self.mostStrays { continue }
      }
      strays = 0
      if let late = try expire() { return late }
    }
    return nil
  }

  /// Asks a question and waits for its answer; answers to others that arrive meanwhile are lost, so none should be on
  /// their way.
  public func ask(_ request: ManagementRequest) throws(HostLinkError) -> CBORValue {
    let ticket = try submit(request)
    while let (answered, result) = try next() {
      guard answered == ticket else { continue }
      switch result {
      case .success(let body): return body
      case .failure(let failure): throw failure.error(request, at: location)
      }
    }
    throw ManagementFailure.noAnswer(attempts: 1).error(request, at: location)
  }

  /// Forgets all questions on their way.
  public func forgetAll() { pending.removeAll() }

  private func freshSequence() -> UInt8 {
    let used = Set(pending.flatMap(\.sequences))
    repeat { lastSequence &+= 1 } while used.contains(lastSequence) && used.count < 256
    return lastSequence
  }

  /// Asks again what was not answered in time, or gives it up.
  private func expire() throws(HostLinkError) -> (Ticket, Result<CBORValue, ManagementFailure>)? {
    for index in pending.indices where pending[index].deadline.hasPassed {
      let entry = pending[index]
      guard entry.request.isRepeatable, entry.sequences.count < patience.attempts else {
        pending.remove(at: index)
        return (entry.ticket, .failure(.noAnswer(attempts: entry.sequences.count)))
      }
      let sequence = freshSequence()
      let deadline = Deadline.after(patience.timeout)
      repeats += 1
      logger.debug("no answer; asking again", metadata: ["for": "\(entry.request.subject)"])
      pending[index].sequences.append(sequence)
      pending[index].deadline = deadline
      try transport.send(entry.request.packet(sequence: sequence), by: deadline)
    }
    return nil
  }

  private func match(_ packet: [UInt8]) -> (Ticket, Result<CBORValue, ManagementFailure>)? {
    guard let header = SMPHeader(packet.span), packet.count == SMPHeader.size + Int(header.length),
      let index = pending.firstIndex(where: {
        $0.sequences.contains(header.sequence) && $0.request.group == header.group
          && $0.request.command == header.command && $0.request.operation.response == header.operation
      })
    else {
      unexpectedPackets += 1
      logger.debug("a packet that answers nothing", metadata: ["start": "\(packet.prefix(16).hexadecimal)"])
      return nil
    }
    let entry = pending.remove(at: index)
    return (entry.ticket, Self.result(of: packet.span.extracting(SMPHeader.size..<packet.count)))
  }

  /// The body, or the error in it: `{"err": {"group", "rc"}}` in version 2, `{"rc"}` other than 0 in version 1.
  static func result(of body: Span<UInt8>) -> Result<CBORValue, ManagementFailure> {
    // Some servers answer a success with no body at all.
    if body.isEmpty { return .success(.map([])) }
    guard let value = CBORValue.decode(body), case .map = value else {
      return .failure(.malformed("bytes that are no CBOR map"))
    }
    if let error = value[SMPKey.error] {
      guard let group = error[SMPKey.group]?.number32, let code = error[SMPKey.returnCode]?.number,
        let group = UInt16(exactly: group)
      else { return .failure(.malformed("an error that cannot be understood")) }
      if code != 0 { return .failure(.refused(group: group, code: code)) }
    } else if let code = value[SMPKey.returnCode] {
      guard let number = code.number else { return .failure(.refused(group: nil, code: 1)) }
      if number != 0 { return .failure(.refused(group: nil, code: number)) }
    }
    return .success(value)
  }
}
