import HeraldBluetooth
import HeraldHAL

/// A phone in a crowd: the externally visible behaviour of an Android phone with Herald.
///
/// It advertises once a second (Android's low power setting), is connected to and read, and neither scans nor
/// connects. Phones with even numbers show Herald's short and long service and keep an address for 15
/// minutes; those with odd numbers take a new address every seven seconds, and show the long service and a
/// pseudo device address, new every 15 minutes. What it serves is written by hand (`SimulatedPeer`) and
/// shares no code with our server.
final class AirPhone {
  private var radio: AirRadio
  private var host: Host

  /// The phone at a station of the air, with a payload that holds `number`.
  init(_ air: Air, station: Int, number: UInt64, seed: UInt64) {
    radio = AirRadio(air, station: station)
    host = Host(number: number, random: SeededRandom(seed: seed))
  }

  /// From one advertisement to the next: Android's ADVERTISE_MODE_LOW_POWER.
  static var advertisingInterval: Interval { .seconds(1) }
  /// How long a phone's address lives, or the pseudo device address of one whose address lives for a few
  /// seconds.
  static var addressPeriod: Interval { .minutes(15) }
  /// How long the address of such a phone lives.
  static var shortPeriod: Interval { .seconds(7) }

  /// Does what is to be done, and returns when to call again at the latest.
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

  /// What runs on the phone.
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

    /// A new resolvable private address, and with it what is due of the rest.
    mutating func takeAddress(at now: Instant) -> DeviceAddress {
      if now >= pseudoEnd {
        pseudoEnd = now + AirPhone.addressPeriod
        pseudoAddress = (0..<6).map { _ in UInt8(random.below(256)) }
      }
      addressEnd = now + (isHasty ? AirPhone.shortPeriod : AirPhone.addressPeriod)
      let high = UInt16(0x4000 | random.below(0x4000))
      return DeviceAddress(high: high, low: random.next(), kind: .random)
    }

    /// Flags, the long service, and the short service or the pseudo device address: 25 or 31 bytes.
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
