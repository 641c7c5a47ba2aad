import HeraldBluetooth
import HeraldDeviceLink
import HeraldEmbedded
import HeraldHAL
import HeraldHCI
import HeraldHostLink
import HeraldLinux

/// SMP over Bluetooth: packets in writes and notifications of at most ATT_MTU − 3 bytes, over a controller
/// that this program uses alone.
///
/// A device is found by its service, which it offers only when it is switched on. Its serial number is not
/// advertised: it is read on a connection (`BluetoothSearch`).
final class BluetoothTransport<Line: PollableTransport & ~Copyable>: SMPTransport, ManagementRadio {
  let location: String
  /// Requests that a device queues: one of a log transfer has about 60 bytes, of 472.
  let window = 6
  private(set) var damagedPackets = 0
  private(set) var receivedBytes = 0

  private var host: BluetoothHost<HCIRadio<Line, 1>, ManagementClient, 1>
  private let ownAddress: DeviceAddress
  private let clock = SystemClock()
  private var polls = PollSet()
  private var assembled: [UInt8] = []
  private var assembledAt = Instant.start

  /// How long a packet may be without a further part.
  private static var silence: Interval { .seconds(1) }
  /// How long the controller may take to be ready.
  private static var patience: Duration { .seconds(5) }

  /// Prepares the controller at the other end of `line`.
  /// - Throws: `.link` if it does not answer.
  init(serial: String, line: consuming Line) throws(HostLinkError) {
    location = "ble:\(serial)"
    // A random static address (Core Specification, Vol 6, Part B, 1.3.2.1).
    ownAddress = DeviceAddress(
      high: .random(in: 0xC000...0xFFFE), low: .random(in: 1...(.max - 1)), kind: .random)
    var taken = Optional(line)
    host = BluetoothHost(
      makingRadio: {
        guard let line = taken.take() else { preconditionFailure("a radio is made once") }
        return HCIRadio(transport: line)
      }, application: ManagementClient())
    guard wait(by: .after(Self.patience), { $0.radio.state == .ready }) else {
      throw HostLinkError(
        .link, "the Bluetooth controller does not answer", advice: "name another one with --controller")
    }
  }

  func listen(for duration: Duration, by deadline: Deadline) -> [HeardDevice] {
    host.application.beginListening()
    host.scan(
      ScanParameters(
        ownAddress: ownAddress, interval: .milliseconds(60), window: .milliseconds(60), active: true))
    _ = wait(by: min(deadline, .after(duration)), { _ in false })
    host.scan(nil)
    _ = host.poll(at: clock.now)
    return host.application.heard
  }

  func connect(to address: DeviceAddress, by deadline: Deadline) throws(HostLinkError) -> String {
    do throws(HostLinkError) {
      try open(address, by: deadline)
      let timeouts = SMPClient.Timeouts(timeout: min(deadline.remaining, .seconds(2)), attempts: 1)
      return try DeviceClient(SMPClient(transport: self, timeouts: timeouts)).serialNumber()
    } catch {
      close()
      throw error
    }
  }

  /// Connects to a device, finds the characteristic and enables its notifications.
  private func open(_ address: DeviceAddress, by deadline: Deadline) throws(HostLinkError) {
    host.application.hasFailed = false
    do throws(RadioError) {
      // 15 ms: the time at the end of an event that is too short for another packet is small beside it, and
      // after a lost packet, which ends an event, the next one is near.
      try host.radio.connect(to: address, ConnectionParameters(ownAddress: ownAddress, interval: 12))
    } catch {
      throw HostLinkError(.link, "the Bluetooth controller does not connect", advice: "try again")
    }
    guard
      wait(
        by: deadline, { $0.application.connection != nil || $0.application.hasFailed }),
      let connection = host.application.connection
    else {
      host.radio.cancelConnect()
      _ = wait(by: .after(.seconds(2)), { $0.application.hasFailed || $0.application.connection != nil })
      throw HostLinkError(.link, "a device that was found does not accept a connection", advice: "try again")
    }
    try run(.exchangeMTU(247), on: connection, by: deadline)
    try run(.discoverService128(HeraldUUIDs.management), on: connection, by: deadline)
    guard let service = host.application.service else { throw lost() }
    try run(.discoverCharacteristics(service), on: connection, by: deadline)
    let packets = host.application.packets
    guard packets != 0, packets < service.last else { throw lost() }
    try run(
      .subscribe(HandleRange(first: packets, last: service.last), .notifications), on: connection,
      by: deadline)
  }

  private func run(_ procedure: GATTProcedure, on connection: ConnectionID, by deadline: Deadline)
    throws(HostLinkError)
  {
    host.application.outcome = nil
    guard host.begin(procedure, on: connection),
      wait(by: deadline, { $0.application.outcome != nil }),
      case .success = host.application.outcome
    else { throw lost() }
  }

  private func lost() -> HostLinkError {
    HostLinkError(
      .link, "the Bluetooth connection to \(location) was lost",
      advice: "go nearer, and run the command again: what was pulled is kept")
  }

  /// Lets the host work until the condition holds, which it returns, or the deadline has passed.
  private func wait(
    by deadline: Deadline,
    _ holds: (borrowing BluetoothHost<HCIRadio<Line, 1>, ManagementClient, 1>) -> Bool
  ) -> Bool {
    while true {
      let now = clock.now
      let next = host.poll(at: now)
      if holds(host) { return true }
      if deadline.hasPassed { return false }
      guard next > now else { continue }
      polls.removeAll()
      polls.add(host.radio.transport.descriptor, write: host.radio.transport.wantsToWrite)
      let left = now + .milliseconds(UInt32(min(deadline.remaining / .milliseconds(1), 3_600_000)) + 1)
      polls.wait(until: min(next, left), from: now)
    }
  }

  func send(_ packet: [UInt8], by deadline: Deadline) throws(HostLinkError) {
    let size = host.application.mtu - 3
    for start in stride(from: 0, to: packet.count, by: size) {
      let packets = host.application.packets
      // Write Command (Vol 3, Part F, 3.4.5.3).
      var pdu: [UInt8] = [0x52, UInt8(truncatingIfNeeded: packets), UInt8(truncatingIfNeeded: packets >> 8)]
      pdu += packet[start..<min(start + size, packet.count)]
      defer { pdu.wipe() }
      while true {
        guard let connection = host.application.connection else { throw lost() }
        var isSent = false
        do throws(RadioError) {
          try host.radio.send(pdu.span, on: connection)
          isSent = true
        } catch {
          guard error == .busy, !deadline.hasPassed else { throw lost() }
        }
        _ = host.poll(at: clock.now)
        if isSent { break }
        _ = wait(by: min(deadline, .after(.milliseconds(5))), { _ in false })
      }
    }
  }

  func receive(by deadline: Deadline) throws(HostLinkError) -> [UInt8]? {
    while true {
      while !host.application.received.isEmpty {
        let part = host.application.received.removeFirst()
        receivedBytes &+= part.count
        if let packet = assemble(part) { return packet }
      }
      guard host.application.connection != nil else { throw lost() }
      guard
        wait(by: deadline, { !$0.application.received.isEmpty || $0.application.connection == nil })
      else { return nil }
    }
  }

  /// Adds a part; returns the packet that it completes. A packet begins with a part.
  private func assemble(_ part: [UInt8]) -> [UInt8]? {
    let now = clock.now
    if !assembled.isEmpty, now.since(assembledAt) > Self.silence {
      damagedPackets += 1
      assembled = []
    }
    assembledAt = now
    assembled += part
    guard assembled.count >= SMPHeader.size, let header = SMPHeader(assembled.span),
      assembled.count <= SMPHeader.size + Int(header.length)
    else {
      damagedPackets += 1
      assembled = []
      return nil
    }
    guard assembled.count == SMPHeader.size + Int(header.length) else { return nil }
    defer { assembled = [] }
    return assembled
  }

  func close() {
    guard let connection = host.application.connection else { return }
    host.radio.disconnect(connection)
    _ = wait(by: .after(.seconds(2)), { $0.application.connection == nil })
    assembled = []
  }
}
