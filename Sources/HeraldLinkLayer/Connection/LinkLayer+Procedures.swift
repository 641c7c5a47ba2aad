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
extension LinkLayer where Peripheral: ~Copyable {
  /// What this link layer says of itself: Bluetooth 4.0, so that peers offer it nothing that it has not.
  static var version: LinkLayerVersion { LinkLayerVersion(number: 6, company: 0xFFFF, subversion: 1) }

  /// Has a control PDU sent in the next event. The place for it is free.
  mutating func say(_ pdu: ControlPDU, on index: Int) {
    links[index].control.write(pdu)
    if case .terminate = pdu {
      links[index].deadline = links[index].timing.nominal + links[index].timing.timeout
      links[index].hasDeadline = true
    }
  }

  /// Looks at the control PDU that came. One that wants an answer stays where it is until there is a place
  /// for that, and the peer's next is not acknowledged as long: it cannot ask more quickly than it takes
  /// answers.
  mutating func control(_ index: Int) {
    let count = Int(links[index].inbox.count)
    guard count > 0, let pdu = ControlPDU(links[index].inbox.bytes.span.extracting(first: count)) else {
      return
    }
    let answer: ControlPDU?
    switch pdu {
    case .terminate(let reason):
      links[index].isTerminating = true
      links[index].reason = DisconnectReason(rawValue: reason)
      answer = nil
    case .connectionUpdate(let times, let instant) where links[index].role == .peripheral:
      take(times, instant, index)
      answer = nil
    case .channelMap(let map, let instant) where links[index].role == .peripheral:
      take(map, instant, index)
      answer = nil
    case .featureRequest where links[index].role == .peripheral: answer = .featureResponse
    case .encryption where links[index].role == .peripheral:
      answer = .reject(reason: DisconnectReason.unsupportedFeature.rawValue)
    case .version: answer = links[index].sentVersion ? nil : .version(Self.version)
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
      guard links[index].control.count == 0 else { return }
      if case .version = answer { links[index].sentVersion = true }
      say(answer, on: index)
    }
    links[index].inbox.count = 0
  }

  /// LL_CONNECTION_UPDATE_IND, which cannot be refused: nonsense ends the connection.
  private mutating func take(_ times: ConnectionTimes, _ instant: UInt16, _ index: Int) {
    guard times.isValid else {
      links[index].close(.invalidParameters)
      return
    }
    if !links[index].timing.plan(times, instant: instant) { links[index].close(.instantPassed) }
  }

  /// LL_CHANNEL_MAP_IND, likewise.
  private mutating func take(_ map: ChannelMap, _ instant: UInt16, _ index: Int) {
    guard map.isValid else {
      links[index].close(.invalidParameters)
      return
    }
    if !links[index].timing.plan(map, instant: instant) { links[index].close(.instantPassed) }
  }
}
