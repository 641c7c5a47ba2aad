import HeraldBluetooth
import HeraldHAL

/// A contact: how long a peer was near (HP-18, HP-19).
public struct ContactEvent: Equatable, BitwiseCopyable, Sendable {
  /// The identity under which the peer is received at present.
  public internal(set) var peer: TargetIdentity
  /// The first eight bytes of its payload's SHA-256, little-endian; 0 as long as the payload is not known.
  public internal(set) var payloadDigest: UInt64
  /// When it was detected.
  public internal(set) var begin: Instant
  /// Time of its last reading; after the contact's end, with the extension.
  public internal(set) var end: Instant
  /// Number of readings.
  public internal(set) var readings: UInt32
}

/// The delegate for contacts.
public protocol ContactDelegate: ~Copyable {
  /// A peer was detected that had no contact.
  mutating func didBegin(_ contact: ContactEvent, at now: Instant)
  /// A contact has ended.
  mutating func didEnd(_ contact: ContactEvent, at now: Instant)
}

/// Derives contacts from the sensor's events: each begins when its peer is detected (HP-18) and ends with the
/// last reading, extended by at most 30 seconds if configured (HP-19, HP-20). A connection that closes does
/// not end a contact. The end of a contact is reported when its peer is lost.
///
/// Identities that show the same payload are one peer (HP-03), so that a peer whose address changes has one
/// contact. Shared payloads (HP-43) are not contacts: only peers that this device received have one.
/// `capacity` is how many contacts there can be at once. A further one ends that whose peer was received
/// longest ago; if that is received again, a new contact begins.
public struct ContactEvents<let capacity: Int, Listener: ContactDelegate & ~Copyable>: SensorDelegate,
  ~Copyable
{
  /// The delegate.
  public var listener: Listener
  /// By how much ends are extended.
  public let extended: Interval
  /// How many contacts there are.
  public private(set) var count: Int
  private var contacts: [capacity of ContactEvent]

  /// The most by which an end may be extended (HP-20).
  public static var longestExtension: Interval { .seconds(30) }

  /// No contacts yet. Limited to `longestExtension`.
  public init(extension wanted: Interval = .zero, listener: consuming Listener) {
    self.listener = listener
    extended = wanted < Self.longestExtension ? wanted : Self.longestExtension
    count = 0
    contacts = .init(
      repeating: ContactEvent(
        peer: TargetIdentity(kind: .publicAddress, high: 0, low: 0), payloadDigest: 0, begin: .start,
        end: .start, readings: 0))
  }

  /// Begins a contact.
  public mutating func didDetect(_ target: TargetIdentity, at now: Instant) {
    _ = contact(with: target, at: now)
  }

  /// Prolongs the peer's contact, or begins one.
  public mutating func didMeasure(_ target: TargetIdentity, _ rssi: RSSI, at now: Instant) {
    guard let index = contact(with: target, at: now) else { return }
    contacts[index].end = now
    if contacts[index].readings != .max { contacts[index].readings &+= 1 }
  }

  /// Assigns the payload to the contact, and joins it with another contact of the same payload.
  public mutating func didMeasureWithPayload(
    _ target: TargetIdentity, _ rssi: RSSI, payloadDigest: UInt64, at now: Instant
  ) {
    guard let index = find(target), contacts[index].payloadDigest != payloadDigest else { return }
    contacts[index].payloadDigest = payloadDigest
    var other = 0
    while other < count {
      if other != index, contacts[other].payloadDigest == payloadDigest {
        if contacts[other].begin < contacts[index].begin { contacts[index].begin = contacts[other].begin }
        if contacts[other].end > contacts[index].end { contacts[index].end = contacts[other].end }
        let (sum, overflow) = contacts[index].readings.addingReportingOverflow(contacts[other].readings)
        contacts[index].readings = overflow ? .max : sum
        remove(other)
        return
      }
      other &+= 1
    }
  }

  /// Ends the peer's contact.
  public mutating func didLose(_ target: TargetIdentity, at now: Instant) {
    if let index = find(target) { end(index, at: now) }
  }

  /// Ends all contacts, as before the device goes to sleep for long.
  public mutating func endAll(at now: Instant) {
    while count > 0 { end(count &- 1, at: now) }
  }

  private mutating func find(_ peer: TargetIdentity) -> Int? {
    var index = 0
    while index < count {
      if contacts[index].peer == peer { return index }
      index &+= 1
    }
    return nil
  }

  /// The index of the peer's contact, which is created if there is none; `nil` if `capacity` is 0.
  private mutating func contact(with peer: TargetIdentity, at now: Instant) -> Int? {
    if let known = find(peer) { return known }
    guard capacity > 0, peer.kind != .shared else { return nil }
    if count == capacity {
      var oldest = 0
      var index = 1
      while index < count {
        if contacts[index].end < contacts[oldest].end { oldest = index }
        index &+= 1
      }
      end(oldest, at: now)
    }
    let index = count
    count &+= 1
    contacts[index] = ContactEvent(peer: peer, payloadDigest: 0, begin: now, end: now, readings: 0)
    listener.didBegin(contacts[index], at: now)
    return index
  }

  private mutating func end(_ index: Int, at now: Instant) {
    var contact = contacts[index]
    contact.end = contact.end + extended
    remove(index)
    listener.didEnd(contact, at: now)
  }

  private mutating func remove(_ index: Int) {
    count &-= 1
    contacts[index] = contacts[count]
  }
}
