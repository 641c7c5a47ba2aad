import HeraldBluetooth
import HeraldHAL

extension DisconnectReason {
  /// Unsupported Remote Feature (0x1A).
  static var unsupportedFeature: Self { Self(rawValue: 0x1A) }
  /// Invalid Link Layer Parameters (0x1E).
  static var invalidParameters: Self { Self(rawValue: 0x1E) }
  /// LL Response Timeout (0x22).
  static var responseTimeout: Self { Self(rawValue: 0x22) }
  /// Instant Passed (0x28).
  static var instantPassed: Self { Self(rawValue: 0x28) }
}

// Control procedures (Core Specification, Vol 6, Part B, 5.1), executed below the radio interrupt. A control
// PDU is answered in the next event.
extension LinkLayerConnection {
  /// The version that this link layer reports: Bluetooth 4.0, so that peers do not use procedures that are
  /// not supported.
  static var version: LinkLayerVersion { LinkLayerVersion(number: 6, company: 0xFFFF, subversion: 1) }

  /// Queues a control PDU for the next event. The buffer for it is free.
  mutating func say(_ pdu: ControlPDU) {
    control.write(pdu)
    if case .terminate = pdu {
      deadline = timing.nominal + timing.timeout
      hasDeadline = true
    }
  }

  /// Processes the received control PDU. If it requires a response, it remains in the buffer until the
  /// response can be queued, and the next control PDU of the peer is not acknowledged until then: the rate of
  /// requests is limited by the rate at which the peer acknowledges responses.
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
    case .featureRequest where role == .peripheral:
      takeFeatures()
      answer = .featureResponse
    case .encryption where role == .peripheral:
      answer = .reject(reason: DisconnectReason.unsupportedFeature.rawValue)
    case .version(let version):
      takeVersion(version)
      answer = sentVersion ? nil : .version(Self.version)
    // Responses to own requests, and rejections. They are not answered, because the responses could alternate
    // without end.
    case .unknown(let opcode):
      own.refuse(opcode, DisconnectReason.unsupportedFeature.rawValue)
      answer = nil
    case .reject(let reason):
      own.end(own.awaited, reason)
      answer = nil
    case .featureResponse:
      if own.awaited == .features { takeFeatures() }
      answer = nil
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

  /// LL_CONNECTION_UPDATE_IND, which cannot be rejected: invalid values end the connection.
  private mutating func take(_ times: ConnectionTimes, _ instant: UInt16) {
    guard times.isValid else {
      close(.invalidParameters)
      return
    }
    if !timing.plan(times, instant: instant) { close(.instantPassed) }
  }

  /// LL_CHANNEL_MAP_IND, which cannot be rejected either.
  private mutating func take(_ map: ChannelMap, _ instant: UInt16) {
    guard map.isValid else {
      close(.invalidParameters)
      return
    }
    if !timing.plan(map, instant: instant) { close(.instantPassed) }
  }

  /// Processes the acknowledgement of a control PDU received in an event.
  mutating func takeAcknowledgement() {
    if controlAcknowledged {
      controlAcknowledged = false
      control.count = 0
      if control.bytes[0] == ControlOpcode.terminate { close(.localHostTerminated) }
    }
  }

  /// Advances to a later event, unless the connection is lost.
  mutating func goOn(by events: UInt16) {
    guard life == .open else { return }
    timing.advance(by: events)
    if timing.isLost {
      close(whyLost)
    } else if hasDeadline, deadline.isBefore(timing.nominal) {
      // The peer receives packets and does not acknowledge LL_TERMINATE_IND (5.1.6).
      close(.localHostTerminated)
    } else if own.awaited != .none, own.due.isBefore(timing.nominal) {
      close(.responseTimeout)
    }
  }

  private var whyLost: DisconnectReason {
    if isTerminating { return reason }
    if hasDeadline || wantsTermination { return .localHostTerminated }
    return timing.isEstablished ? .connectionTimeout : .failedToBeEstablished
  }
}
