/// A maximal run of a person's signs in which no sign is more than `ContactPeriod.silence` after the previous
/// one. A sign is the detection of a peer, the read of its payload, or an RSSI measurement.
struct Contact {
  /// The number of the contact: contacts are numbered in the order in which the interpretation found them.
  let id: Int
  /// The index of the address of the first sign.
  private(set) var peer: Int
  /// The date of the first sign, in milliseconds since 1970.
  private(set) var begin: UInt64
  /// The date of the last sign.
  private(set) var heard: UInt64
  /// The date of the last reading; `nil` if there was none.
  private(set) var lastReading: UInt64?
  /// The number of readings.
  private(set) var readings = 0
  /// The windows of `ContactDuration` with a sign, as bits, from the word of the first sign on.
  private(set) var words: [UInt64] = [0]

  /// A contact without signs, at the date of its first.
  init(id: Int, peer: Int, at date: UInt64) {
    self.id = id
    self.peer = peer
    begin = date
    heard = date
  }

  /// The last reading, or the first sign if there was none (HP-19).
  var end: UInt64 { lastReading ?? begin }

  /// The duration in seconds; see `ContactDuration`.
  var seconds: Int {
    ContactDuration.seconds(windows: words.reduce(0) { $0 + $1.nonzeroBitCount }, begin: begin, end: end)
  }

  private static func word(of date: UInt64) -> UInt64 { (date / ContactDuration.window) >> 6 }

  /// Whether a sign at `date` belongs to this contact, or joins it with another.
  func touches(_ date: UInt64) -> Bool { touches(date, date) }

  func touches(_ other: Contact) -> Bool { touches(other.begin, other.heard) }

  private func touches(_ first: UInt64, _ last: UInt64) -> Bool {
    begin <= last + ContactPeriod.silence && heard + ContactPeriod.silence >= first
  }

  /// Adds a sign.
  mutating func add(_ date: UInt64, peer: Int, isReading: Bool) {
    extend(to: date, peer: peer)
    if isReading {
      readings += 1
      lastReading = max(lastReading ?? 0, date)
    }
    words[Int(Self.word(of: date) - Self.word(of: begin))] |= 1 << ((date / ContactDuration.window) & 63)
  }

  /// Adds the signs of another contact.
  mutating func absorb(_ other: Contact) {
    extend(to: other.begin, peer: other.peer)
    extend(to: other.heard, peer: other.peer)
    let first = Int(Self.word(of: other.begin) - Self.word(of: begin))
    for (index, bits) in other.words.enumerated() { words[first + index] |= bits }
    readings += other.readings
    if let reading = other.lastReading { lastReading = max(lastReading ?? 0, reading) }
  }

  private mutating func extend(to date: UInt64, peer: Int) {
    let earlier = Self.word(of: begin) - min(Self.word(of: date), Self.word(of: begin))
    if earlier > 0 { words.insert(contentsOf: [UInt64](repeating: 0, count: Int(earlier)), at: 0) }
    if date < begin || (date == begin && peer < self.peer) { (begin, self.peer) = (date, peer) }
    heard = max(heard, date)
    let count = Int(Self.word(of: heard) - Self.word(of: begin)) + 1
    if words.count < count { words += [UInt64](repeating: 0, count: count - words.count) }
  }
}

/// The contacts of one person in the order of time; they are more than `ContactPeriod.silence` apart. They do
/// not depend on the order of the signs: a date may go back, and readings of an address may be attributed to
/// a person later.
struct ContactList {
  private(set) var contacts: [Contact] = []

  /// Adds a sign. A contact that is new gets the number `next`, which is then increased; at `limit` there
  /// is none, and the answer is `false`.
  mutating func sign(at date: UInt64, of peer: Int, isReading: Bool, _ next: inout Int, limit: Int) -> Bool {
    let place = count(through: date + ContactPeriod.silence)
    guard place > 0, contacts[place - 1].touches(date) else {
      guard next < limit else { return false }
      contacts.insert(Contact(id: next, peer: peer, at: date), at: place)
      contacts[place].add(date, peer: peer, isReading: isReading)
      next += 1
      return true
    }
    var index = place - 1
    // At most two: a sign between them joins them.
    if index > 0, contacts[index - 1].touches(date) {
      contacts[index - 1].absorb(contacts.remove(at: index))
      index -= 1
    }
    contacts[index].add(date, peer: peer, isReading: isReading)
    return true
  }

  /// Takes over the contacts of another list.
  mutating func merge(_ other: ContactList) {
    for contact in other.contacts.reversed() {
      let place = count(through: contact.heard + ContactPeriod.silence)
      guard place > 0, contacts[place - 1].touches(contact) else {
        contacts.insert(contact, at: count(through: contact.begin))
        continue
      }
      var joined = contacts.remove(at: place - 1)
      joined.absorb(contact)
      while case let place = count(through: joined.heard + ContactPeriod.silence), place > 0,
        contacts[place - 1].touches(joined)
      {
        joined.absorb(contacts.remove(at: place - 1))
      }
      contacts.insert(joined, at: count(through: joined.begin))
    }
  }

  /// The number of contacts that begin at or before `date`.
  private func count(through date: UInt64) -> Int {
    if let last = contacts.last, last.begin <= date { return contacts.count }
    var (low, high) = (0, contacts.count)
    while low < high {
      let middle = (low + high) / 2
      if contacts[middle].begin <= date { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension Contact: Stored {
  func store(in bytes: inout StateWriter) {
    bytes.add(id)
    bytes.add(peer)
    bytes.add(begin)
    bytes.add(heard - begin)
    bytes.add(lastReading.map { heard - $0 + 1 } ?? 0)
    bytes.add(readings)
    for word in words { bytes.add(word) }
  }

  init(from bytes: inout StateReader) throws(StateReader.Damage) {
    id = try bytes.integer()
    peer = try bytes.integer()
    begin = try bytes.number(through: UTCTimestamp.latest)
    heard = try begin + bytes.number(through: UTCTimestamp.latest - begin)
    let silent = try bytes.number(through: heard - begin + 1)
    lastReading = silent > 0 ? heard - (silent - 1) : nil
    readings = try bytes.integer()
    let count = Self.word(of: heard) - Self.word(of: begin) + 1
    words = []
    for _ in 0..<count { words.append(try bytes.number()) }
  }
}

extension ContactList: Stored {
  func store(in bytes: inout StateWriter) { bytes.add(contacts) }
  init(from bytes: inout StateReader) throws(StateReader.Damage) { contacts = try bytes.list() }
}
