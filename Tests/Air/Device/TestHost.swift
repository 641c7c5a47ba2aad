import HeraldBluetooth
import HeraldHAL
import HeraldLinkLayer

/// A host of a link layer that advertises, scans, connects and exchanges payloads as its settings say, and
/// checks that payloads are received in order and once.
final class TestHost<Peripheral: RadioPeripheral & ~Copyable> {
  /// What has happened so far.
  struct Counts {
    var advertisements = 0
    var responses = 0
    var opened = 0
    var closed: [UInt8: Int] = [:]
    var failed = 0
    var sent = 0
    var received = 0
    var misordered = 0
  }

  /// An open connection.
  private struct Link {
    /// The number of the device that it was requested to, of a central.
    var target: Int?
    var opened: Int
    var nextPayload: Int
    var sent: UInt32 = 0
    var received: UInt32 = 0
    var isClosing = false
  }

  let number: Int
  let settings: DeviceSettings
  var counts = Counts()
  var layer: LinkLayer<Peripheral, 4>
  private var links: [Link?] = .init(repeating: nil, count: 4)
  private var isAdvertising = false
  /// All connections were in use when connectable advertising was started: it is scannable instead.
  private var isFull = false
  /// The device to which a connection is being initiated.
  private var initiating: Int?
  private var initiatingSince = 0
  private var nextTarget = 0

  init(_ number: Int, _ settings: DeviceSettings, radio: consuming Peripheral) {
    self.number = number
    self.settings = settings
    layer = LinkLayer(radio: radio, seed: UInt32(truncatingIfNeeded: settings.options.seed &* 7919) | 1)
    if settings.scans {
      try? layer.scan(active: settings.isActive, as: Self.address(number), every: 30, for: 30)
    }
  }

  /// The address of a device: random static.
  static func address(_ number: Int) -> DeviceAddress {
    DeviceAddress(high: 0xC000, low: UInt32(number), kind: .random)
  }

  /// Takes events, reports and payloads, and makes requests. `now` is the simulated time in milliseconds.
  func poll(now: Int) {
    takeReports()
    takeAll(now)
    advertise()
    connect(now)
    transmit(now)
  }

  private func takeReports() {
    while let heard = layer.takeReport() {
      // SCAN_RSP is PDU type 4.
      if heard.bytes[0] & 0x0F == 4 { counts.responses += 1 } else { counts.advertisements += 1 }
    }
  }

  private func takeAll(_ now: Int) {
    takePayloads()
    while let event = layer.takeEvent() {
      switch event {
      case .opened(let connection, let role, _):
        counts.opened += 1
        links[connection] = Link(
          target: role == .central ? initiating : nil, opened: now, nextPayload: now)
        if role == .central { initiating = nil } else { isAdvertising = false }
      case .closed(let connection, let reason):
        counts.closed[reason.rawValue, default: 0] += 1
        links[connection] = nil
        if isFull { isAdvertising = false }
      case .connectFailed:
        counts.failed += 1
        initiating = nil
      case .directedAdvertisingEnded: isAdvertising = false
      case .ready: break
      }
      takePayloads()
    }
  }

  private func takePayloads() {
    var counts = counts
    var links = links
    while layer.takePayload({ connection, _, payload in
      counts.received += 1
      var sequence: UInt32 = 0
      for index in 0..<min(4, payload.count) { sequence |= UInt32(payload[index]) << (8 * UInt32(index)) }
      if links[connection]?.received != sequence { counts.misordered += 1 }
      links[connection]?.received = sequence &+ 1
    }) {}
    self.counts = counts
    self.links = links
  }

  private func advertise() {
    guard let kind = settings.advertising, !isAdvertising, links.count(where: { $0 != nil }) < settings.limit
    else { return }
    switch kind {
    case .connectable:
      isFull = !advertise(.connectable)
      isAdvertising = isFull ? advertise(.scannable) : true
    case .scannable: isAdvertising = advertise(.scannable)
    case .nonconnectable: isAdvertising = advertise(.nonConnectable)
    }
  }

  private func advertise(_ type: AdvertisingType) -> Bool {
    // Flags; a complete local name.
    let data: [UInt8] = [2, 1, 6]
    let response: [UInt8] = [4, 9, 0x61, 0x69, UInt8(0x30 + number % 10)]
    let result: Void? = try? layer.advertise(
      type, as: Self.address(number), every: settings.advertisingInterval, data: data.span,
      response: response.span)
    return result != nil
  }

  private func connect(_ now: Int) {
    if initiating != nil {
      // The target may be connected to others.
      if now - initiatingSince > 2000 { layer.cancelConnect() }
      return
    }
    let connected = links.compactMap { $0?.target }
    let missing = settings.targets.filter { !connected.contains($0) }
    guard !missing.isEmpty else { return }
    nextTarget += 1
    let target = missing[nextTarget % missing.count]
    let result: Void? = try? layer.connect(
      to: Self.address(target), as: Self.address(number), interval: settings.interval,
      timeout: settings.timeout)
    if result != nil {
      initiating = target
      initiatingSince = now
    }
  }

  private func transmit(_ now: Int) {
    for connection in links.indices {
      guard let link = links[connection], !link.isClosing else { continue }
      if settings.hold > 0, link.target != nil, now - link.opened >= Int(settings.hold) {
        links[connection]?.isClosing = true
        layer.disconnect(connection)
        continue
      }
      guard let wait = settings.dataInterval else { continue }
      while let link = links[connection], link.nextPayload <= now, send(link.sent, on: connection) {
        counts.sent += 1
        links[connection]?.sent &+= 1
        links[connection]?.nextPayload = wait == 0 ? now : link.nextPayload + Int(wait)
      }
    }
  }

  /// Sends a payload of 4…27 bytes that begins with a sequence number.
  private func send(_ sequence: UInt32, on connection: Int) -> Bool {
    var payload = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 4 + Int(sequence % 24))
    for index in 0..<4 { payload[index] = UInt8(truncatingIfNeeded: sequence >> (8 * UInt32(index))) }
    return (try? layer.send(payload.span, isStart: true, on: connection)) != nil
  }

  /// The counts as a line of JSON.
  var report: String {
    let reasons = counts.closed.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \($0.value)" }
    return """
      {"device": \(number), "advertisements": \(counts.advertisements), "responses": \(counts.responses), \
      "opened": \(counts.opened), "closed": {\(reasons.joined(separator: ", "))}, "failed": \(counts.failed), \
      "sent": \(counts.sent), "received": \(counts.received), "misordered": \(counts.misordered), \
      "late": \(layer.counters.late), "skipped": \(layer.counters.eventsSkipped)}
      """
  }
}
