import HeraldBluetooth
import HeraldHAL

/// A phone in a crowd: the externally visible behaviour of an Android phone with Herald.
///
/// It advertises once a second (Android's low power setting), accepts connections and serves its payload, and
/// neither scans nor connects. Phones with even numbers advertise Herald's short and long service and keep an
/// address for 15 minutes; those with odd numbers change their address every seven seconds and advertise the
/// long service and a pseudo device address, which changes every 15 minutes. Its GATT responses are
/// hand-written (`SimulatedPeer`) and share no code with this project's server.
final class AirPhone {
  private var radio: AirRadio
  private var host: Host

  /// Creates the phone at a station, with a payload that contains `number`.
  init(_ air: Air, station: Int, number: UInt64, seed: UInt64) {
    air.setRandomDelays(station)
    radio = AirRadio(air, station: station)
    host = Host(number: number, random: SeededRandom(seed: seed))
  }

  /// The advertising interval: Android's ADVERTISE_MODE_LOW_POWER.
  static var advertisingInterval: Interval { .seconds(1) }
  /// The lifetime of a phone's address, or of the pseudo device address of a phone with short-lived
  /// addresses.
  static var addressPeriod: Interval { .minutes(15) }
  /// The lifetime of a short-lived address.
  static var shortPeriod: Interval { .seconds(7) }

  /// Performs pending work. Returns the time at which it must be called again at the latest.
  func poll(at now: Instant) -> Instant {
    _ = radio.poll(at: now, into: &host)
    guard host.isReady else { return .never }
    guard now >= host.addressEnd else { return host.addressEnd }
    let address = host.takeAddress(at: now)
    let data = host.advertisement
    try? radio.startAdvertising(
      AdvertisingParameters(ownAddress: address, interval: Self.advertisingInterval, connectable: true),
      data: data.span, scanResponse: Span())
    return host.addressEnd
  }

  /// The event handler of the phone: a GATT server.
  private struct Host: RadioEventHandler {
    var isReady = false
    var addressEnd = Instant.start
    private let isHasty: Bool
    private var pseudoAddress: [UInt8] = []
    private var pseudoEnd = Instant.start
    private var random: SeededRandom
    private var server: SimulatedPeer

    init(number: UInt64, random: SeededRandom) {
      isHasty = number % 2 == 1
      self.random = random
      server = SimulatedPeer(fixedPayload: number)
    }

    /// Generates a resolvable private address, and a pseudo device address if its lifetime is over.
    mutating func takeAddress(at now: Instant) -> DeviceAddress {
      if now >= pseudoEnd {
        pseudoEnd = now + AirPhone.addressPeriod
        pseudoAddress = (0..<6).map { _ in UInt8(random.below(256)) }
      }
      addressEnd = now + (isHasty ? AirPhone.shortPeriod : AirPhone.addressPeriod)
      let high = UInt16(0x4000 | random.below(0x4000))
      return DeviceAddress(high: high, low: random.next(), kind: .random)
    }

    /// The advertising data: flags, the long service, and the short service or the pseudo device address; 25
    /// or 31 bytes.
    var advertisement: [UInt8] {
      let service: [UInt8] = [
        0x11, 0x07, 0x9B, 0xFD, 0x5B, 0xD6, 0x72, 0x45, 0x1E, 0x80, 0xD3, 0x42, 0x46, 0x47, 0xAF, 0x32, 0x81,
        0x42,
      ]
      return [0x02, 0x01, 0x02] + service
        + (isHasty ? [0x09, 0xFF, 0xFA, 0xFF] + pseudoAddress : [0x03, 0x03, 0xF6, 0xFC])
    }

    mutating func radioChanged(_ state: RadioState, at now: Instant) {
      isReady = state == .ready
      addressEnd = now
    }

    mutating func pduReceived(
      _ buffer: inout MutableSpan<UInt8>, count: Int, on connection: ConnectionID, at now: Instant
    ) -> Int {
      var answer: [23 of UInt8] = .init(repeating: 0)
      var span = answer.mutableSpan
      let length = server.answer(buffer.span.extracting(0..<count), into: &span)
      for index in 0..<length { buffer[index] = answer[index] }
      return length
    }

    mutating func received(_ report: AdvertisingReport, data: Span<UInt8>, at now: Instant) {}
    mutating func connectionOpened(_ opened: ConnectionOpened, at now: Instant) {}
    mutating func connectionFailed(_ reason: DisconnectReason, at now: Instant) {}
    mutating func connectionClosed(_ connection: ConnectionID, _ reason: DisconnectReason, at now: Instant) {}
    mutating func readyToSend(on connection: ConnectionID, at now: Instant) {}
    mutating func measured(_ rssi: RSSI, on connection: ConnectionID, at now: Instant) {}
  }
}
