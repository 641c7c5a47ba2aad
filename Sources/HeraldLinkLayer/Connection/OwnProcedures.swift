import HeraldBluetooth
import HeraldHAL

/// A set of the control procedures that this device may start.
struct ProcedureSet: Equatable, BitwiseCopyable {
  var rawValue: UInt8

  static var none: Self { Self(rawValue: 0) }
  /// Feature exchange, as central.
  static var features: Self { Self(rawValue: 1) }
  /// Version exchange.
  static var version: Self { Self(rawValue: 2) }
  /// Connection update, as central.
  static var update: Self { Self(rawValue: 4) }
  /// Channel map update, as central.
  static var channelMap: Self { Self(rawValue: 8) }

  func contains(_ other: Self) -> Bool { rawValue & other.rawValue != 0 }
  mutating func insert(_ other: Self) { rawValue |= other.rawValue }
  mutating func remove(_ other: Self) { rawValue &= ~other.rawValue }
}

/// The state of the control procedures that this device starts on a connection. All bits are zero at its
/// start.
struct OwnProcedures: BitwiseCopyable {
  /// The procedures that are to be started.
  var wanted = ProcedureSet.none
  /// The procedure whose response must arrive before `due`.
  var awaited = ProcedureSet.none
  /// The procedures whose result has not been reported to the host.
  var finished = ProcedureSet.none
  /// The result of the last feature exchange: 0, or the reason for which the peer has refused it.
  var status = UInt8(0)
  var due = RadioTime(microseconds: 0)
  /// Whether the FeatureSet of the peer is known: from LL_FEATURE_RSP, or from its LL_FEATURE_REQ.
  var knowsFeatures = false
  var features: [8 of UInt8] = .init(repeating: 0)
  /// The content of the peer's LL_VERSION_IND; its number is 0 if none was received.
  var version = LinkLayerVersion(number: 0, company: 0, subversion: 0)

  init() {}

  /// The time within which the peer must respond, in microseconds (5.2). It does not apply to connection
  /// updates and channel map updates, to which there is no response.
  static var timeout: UInt32 { 40_000_000 }

  /// Begins a procedure to which the peer must respond.
  mutating func begin(_ procedure: ProcedureSet, at time: RadioTime) {
    wanted.remove(procedure)
    awaited = procedure
    due = time + Self.timeout
  }

  /// Ends the awaited procedure, if it is this one.
  @inline(never)
  mutating func end(_ procedure: ProcedureSet, _ status: UInt8 = 0) {
    guard awaited == procedure, procedure != .none else { return }
    awaited = .none
    finished.insert(procedure)
    if procedure == .features { self.status = status }
  }

  /// The request with this opcode was refused.
  @inline(never)
  mutating func refuse(_ opcode: UInt8, _ status: UInt8) {
    if opcode == ControlOpcode.featureRequest { end(.features, status) }
    if opcode == ControlOpcode.version { end(.version, status) }
  }
}

// Control procedures started by this device (Core Specification, Vol 6, Part B, 5.1).
extension LinkLayerConnection {
  /// The number of events before an instant in which the peer receives: enough for several retransmissions
  /// (5.1.1).
  private static var eventsBeforeInstant: UInt16 { 6 }

  /// Queues the control PDU of a procedure that is to be started, for the event that is about to begin, if
  /// the buffer is free and no other procedure of this device is in progress. `channels` is the channel map
  /// for a channel map update.
  @inline(never)
  mutating func startProcedure(_ channels: ChannelMap) {
    guard own.wanted != .none, own.awaited == .none, control.count == 0, !timing.awaitsInstant,
      !isTerminating, !hasDeadline
    else { return }
    // A peripheral that uses its latency receives the PDU up to `latency` events later.
    let instant = timing.counter &+ timing.latency &+ Self.eventsBeforeInstant
    if own.wanted.contains(.version) {
      own.begin(.version, at: timing.nominal)
      // A device transmits LL_VERSION_IND once. If it has done so, in response to that of the peer, the
      // result is known.
      if sentVersion {
        own.end(.version)
      } else {
        sentVersion = true
        say(.version(Self.version))
      }
    } else if own.wanted.contains(.features) {
      own.begin(.features, at: timing.nominal)
      say(.featureRequest)
    } else if own.wanted.contains(.update) {
      own.wanted.remove(.update)
      say(.connectionUpdate(timing.update, instant: instant))
      timing.planProposal(instant: instant)
    } else {
      own.wanted.remove(.channelMap)
      say(.channelMap(channels, instant: instant))
      _ = timing.plan(channels, instant: instant)
    }
  }

  /// Stores the FeatureSet of LL_FEATURE_RSP or LL_FEATURE_REQ, which is in the inbox.
  mutating func takeFeatures() {
    own.knowsFeatures = true
    var index = 0
    while index < 8 {
      own.features[index] = inbox.bytes[index &+ 1]
      index &+= 1
    }
    own.end(.features)
  }

  /// Processes LL_VERSION_IND.
  mutating func takeVersion(_ version: LinkLayerVersion) {
    own.version = version
    own.end(.version)
  }
}
