import HeraldBluetooth
import HeraldHAL

/// A flood of generated addresses that are advertised within a crowd and do not belong to Herald devices.
public struct CrowdFlood: Equatable, Sendable {
  /// The response to a connection request to one of them.
  public enum Kind: String, CaseIterable, Sendable {
    /// The connection request has no response: Connection Failed to be Established (0x3E).
    case unanswered
    /// The connection is made, and no request on it is answered.
    case silent
  }

  /// The response to connection requests.
  public var kind: Kind
  /// New addresses per second, of all senders together.
  public var addressesPerSecond = 10
  /// The number of senders. Each has one address at a time, so an address is advertised for `senders /
  /// addressesPerSecond` seconds.
  public var senders = 10
  /// The advertising interval of an address.
  public var advertisingInterval: Interval = .milliseconds(100)

  /// Creates a flood of ten new addresses per second, each advertised ten times.
  public init(_ kind: Kind) { self.kind = kind }

  /// Creates a flood of this number of new addresses per second, each advertised ten times.
  public init(_ kind: Kind, addressesPerSecond: Int) {
    self.kind = kind
    self.addressesPerSecond = addressesPerSecond
    senders = addressesPerSecond
  }

  /// The time for which an address is advertised.
  public var addressLife: Interval {
    .milliseconds(UInt32(clamping: max(1, senders) * 1000 / max(1, addressesPerSecond)))
  }
}

/// A sender of a flood: advertises Herald's service with a sequence of generated addresses.
final class FloodingStation {
  private var radio: AirRadio
  private var host: Host

  /// Creates sender `number` of a flood at a station. The senders change their addresses in turn.
  init(_ air: Air, station: Int, number: Int, of flood: CrowdFlood, seed: UInt64) {
    if flood.kind == .unanswered {
      // A radio without connections ignores connection requests.
      var capabilities = AirRadio.usualCapabilities
      capabilities.connections = 0
      air.setCapabilities(station, capabilities)
    }
    air.setRandomDelays(station)
    radio = AirRadio(air, station: station)
    let life = flood.addressLife
    let first = UInt64(life.milliseconds) * UInt64(number + 1) / UInt64(max(1, flood.senders))
    host = Host(
      flood: flood, life: life, firstEnd: Instant(milliseconds: first), random: SeededRandom(seed: seed))
  }

  /// Performs pending work. Returns the time at which it must be called again at the latest.
  func poll(at now: Instant) -> Instant {
    _ = radio.poll(at: now, into: &host)
    guard host.isReady else { return .never }
    guard now >= host.addressEnd || !host.isAdvertising else { return host.addressEnd }
    if host.isAdvertising { host.addressEnd = host.addressEnd + host.life }
    host.isAdvertising = true
    // Flags, Herald's short service.
    let data: [UInt8] = [0x02, 0x01, 0x06, 0x03, 0x03, 0xF6, 0xFC]
    try? radio.startAdvertising(
      AdvertisingParameters(
        ownAddress: host.nextAddress(), interval: host.flood.advertisingInterval, connectable: true),
      data: data.span, scanResponse: Span())
    return host.addressEnd
  }

  /// Ignores all events.
  private struct Host: RadioEventHandler {
    let flood: CrowdFlood
    let life: Interval
    var isReady = false
    var isAdvertising = false
    var addressEnd: Instant
    private var random: SeededRandom

    init(flood: CrowdFlood, life: Interval, firstEnd: Instant, random: SeededRandom) {
      self.flood = flood
      self.life = life
      addressEnd = firstEnd
      self.random = random
    }

    /// Generates a resolvable private address.
    mutating func nextAddress() -> DeviceAddress {
      DeviceAddress(high: UInt16(0x4000 | random.below(0x4000)), low: random.next(), kind: .random)
    }

    mutating func radioChanged(_ state: RadioState, at now: Instant) { isReady = state == .ready }
    mutating func pduReceived(
      _ buffer: inout MutableSpan<UInt8>, count: Int, on connection: ConnectionID, at now: Instant
    ) -> Int { 0 }
    mutating func received(_ report: AdvertisingReport, data: Span<UInt8>, at now: Instant) {}
    mutating func connectionOpened(_ opened: ConnectionOpened, at now: Instant) {}
    mutating func connectionFailed(_ reason: DisconnectReason, at now: Instant) {}
    mutating func connectionClosed(_ connection: ConnectionID, _ reason: DisconnectReason, at now: Instant) {}
    mutating func readyToSend(on connection: ConnectionID, at now: Instant) {}
    mutating func measured(_ rssi: RSSI, on connection: ConnectionID, at now: Instant) {}
  }
}
