import Foundation
import HeraldDeviceLink
import HeraldText
import Logging

/// A client of the Simple Management Protocol. Several requests may be outstanding; responses are matched to
/// them.
///
/// A response belongs to the request with the same sequence number, group, command and operation. All other
/// packets are counted and ignored, so that duplicate, late and unsolicited responses have no effect.
/// Requests that change nothing are repeated after a timeout.
///
/// In a session every request is sealed, and only a response that the device sealed for this request is a
/// result. An unsealed response means that the session has ended: a new one is opened, and repeatable
/// requests are sent again, once.
///
/// A client is used by one thread. `OpenSessions` ends its session from another one.
public final class SMPClient {
  /// The timeout of a response and the number of attempts.
  public struct Timeouts: Sendable {
    /// The timeout of a response.
    public var timeout: Duration
    /// The number of times that a request that changes nothing is sent.
    public var attempts: Int

    /// By default two seconds and four attempts.
    public init(timeout: Duration = .seconds(2), attempts: Int = 4) {
      self.timeout = timeout
      self.attempts = attempts
    }
  }

  /// An outstanding request.
  public struct RequestHandle: Hashable, Sendable {
    let number: Int
  }

  /// A request packet.
  private struct Sent {
    let sequence: UInt8
    /// The request number in the session; `nil` if it is not sealed.
    let number: UInt32?
  }

  private struct Pending {
    let ticket: RequestHandle
    let request: ManagementRequest
    var sent: [Sent]
    var deadline: Deadline
    /// Until when it is waited for while bytes come.
    var limit: Deadline
    /// Whether it was repeated in another session.
    var isRenewed = false
  }

  /// The maximum wait for a packet between two checks for a request to end the session.
  private static let longestWait = Duration.milliseconds(100)
  /// How many timeouts a response may take that arrives over a slow line, as long as bytes of it come.
  private static let mostTimeouts = 30
  /// The number of unmatched packets after which timeouts are checked.
  private static let mostStrays = 64

  private let transport: any SMPTransport
  private let timeouts: Timeouts
  private let logger: Logger
  private var pending: [Pending] = []
  private var lastSequence = UInt8.max
  private var lastTicket = 0
  private let sealing: ClientSession
  /// The requests that timed out and that `next` has not returned yet.
  private var over: [(RequestHandle, ManagementFailure)] = []

  /// The number of packets that matched no request.
  public private(set) var unexpectedPackets = 0
  /// The number of repeated requests.
  public private(set) var repeats = 0

  /// Creates a client over an open transport. Irregularities of the link are logged to `logger`.
  public init(
    transport: any SMPTransport, timeouts: Timeouts = Timeouts(),
    logger: Logger = Logger(label: "herald.link")
  ) {
    self.transport = transport
    self.timeouts = timeouts
    self.logger = logger
    sealing = ClientSession()
  }

  /// Creates a client with the transport and session of another one, but with other timeouts. Only one of the
  /// two may have outstanding requests at a time.
  public init(sharing other: SMPClient, timeouts: Timeouts) {
    transport = other.transport
    self.timeouts = timeouts
    logger = other.logger
    sealing = other.sealing
  }

  /// The location of the device.
  public var location: String { transport.location }
  /// The timeout of a response.
  public var timeout: Duration { timeouts.timeout }
  /// The number of further requests that may be sent before a response must be awaited.
  public var room: Int { max(0, transport.window - pending.count) }
  /// The number of outstanding requests.
  public var inFlight: Int { pending.count }

  /// Sends a request without waiting for the response. Throws if the link has failed.
  public func submit(_ request: ManagementRequest) throws(HostLinkError) -> RequestHandle {
    sealing.turn.take()
    defer { sealing.turn.give() }
    lastTicket += 1
    let ticket = RequestHandle(number: lastTicket)
    let deadline = Deadline.after(timeouts.timeout)
    let sent = try send(request, by: deadline)
    let limit = Deadline.after(timeouts.timeout * Self.mostTimeouts)
    pending.append(
      Pending(ticket: ticket, request: request, sent: [sent], deadline: deadline, limit: limit))
    return ticket
  }

  private func send(_ request: ManagementRequest, by deadline: Deadline) throws(HostLinkError) -> Sent {
    let sequence = freshSequence()
    let isSealed = !request.opensSession && sealing.isOpen
    var packet = request.packet(sequence: sequence, isSealed: isSealed)
    defer { packet.wipe() }
    guard isSealed else {
      try transport.send(packet, by: deadline)
      return Sent(sequence: sequence, number: nil)
    }
    guard let number = sealing.seal(&packet) else {
      throw HostLinkError(.link, "the session with \(location) is used up", advice: "run the command again")
    }
    try transport.send(packet, by: deadline)
    return Sent(sequence: sequence, number: number)
  }

  /// Waits until an outstanding request has a response or has timed out, and returns it; `nil` if there is
  /// none. Throws if the link has failed.
  public func next() throws(HostLinkError) -> (RequestHandle, Result<CBORValue, ManagementFailure>)? {
    sealing.turn.take()
    defer { sealing.turn.give() }
    var strays = 0
    while !pending.isEmpty || !over.isEmpty {
      sealing.turn.giveWay()
      if !over.isEmpty {
        let (ticket, failure) = over.removeFirst()
        return (ticket, .failure(failure))
      }
      guard let earliest = pending.map(\.deadline).min() else { return nil }
      let before = transport.receivedBytes
      // Received packets are processed before a request times out: the time may have passed while the caller
      // was busy. Unmatched packets do not delay that indefinitely.
      if let packet = try transport.receive(by: min(earliest, .after(Self.longestWait))) {
        switch match(packet) {
        case .result(let ticket, let result):
          // Those behind it share the line.
          extendDeadlines()
          return (ticket, result)
        case .sessionOver:
          try renewSession()
          continue
        case .stray: break
        }
        strays += 1
        if strays < Self.mostStrays { continue }
      } else if transport.receivedBytes != before {
        extendDeadlines()
      }
      strays = 0
      if let late = try expire() { return late }
    }
    return nil
  }

  /// Sends a request and waits for its response. Responses to other requests are lost, so that none should be
  /// outstanding.
  public func ask(_ request: ManagementRequest) throws(HostLinkError) -> CBORValue {
    switch try result(of: request) {
    case .success(let body): return body
    case .failure(let failure): throw failure.error(request, at: location)
    }
  }

  /// As `request`, but returns the refusal of the device instead of throwing it.
  func result(of request: ManagementRequest) throws(HostLinkError) -> Result<CBORValue, ManagementFailure> {
    let ticket = try submit(request)
    while let (answered, result) = try next() {
      if answered == ticket { return result }
    }
    return .failure(.noAnswer(attempts: 1))
  }

  /// Discards all outstanding requests.
  public func forgetAll() {
    sealing.turn.take()
    defer { sealing.turn.give() }
    pending.removeAll()
    over.removeAll()
  }

  private func freshSequence() -> UInt8 {
    let used = Set(pending.flatMap { $0.sent.map(\.sequence) })
    repeat { lastSequence &+= 1 } while used.contains(lastSequence) && used.count < 256
    return lastSequence
  }

  /// Bytes of a packet have come: no response is late yet.
  private func extendDeadlines() {
    let deadline = Deadline.after(timeouts.timeout)
    for index in pending.indices {
      pending[index].deadline = max(pending[index].deadline, min(deadline, pending[index].limit))
    }
  }

  /// Repeats requests whose timeout has passed, or fails them after the last attempt.
  private func expire() throws(HostLinkError) -> (RequestHandle, Result<CBORValue, ManagementFailure>)? {
    for index in pending.indices where pending[index].deadline.hasPassed {
      let entry = pending[index]
      guard entry.request.isRepeatable, entry.sent.count < timeouts.attempts else {
        pending.remove(at: index)
        return (entry.ticket, .failure(.noAnswer(attempts: entry.sent.count)))
      }
      let deadline = Deadline.after(timeouts.timeout)
      repeats += 1
      logger.debug("no answer; asking again", metadata: ["for": "\(entry.request.subject)"])
      pending[index].deadline = deadline
      pending[index].sent.append(try send(entry.request, by: deadline))
    }
    return nil
  }

  /// The result of matching a received packet.
  private enum Match {
    case result(RequestHandle, Result<CBORValue, ManagementFailure>)
    /// The response to a sealed request is unsealed: the device has no session.
    case sessionOver
    case stray
  }

  private func match(_ packet: [UInt8]) -> Match {
    guard let header = SMPHeader(packet.span), packet.count == SMPHeader.size + Int(header.length),
      let index = pending.firstIndex(where: {
        $0.sent.contains { $0.sequence == header.sequence } && $0.request.group == header.group
          && $0.request.command == header.command && $0.request.operation.response == header.operation
      }), let sent = pending[index].sent.first(where: { $0.sequence == header.sequence })
    else { return stray(packet) }
    var packet = packet
    var body = SMPHeader.size..<packet.count
    if let number = sent.number {
      guard header.isSealed else { return .sessionOver }
      guard let opened = sealing.open(&packet, number: number) else { return stray(packet) }
      body = opened
    } else if header.isSealed {
      return stray(packet)
    }
    let entry = pending.remove(at: index)
    return .result(entry.ticket, Self.result(of: packet.span.extracting(body)))
  }

  private func stray(_ packet: [UInt8]) -> Match {
    unexpectedPackets += 1
    logger.debug("a packet that matches no request", metadata: ["start": "\(packet.prefix(16).hexadecimal)"])
    return .stray
  }

  /// The body, or the error in it: `{"err": {"group", "rc"}}` in version 2, `{"rc"}` other than 0 in version
  /// 1.
  static func result(of body: Span<UInt8>) -> Result<CBORValue, ManagementFailure> {
    // Some servers respond to success with an empty body.
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
      guard let number = code.number else {
        return .failure(.refused(group: nil, code: UInt64(SMPReturnCode.unknown.rawValue)))
      }
      if number != 0 { return .failure(.refused(group: nil, code: number)) }
    }
    return .success(value)
  }
}

// MARK: - Sessions

extension SMPClient {
  /// Whether requests are sealed in a session.
  public var isSealed: Bool { sealing.isOpen }

  /// Holds the link for the thread that opens a session while `body` runs: a thread that ends sessions in the
  /// meantime waits for this one.
  func opening<Result>(_ body: () throws(HostLinkError) -> Result) throws(HostLinkError) -> Result {
    sealing.turn.take()
    defer { sealing.turn.give() }
    OpenSessions.add(self)
    return try body()
  }

  /// Uses this session for all further requests. `key` opens another session after it has ended.
  func take(_ session: consuming HostSession, key: borrowing AccessKey) {
    sealing.take(session, key: key)
  }

  /// Discards the session, which has ended on the device too, as its key was changed or it restarts.
  public func forgetSession() {
    sealing.turn.take()
    defer { sealing.turn.give() }
    sealing.forget()
  }

  /// Closes the session on the device, and waits at most half a second for the response. Outstanding requests
  /// are discarded.
  public func closeSession() {
    sealing.turn.take()
    defer { sealing.turn.give() }
    guard sealing.isOpen else { return }
    forgetAll()
    let request = ManagementRequest(
      "to end the session", .write, .herald, HeraldCommand.close, isRepeatable: false)
    let deadline = Deadline.after(min(timeouts.timeout, .milliseconds(500)))
    do {
      let sent = try send(request, by: deadline)
      while let packet = try transport.receive(by: deadline) {
        if packet.count > 6, packet[6] == sent.sequence { break }
      }
    } catch {
      logger.debug("the session could not be ended", metadata: ["why": "\(error)"])
    }
    sealing.forget()
  }

  /// Ends the session from another thread than the one that uses it. That thread cannot acquire the link any
  /// more, unless it holds the link for longer than `timeout`.
  func endForGood(within timeout: TimeInterval) {
    if sealing.turn.claim(within: timeout) { closeSession() }
  }

  /// Opens another session after an unsealed response, and repeats in it the requests that are repeatable and
  /// were not repeated before.
  private func renewSession() throws(HostLinkError) {
    let affected = pending.filter { $0.sent.contains { $0.number != nil } }
    pending.removeAll { $0.sent.contains { $0.number != nil } }
    var again = affected.filter { $0.request.isRepeatable && !$0.isRenewed }
    var lost = affected.filter { !$0.request.isRepeatable || $0.isRenewed }
    logger.debug("the session is over", metadata: ["questions": "\(affected.count)"])
    let key = sealing.forget()
    if !again.isEmpty, let key {
      do {
        try DeviceClient(self).unlock(key.key)
      } catch {
        logger.debug("no other session", metadata: ["why": "\(error)"])
      }
    }
    if !sealing.isOpen {
      lost += again
      again = []
    }
    for entry in again {
      var entry = entry
      entry.deadline = .after(timeouts.timeout)
      entry.sent = [try send(entry.request, by: entry.deadline)]
      entry.isRenewed = true
      pending.append(entry)
    }
    over += lost.map { ($0.ticket, .sessionOver) }
  }
}
