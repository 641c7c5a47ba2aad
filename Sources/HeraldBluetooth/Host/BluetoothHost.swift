import HeraldHAL

/// A Bluetooth LE host: a radio, an ATT server and, on each connection, a GATT client. This one value owns
/// all memory; it allocates nothing, does not block, and reads no clock.
///
/// ```swift
/// var host = BluetoothHost<_, _, 2>(radio: radio, application: HeartRate())
/// host.advertise(parameters, data: advertisement.span)
/// while true { board.rest(until: host.poll(at: board.now())) }
/// ```
///
/// Advertising and scanning are set once and hold until they are changed: the host repeats the commands when
/// the radio has restarted, and the radio advertises again when a connection has ended advertising.
/// `connections` is how many connections are held at once, 0…32; while all are taken, advertising is not
/// connectable.
public struct BluetoothHost<
  RadioType: Radio & ~Copyable, Application: BluetoothApplication & ~Copyable, let connections: Int
>: ~Copyable {
  /// The radio. The host commands this radio; `disconnect(_:)` and `readRSSI(_:)` are called here.
  public var radio: RadioType
  /// Handles the radio's events.
  var events: HostConnections<Application, connections>
  var advertisement: HostAdvertisement
  var scan: ScanParameters?

  /// A host over the radio that `radio` makes, in place: one that is passed in would be copied over the
  /// stack.
  public init(makingRadio radio: () -> RadioType, application: consuming Application) {
    self.radio = radio()
    events = HostConnections(application: application)
    advertisement = HostAdvertisement()
    scan = nil
  }

  /// A host over `radio`. It works from the first `poll` on.
  public init(radio: consuming RadioType, application: consuming Application) {
    self.radio = radio
    events = HostConnections(application: application)
    advertisement = HostAdvertisement()
    scan = nil
  }

  /// The application.
  public var application: Application {
    _read { yield events.application }
    _modify { yield &events.application }
  }

  /// When a call that the radio refused is repeated.
  static var retryPeriod: Interval { .milliseconds(100) }

  // MARK: Stated once

  /// Advertises from now on, in place of what was advertised before. Returns `false`, changing nothing, if
  /// `data` or `scanResponse` has more than 31 bytes.
  @discardableResult
  public mutating func advertise(
    _ parameters: AdvertisingParameters, data: Span<UInt8>, scanResponse: Span<UInt8> = Span()
  ) -> Bool {
    events.isStale = true
    return advertisement.set(parameters, data, scanResponse)
  }

  /// Stops advertising.
  public mutating func stopAdvertising() {
    advertisement.isWanted = false
    advertisement.isShown = false
    radio.stopAdvertising()
  }

  /// Scans from now on; `nil` stops. Has no effect for an application that is not an observer.
  public mutating func scan(_ parameters: ScanParameters?) {
    if parameters == nil { radio.stopScanning() }
    scan = parameters
    events.isStale = true
  }

  // MARK: Connections

  /// Sends a Handle Value Notification (Core Specification, Vol 3, Part F, 3.4.7.1) of `value` to every peer
  /// that enabled it in client characteristic configuration `slot`. Returns how many connections' queues
  /// accepted it; one that is full drops it, as a later value replaces it. Values longer than ATT_MTU − 3, or
  /// than 20 bytes, are cut: a peer reads the rest.
  @inline(never) @discardableResult
  public mutating func notify(_ value: Span<UInt8>, handle: UInt16, slot: Int) -> Int {
    var pdu: [23 of UInt8] = .init(repeating: 0)
    var sent = 0
    var index = 0
    while index < connections {
      let connection = ConnectionID(index: index)
      index &+= 1
      var buffer = pdu.mutableSpan
      let length = events.server.notification(
        of: value, handle: handle, slot: slot, on: connection, into: &buffer)
      if length > 0, send(pdu.span.extracting(0..<length), on: connection) { sent &+= 1 }
    }
    return sent
  }

  /// Whether a peer enabled notifications or indications in client characteristic configuration `slot`.
  public func configuration(slot: Int, on connection: ConnectionID) -> ClientConfiguration {
    events.server.configuration(slot: slot, on: connection)
  }

  /// Starts a procedure on the table of a peer. `false` if the connection does not exist, one is under way,
  /// or a parameter is out of range.
  public mutating func begin(_ procedure: GATTProcedure, on connection: ConnectionID) -> Bool {
    guard events.isOpen(connection) else { return false }
    return events.clients[connection.index].begin(procedure)
  }

  mutating func send(_ pdu: Span<UInt8>, on connection: ConnectionID) -> Bool {
    do throws(RadioError) {
      try radio.send(pdu, on: connection)
      return true
    } catch {
      return false
    }
  }

  // MARK: Time

  /// Processes the events of the radio, responds, and issues pending commands to the radio. Returns when to
  /// poll again at the latest; an earlier call is always allowed.
  @inline(never)
  public mutating func poll(at now: Instant) -> Instant {
    var next = radio.poll(at: now, into: &events)
    if events.isStale, radio.state == .ready {
      events.isStale = false
      tell()
      // A command that the radio refused is repeated soon; one that it accepted may leave it data to send.
      next = events.isStale ? now + Self.retryPeriod : now
    }
    return Application.isGATTClient ? poll(clientsAt: now, next) : next
  }

  /// Issues the advertising and scanning commands to the radio.
  @inline(never)
  mutating func tell() {
    if connections > 0 { events.server.maximumMTU = radio.capabilities.maximumPDU }
    if Application.isObserver, let scan {
      do throws(RadioError) { try radio.startScanning(scan) } catch { events.isStale = true }
    }
    guard advertisement.isWanted else { return }
    advertisement.show(on: &radio)
    if !advertisement.isShown { events.isStale = true }
  }

  /// Sends the pending requests of the clients, and ends procedures that timed out.
  @inline(never)
  mutating func poll(clientsAt now: Instant, _ deadline: Instant) -> Instant {
    var next = deadline
    var pdu: [64 of UInt8] = .init(repeating: 0)
    var index = 0
    while index < connections {
      let connection = ConnectionID(index: index)
      let event = events.clients[index].expire(at: now)
      if event != .none { events.application.received(event, pdu: Span(), on: connection, at: now) }
      var buffer = pdu.mutableSpan
      let length = events.application.nextRequest(
        of: &events.clients[index], into: &buffer, mtu: min(64, events.server.mtu(connection)),
        on: connection, at: now)
      if length > 0 {
        if send(pdu.span.extracting(0..<length), on: connection) {
          next = now
        } else {
          events.clients[index].notSent()
        }
      }
      let due = events.clients[index].deadline
      if due < next { next = due }
      index &+= 1
    }
    return next
  }
}
