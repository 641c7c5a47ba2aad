import HeraldHAL
import HeraldSimulation

/// A central for tests, written from the text of the specification and independent of the link layer: it
/// connects to the first connectable advertisement, executes its connection events, and simulates the
/// configured errors.
final class ScriptedCentral: MediumDevice {
  static let crcInit: UInt32 = 0x1B7F2C

  /// The access address; a second central must use another one.
  var accessAddress: UInt32 = 0x5065_5DA3

  let medium: RadioMedium
  var radio: MediumRadio
  let deviation: Int
  // The CONNECT_IND.
  var windowSize: UInt8 = 2
  var windowOffset: UInt16 = 0
  var interval: UInt16 = 24
  var latency: UInt16 = 0
  var timeout: UInt16 = 100
  var channels: UInt64 = 0x1F_FFFF_FFFF
  var hop = 7
  /// The declared clock accuracy: 500 ppm.
  var accuracy = 0
  /// Replaces the fields: 22 bytes from the access address on.
  var fields: [UInt8]?
  /// The time of the first anchor point after the start of its window, in microseconds.
  var into = 0

  /// The payloads to be transmitted: LLID and payload.
  var queue: [(UInt8, [UInt8])] = []
  /// The received payloads: LLID and payload, and the number of the event.
  var got: [(llid: UInt8, payload: [UInt8], event: Int)] = []
  /// The events in which a packet was received.
  var answered: [Int] = []
  /// Packets to be transmitted with a wrong CRC: determined by `spoils(event, number)`.
  var spoils: (Int, Int) -> Bool = { _, _ in false }
  /// Events that are omitted.
  var isSilent: (Int) -> Bool = { _ in false }
  /// Events whose responses are ignored.
  var isDeaf: (Int) -> Bool = { _ in false }
  /// Called before an event.
  var before: (ScriptedCentral, Int) -> Void = { _, _ in }
  /// The maximum number of exchanges in one event.
  var exchanges = 6
  /// No PDU is acknowledged from the event with this number on.
  var stubbornFrom = Int.max

  private(set) var event = 0
  private(set) var isConnected = false
  private enum Phase { case listen, request, transmit, hear }
  private var phase = Phase.listen
  private var unmapped = 0
  private var sequence = false
  private var expected = false
  private var unsent: (UInt8, [UInt8])?
  private var number = 0
  private var anchor = 0
  private var updates: [(instant: Int, change: () -> Void)] = []
  private var firstOffset = 0

  init(_ medium: RadioMedium, _ number: Int, deviation: Int = 0) {
    self.medium = medium
    self.deviation = deviation
    radio = medium.makeRadio(deviation: deviation)
    medium.attach(self, to: number)
  }

  private static func bytes(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }

  /// Starts scanning for an advertisement on channel 37.
  func connect() {
    phase = .listen
    receive(window: 30_000_000)
  }

  private func receive(window: UInt32) {
    radio.start(
      .receive(
        from: radio.now() + 250, window: window, channel: 37, accessAddress: RawDevice.advertisingAddress,
        crcInit: RawDevice.advertisingCRC, longestPayload: 37))
  }

  func proceduresInterrupt() {}

  func radioInterrupt() -> Bool {
    guard let outcome = radio.takeOutcome() else { return false }
    switch phase {
    case .listen:
      let pdu = outcome.kind == .received ? radio.received() : []
      guard let type = pdu.first, type & 0x0F <= 1 else {
        radio.proceed(outcome.kind == .silent ? .stop : .receiveAgain)
        return false
      }
      let data =
        fields ?? Self.bytes(Int(accessAddress), 4) + Self.bytes(Int(Self.crcInit), 3) + [windowSize]
        + Self.bytes(Int(windowOffset), 2) + Self.bytes(Int(interval), 2) + Self.bytes(Int(latency), 2)
        + Self.bytes(Int(timeout), 2) + Self.bytes(Int(channels), 5) + [UInt8(hop | accuracy << 5)]
      radio.load([0x45 | (type & 0x40) << 1, 34, 1, 2, 3, 4, 5, 0xC6] + pdu[2..<8] + data)
      phase = .request
      radio.proceed(.transmitAfterSpace)
    case .request:
      radio.proceed(.stop)
      isConnected = true
      unmapped = hop % 37
      plan(at: medium.time + (1250 + Int(windowOffset) * 1250 + into) * 1000)
    case .transmit:
      radio.proceed(isDeaf(event) ? .stop : .receiveAfterSpace)
      phase = .hear
      if isDeaf(event) { next() }
    case .hear: heard(outcome)
    }
    return false
  }

  /// Schedules an event whose first bit is transmitted at a time of the medium, in nanoseconds.
  private func plan(at moment: Int) {
    anchor = moment
    medium.at(moment - 400_000) { self.begin() }
  }

  private func begin() {
    before(self, event)
    number = 0
    guard !isSilent(event), isConnected else {
      if isConnected { next() }
      return
    }
    phase = .transmit
    let length = (anchor - medium.time) / 1000
    load()
    radio.start(
      .transmit(
        at: radio.now() + UInt32(length), channel: channel, accessAddress: accessAddress,
        crcInit: Self.crcInit,
        longestPayload: 27))
  }

  private var channel: UInt8 {
    let used = (0..<37).filter { channels >> UInt64($0) & 1 == 1 }
    return UInt8(used.contains(unmapped) ? unmapped : used[unmapped % used.count])
  }

  private func load() {
    if unsent == nil { unsent = queue.isEmpty ? (1, []) : queue.removeFirst() }
    guard let (llid, payload) = unsent else { return }
    let head = llid | (expected ? 4 : 0) | (sequence ? 8 : 0) | (queue.isEmpty ? 0 : 16)
    radio.load([head, UInt8(payload.count)] + payload)
    if spoils(event, number) { radio.spoilNext() }
  }

  private func heard(_ outcome: RadioOutcome) {
    guard outcome.kind == .received || outcome.kind == .damaged else {
      radio.proceed(.stop)
      next()
      return
    }
    number += 1
    var hasMore = true
    if outcome.kind == .received {
      let pdu = radio.received()
      answered.append(event)
      hasMore = pdu[0] & 16 != 0
      if (pdu[0] & 4 != 0) != sequence {
        sequence.toggle()
        unsent = nil
      }
      if (pdu[0] & 8 != 0) == expected, event < stubbornFrom {
        expected.toggle()
        if pdu[1] > 0 { got.append((pdu[0] & 3, Array(pdu[2...]), event)) }
      }
    }
    guard number < exchanges, hasMore || !queue.isEmpty || unsent != nil else {
      radio.proceed(.stop)
      next()
      return
    }
    load()
    phase = .transmit
    radio.proceed(.transmitAfterSpace)
  }

  private func next() {
    event += 1
    // The time until the instant is counted with the old interval.
    var step = Int(interval) * 1250
    for update in updates where update.instant == event & 0xFFFF { update.change() }
    updates.removeAll { $0.instant == event & 0xFFFF }
    step += firstOffset
    firstOffset = 0
    unmapped = (unmapped + hop) % 37
    plan(at: anchor + step * 1000 - step * deviation / 1000)
  }

  /// Stops transmitting without terminating the connection.
  func vanish() { isConnected = false }

  /// Starts a connection update with an instant this number of events ahead. The anchor point is then `into`
  /// microseconds after the start of its window.
  func update(
    interval: UInt16, latency: UInt16 = 0, timeout: UInt16 = 100, offset: Int = 0, into: Int = 0,
    ahead: Int = 6
  ) {
    let instant = event + ahead
    queue.append(
      (
        3,
        [0, 2] + Self.bytes(offset, 2) + Self.bytes(Int(interval), 2) + Self.bytes(Int(latency), 2)
          + Self.bytes(Int(timeout), 2) + Self.bytes(instant, 2)
      ))
    updates.append(
      (
        instant & 0xFFFF,
        {
          self.firstOffset = offset * 1250 + into
          self.interval = interval
        }
      ))
  }

  /// Starts a channel map update with an instant this number of events ahead.
  func remap(_ map: UInt64, ahead: Int = 6) {
    let instant = event + ahead
    queue.append((3, [1] + Self.bytes(Int(map), 5) + Self.bytes(instant, 2)))
    updates.append((instant & 0xFFFF, { self.channels = map }))
  }
}
