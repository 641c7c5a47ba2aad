import HeraldBluetooth
import HeraldHAL

extension DisconnectReason {
  /// Unsupported Remote Feature (0x1A).
  static var unsupportedFeature: Self { Self(rawValue: 0x1A) }
  /// Invalid Link Layer Parameters (0x1E).
  static var invalidParameters: Self { Self(rawValue: 0x1E) }
  /// Instant Passed (0x28).
  static var instantPassed: Self { Self(rawValue: 0x28) }
}

// Control procedures (Core Specification, Vol 6, Part B, 5.1), below the radio interrupt. What a peer says is
// answered in the next event.
extension Link {
  /// What this link layer says of itself: Bluetooth 4.0, so that peers offer it nothing that it has not.
  static var version: LinkLayerVersion { LinkLayerVersion(number: 6, company: 0xFFFF, subversion: 1) }

  /// Has a control PDU sent in the next event. The place for it is free.
  mutating func say(_ pdu: ControlPDU) {
    control.write(pdu)
    if case .terminate = pdu {
      deadline = timing.nominal + timing.timeout
      hasDeadline = true
    }
  }

  /// Looks at the control PDU that came. One that wants an answer stays where it is until there is a place
  /// for that, and the peer's next is not acknowledged as long: it cannot ask more quickly than it takes
  /// answers.
  mutating func readControl() {
    let count = Int(inbox.count)
    guard count > 0, let pdu = ControlPDU(inbox.bytes.span.extracting(first: count)) else {
      return
    }
    let answer: ControlPDU?
    switch pdu {
    case .terminate(let reason):
      isTerminating = true
      self.reason = DisconnectReason(rawValue: reason)
      answer = nil
    case .connectionUpdate(let times, let instant) where role == .peripheral:
      take(times, instant)
      answer = nil
    case .channelMap(let map, let instant) where role == .peripheral:
      take(map, instant)
      answer = nil
    case .featureRequest where role == .peripheral: answer = .featureResponse
    case .encryption where role == .peripheral:
      answer = .reject(reason: DisconnectReason.unsupportedFeature.rawValue)
    case .version: answer = sentVersion ? nil : .version(Self.version)
    // The answers to what we ask, and refusals: an answer to one of these could go on for ever.
    case .unknown, .reject, .featureResponse: answer = nil
    case .other(opcode: ControlOpcode.unknown), .other(opcode: ControlOpcode.reject),
      .other(opcode: ControlOpcode.rejectExtended):
      answer = nil
    case .connectionUpdate: answer = .unknown(opcode: ControlOpcode.connectionUpdate)
    case .channelMap: answer = .unknown(opcode: ControlOpcode.channelMap)
    case .featureRequest: answer = .unknown(opcode: ControlOpcode.featureRequest)
    case .encryption: answer = .unknown(opcode: ControlOpcode.encryption)
    case .other(let opcode): answer = .unknown(opcode: opcode)
    }
    if let answer {
      guard control.count == 0 else { return }
      if case .version = answer { sentVersion = true }
      say(answer)
    }
    inbox.count = 0
  }

  /// LL_CONNECTION_UPDATE_IND, which cannot be refused: nonsense ends the connection.
  private mutating func take(_ times: ConnectionTimes, _ instant: UInt16) {
    guard times.isValid else {
      close(.invalidParameters)
      return
    }
    if !timing.plan(times, instant: instant) { close(.instantPassed) }
  }

  /// LL_CHANNEL_MAP_IND, likewise.
  private mutating func take(_ map: ChannelMap, _ instant: UInt16) {
    guard map.isValid else {
      close(.invalidParameters)
      return
    }
    if !timing.plan(map, instant: instant) { close(.instantPassed) }
  }

  /// Takes in what the peer acknowledged in an event.
  mutating func takeAcknowledgements() {
    if controlAcknowledged {
      controlAcknowledged = false
      control.count = 0
      if control.bytes[0] == ControlOpcode.terminate { close(.localHostTerminated) }
    }
    queued &-= dataAcknowledged
    head = (head &+ dataAcknowledged) & 1
    dataAcknowledged = 0
    offered = 0
  }

  /// Goes on to a later event, unless the peer is lost.
  mutating func goOn(by events: UInt16) {
    guard life == .open else { return }
    timing.advance(by: events)
    if timing.isLost {
      close(whyLost)
    } else if hasDeadline, deadline.isBefore(timing.nominal) {
      // The peer hears us and does not acknowledge that it is over (5.1.6).
      close(.localHostTerminated)
    }
  }

  private var whyLost: DisconnectReason {
    if isTerminating { return reason }
    if hasDeadline || wantsTermination { return .localHostTerminated }
    return timing.isEstablished ? .connectionTimeout : .failedToBeEstablished
  }
}
