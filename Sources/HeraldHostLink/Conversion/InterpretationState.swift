import HeraldEmbedded

/// What an interpretation knows of addresses, payloads and persons behind the records so far.
struct InterpretationState {
  /// The maximum number of addresses, payloads, short forms and contacts, each, unless a test sets another.
  /// What exceeds it is refused.
  static let most = 1 << 20

  private let most: Int

  /// An address.
  struct Peer {
    let identity: TargetIdentity
    /// The index of the payload last read from it, and of the person to whom its signs belong.
    var payload: Int32?
    var person: Int32?
    /// The transmit power that it advertises, and the start of the device during which it was received.
    var power: Int8?
    var powerStart = 0
  }

  /// A payload that was read or offered.
  struct Payload {
    let bytes: [UInt8]
    /// The index of its short form.
    let short: Int
    /// The index of the person who has it.
    var person: Int32?
  }

  /// A short form of payloads.
  struct Short {
    let text: String
    /// Whether it is of another device.
    var isOther = false
    /// The order of the device's own ones, from 1 on; 0 if it is not one.
    var ownPlace = 0
    /// The date of its last sign, and the seconds between one sign and the next.
    var lastSign: UInt64?
    var intervals = StatisticsCSV.Sample()
  }

  /// A person: a payload that was read, or an address from which no payload was read.
  struct Person {
    let payload: Int32?
    /// The number of addresses from which the payload was read.
    var addresses = 0
    var levels = SignalLevels()
    var contacts = ContactList()
  }

  private(set) var peers: [Peer] = []
  private(set) var payloads: [Payload] = []
  private(set) var shorts: [Short] = []
  /// The persons in the order in which they were found. One that was merged into another has nothing.
  private(set) var persons: [Person] = []
  private var peerIndices: [TargetIdentity: Int32] = [:]
  private var payloadIndices: [[UInt8]: Int32] = [:]
  private var shortIndices: [String: Int32] = [:]
  /// The index of each person with a payload, in the upper half, with each address of it.
  private var pairs: Set<UInt64> = []
  private var ownPlaces = 0
  private var contactCount = 0

  /// Begins with the first record of a log.
  init(most: Int = Self.most) { self.most = most }

  // MARK: Peers

  /// The index of an address; `nil` if there are too many.
  mutating func peer(_ identity: TargetIdentity) -> Int? {
    if let known = peerIndices[identity] { return Int(known) }
    guard peers.count < most else { return nil }
    peerIndices[identity] = Int32(peers.count)
    peers.append(Peer(identity: identity))
    return peers.count - 1
  }

  /// The index of a payload; `nil` if there are too many.
  mutating func payload(_ bytes: [UInt8]) -> Int? {
    if let known = payloadIndices[bytes] { return Int(known) }
    guard payloads.count < most, let short = short(ShortPayload.text(bytes)) else { return nil }
    payloadIndices[bytes] = Int32(payloads.count)
    payloads.append(Payload(bytes: bytes, short: short))
    return payloads.count - 1
  }

  /// The index of a short form; `nil` if there are too many.
  mutating func short(_ text: String) -> Int? {
    if let known = shortIndices[text] { return Int(known) }
    guard shorts.count < most else { return nil }
    shortIndices[text] = Int32(shorts.count)
    shorts.append(Short(text: text))
    return shorts.count - 1
  }

  /// Sets the transmit power that an address advertises from this point on, in this start of the device;
  /// `nil` discards it.
  mutating func setPower(_ power: Int8?, of peer: Int, start: Int) {
    peers[peer].power = power
    peers[peer].powerStart = start
  }

  /// The transmit power of an address, if it advertised one in this start of the device.
  func power(of peer: Int, start: Int) -> Int? {
    peers[peer].powerStart == start ? peers[peer].power.map(Int.init) : nil
  }

  // MARK: Persons

  /// The person to whom signs of an address belong now.
  private mutating func person(of peer: Int) -> Int {
    if let known = peers[peer].person { return Int(known) }
    let payload = peers[peer].payload
    let known = payload.flatMap { payloads[Int($0)].person }
    let person = known ?? Int32(persons.count)
    if known == nil {
      persons.append(Person(payload: payload))
      if let payload { payloads[Int(payload)].person = person }
    }
    peers[peer].person = person
    return Int(person)
  }

  /// Adds a sign of an address. Returns `false` if it would begin a contact, and there are too many.
  mutating func sign(at date: UInt64, of peer: Int, rssi: Int8? = nil) -> Bool {
    let person = person(of: peer)
    if let rssi { persons[person].levels.add(rssi) }
    return persons[person].contacts.sign(
      at: date, of: peer, isReading: rssi != nil, &contactCount, limit: most)
  }

  /// Records that a payload was read from an address. Signs of the address before its first payload belong to
  /// this payload (HP-45), unless the address is only known from another peer.
  mutating func read(_ payload: Int, of peer: Int) {
    guard peers[peer].payload != Int32(payload) else { return }
    let former = peers[peer].payload == nil ? peers[peer].person : nil
    peers[peer].payload = Int32(payload)
    peers[peer].person = nil
    guard !peers[peer].identity.isHearsay else { return }
    let owner = person(of: peer)
    if pairs.insert(UInt64(owner) << 32 | UInt64(peer)).inserted { persons[owner].addresses += 1 }
    guard let former = former.map(Int.init) else { return }
    persons[owner].contacts.merge(persons[former].contacts)
    persons[owner].levels.merge(persons[former].levels)
    persons[former].contacts = ContactList()
    persons[former].levels = SignalLevels()
  }

  /// All contacts in the order of time, with the payload of their person, if it has one.
  var contacts: [(contact: Contact, payload: Payload?)] {
    persons.flatMap { person in
      let payload = person.payload.map { payloads[Int($0)] }
      return person.contacts.contacts.map { (contact: $0, payload: payload) }
    }.sorted { ($0.contact.begin, $0.contact.id) < ($1.contact.begin, $1.contact.id) }
  }

  // MARK: Payloads

  /// Records a sign of a payload by its short form, for `statistics.csv`.
  mutating func sign(ofShort short: Int, at date: UInt64) {
    if let last = shorts[short].lastSign {
      shorts[short].intervals.add((Double(date) - Double(last)) / 1000)
    }
    shorts[short].lastSign = date
  }

  /// Records that another device offers a payload.
  mutating func note(other short: Int) { shorts[short].isOther = true }

  /// Records that the device itself offers a payload from now on.
  mutating func note(own short: Int) {
    ownPlaces += 1
    shorts[short].ownPlace = ownPlaces
  }
}

/// The number of readings of each RSSI.
struct SignalLevels {
  private var counts: [(rssi: Int8, count: UInt32)] = []

  /// The number of readings.
  var readings: Int { counts.reduce(0) { $0 + Int($1.count) } }

  /// Counts a reading.
  mutating func add(_ rssi: Int8) { add(rssi, 1) }

  /// Counts the readings of another person, too.
  mutating func merge(_ other: SignalLevels) { for level in other.counts { add(level.rssi, level.count) } }

  private mutating func add(_ rssi: Int8, _ count: UInt32) {
    if let index = counts.firstIndex(where: { $0.rssi == rssi }) {
      counts[index].count = UInt32(clamping: Int(counts[index].count) + Int(count))
    } else {
      counts.append((rssi, count))
    }
  }

  /// The strongest, and the median: the weaker of the middle two. `nil` without readings.
  var summary: (strongest: Int, median: Int)? {
    let sorted = counts.sorted { $0.rssi < $1.rssi }
    guard let strongest = sorted.last else { return nil }
    var left = (readings - 1) / 2
    for level in sorted {
      if left < level.count { return (Int(strongest.rssi), Int(level.rssi)) }
      left -= Int(level.count)
    }
    return nil
  }
}

// MARK: Between two conversions

extension InterpretationState: Stored {
  func store(in bytes: inout StateWriter) {
    bytes.add(shorts)
    bytes.add(payloads)
    bytes.add(persons)
    bytes.add(peers)
    bytes.add(pairs.count)
    for pair in pairs.sorted() { bytes.add(pair) }
    bytes.add(ownPlaces)
    bytes.add(contactCount)
  }

  init(from bytes: inout StateReader) throws(StateReader.Damage) {
    self.init()
    shorts = try bytes.list()
    payloads = try bytes.list()
    persons = try bytes.list()
    peers = try bytes.list()
    for _ in 0..<(try bytes.integer()) { pairs.insert(try bytes.number()) }
    ownPlaces = try bytes.integer()
    contactCount = try bytes.integer()
    let counts = (peers: peers.count, payloads: payloads.count, shorts: shorts.count, persons: persons.count)
    func isPayload(_ index: Int32?) -> Bool { index.map { Int($0) < counts.payloads } ?? true }
    func isPerson(_ index: Int32?) -> Bool { index.map { Int($0) < counts.persons } ?? true }
    guard payloads.allSatisfy({ $0.short < counts.shorts && isPerson($0.person) }),
      persons.allSatisfy({
        isPayload($0.payload) && $0.contacts.contacts.allSatisfy { $0.peer < counts.peers }
      }),
      peers.allSatisfy({ isPayload($0.payload) && isPerson($0.person) })
    else { throw StateReader.Damage() }
    for (index, short) in shorts.enumerated() { shortIndices[short.text] = Int32(index) }
    for (index, payload) in payloads.enumerated() { payloadIndices[payload.bytes] = Int32(index) }
    for (index, peer) in peers.enumerated() { peerIndices[peer.identity] = Int32(index) }
  }
}

extension StateWriter {
  /// An index, or none.
  fileprivate mutating func add(_ index: Int32?) { add(index.map { Int($0) + 1 } ?? 0) }
}

extension StateReader {
  fileprivate mutating func optionalIndex() throws(Damage) -> Int32? {
    let number = try number(through: UInt64(Int32.max))
    return number > 0 ? Int32(number - 1) : nil
  }
}

extension InterpretationState.Peer: Stored {
  func store(in bytes: inout StateWriter) {
    bytes.add(UInt64(identity.kind.rawValue) | UInt64(identity.high) << 2)
    bytes.add(UInt64(identity.low))
    bytes.add(payload)
    bytes.add(person)
    bytes.add(power.map { Int($0) + 129 } ?? 0)
    bytes.add(powerStart)
  }

  init(from bytes: inout StateReader) throws(StateReader.Damage) {
    let (first, low) = (try bytes.number(through: 0x3FFFF), try bytes.number(through: UInt64(UInt32.max)))
    guard let kind = TargetIdentity.Kind(rawValue: UInt8(first & 3)) else { throw StateReader.Damage() }
    identity = TargetIdentity(kind: kind, high: UInt16(first >> 2), low: UInt32(low))
    payload = try bytes.optionalIndex()
    person = try bytes.optionalIndex()
    let power = Int(try bytes.number(through: 256))
    self.power = power > 0 ? Int8(power - 129) : nil
    powerStart = try bytes.integer()
  }
}

extension InterpretationState.Payload: Stored {
  func store(in bytes: inout StateWriter) {
    bytes.add(self.bytes)
    bytes.add(short)
    bytes.add(person)
  }

  init(from bytes: inout StateReader) throws(StateReader.Damage) {
    self.bytes = try bytes.data()
    short = try bytes.integer()
    person = try bytes.optionalIndex()
  }
}

extension InterpretationState.Short: Stored {
  func store(in bytes: inout StateWriter) {
    bytes.add(Array(text.utf8))
    bytes.add(isOther ? 1 : 0)
    bytes.add(ownPlace)
    bytes.add(lastSign.map { $0 + 1 } ?? 0)
    bytes.add(intervals.count)
    for number in [intervals.mean, intervals.squares, intervals.least, intervals.most] { bytes.add(number) }
  }

  init(from bytes: inout StateReader) throws(StateReader.Damage) {
    text = String(decoding: try bytes.data(), as: UTF8.self)
    isOther = try bytes.number() != 0
    ownPlace = try bytes.integer()
    let sign = try bytes.number(through: UTCTimestamp.latest + 1)
    lastSign = sign > 0 ? sign - 1 : nil
    intervals.count = try bytes.integer()
    intervals.mean = try bytes.double()
    intervals.squares = try bytes.double()
    intervals.least = try bytes.double()
    intervals.most = try bytes.double()
  }
}

extension InterpretationState.Person: Stored {
  func store(in bytes: inout StateWriter) {
    bytes.add(payload)
    bytes.add(addresses)
    levels.store(in: &bytes)
    contacts.store(in: &bytes)
  }

  init(from bytes: inout StateReader) throws(StateReader.Damage) {
    payload = try bytes.optionalIndex()
    addresses = try bytes.integer()
    levels = try SignalLevels(from: &bytes)
    contacts = try ContactList(from: &bytes)
  }
}

extension SignalLevels: Stored {
  func store(in bytes: inout StateWriter) {
    bytes.add(counts.count)
    for (rssi, count) in counts {
      bytes.add(signed: Int64(rssi))
      bytes.add(UInt64(count))
    }
  }

  init(from bytes: inout StateReader) throws(StateReader.Damage) {
    for _ in 0..<(try bytes.number(through: 256)) {
      guard let rssi = Int8(exactly: try bytes.signed()) else { throw StateReader.Damage() }
      counts.append((rssi, UInt32(clamping: try bytes.number())))
    }
  }
}
