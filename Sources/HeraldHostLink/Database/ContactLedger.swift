import GRDB

/// Computes the contacts of a device from its signs. A sign is the detection of a peer, the read of its
/// payload, or an RSSI measurement.
///
/// A contact is a maximal run of a person's signs in which no sign is more than `ContactPeriod.silence` after
/// the previous one. The result does not depend on the order of the signs: a date may go back, and readings
/// of an address may be attributed to a person later.
final class ContactLedger {
  /// A contact in memory; `save` writes it to the database.
  final class Contact {
    let id: Int64
    let person: Int64
    fileprivate(set) var peer: Int64
    fileprivate(set) var begin: UInt64
    /// The date of the last sign.
    fileprivate(set) var heard: UInt64
    fileprivate var lastReading: UInt64?
    fileprivate var readings: Int
    fileprivate var windows: Int
    /// A bitmap of 64 windows: a bit is set if the contact had a sign in that window.
    fileprivate var word: Int64 = -1
    fileprivate var bits: UInt64 = 0
    fileprivate var storedBits: UInt64 = 0
    /// The end of the person's previous contact, and the begin of the next one.
    fileprivate var before: UInt64?
    fileprivate var after: UInt64?

    fileprivate init(
      id: Int64, person: Int64, peer: Int64, begin: UInt64, heard: UInt64, lastReading: UInt64?,
      readings: Int,
      windows: Int
    ) {
      self.id = id
      self.person = person
      self.peer = peer
      self.begin = begin
      self.heard = heard
      self.lastReading = lastReading
      self.readings = readings
      self.windows = windows
    }

    /// The last reading, or the first sign if there was none (HP-19).
    var end: UInt64 { lastReading ?? begin }

    /// Whether a sign with this date belongs to this contact only.
    fileprivate func takes(_ date: UInt64) -> Bool {
      let silence = ContactPeriod.silence
      return date + silence >= begin && date <= heard + silence && before.map { date > $0 + silence } ?? true
        && after.map { date + silence < $0 } ?? true
    }

    fileprivate func extend(to date: UInt64, peer: Int64) {
      if date < begin || (date == begin && peer < self.peer) { (begin, self.peer) = (date, peer) }
      heard = max(heard, date)
    }
  }

  private let device: Int64
  private let insert: NumberStatement
  private let update: NumberStatement
  private let delete: NumberStatement
  private let move: NumberStatement
  private let latest: NumberStatement
  private let neighbourBefore: NumberStatement
  private let neighbourAfter: NumberStatement
  private let insertWord: NumberStatement
  private let selectWord: NumberStatement
  private let selectWords: NumberStatement
  private let deleteWords: NumberStatement
  private let database: Database

  init(_ database: Database, device: Int64) throws {
    self.database = database
    self.device = device
    func statement(_ sql: String) throws -> NumberStatement { try NumberStatement(database, sql: sql) }
    insert = try statement(
      """
      INSERT INTO contact
        (device_id, person_id, peer_id, payload_id, begin_ms, end_ms, seconds, readings, heard_ms, windows)
      VALUES (?, ?, ?, ?, ?, ?, 30, 0, ?, 0)
      """)
    update = try statement(
      """
      UPDATE contact SET peer_id = ?, begin_ms = ?, end_ms = ?, seconds = ?, readings = ?, heard_ms = ?, windows = ?
      WHERE id = ?
      """)
    delete = try statement("DELETE FROM contact WHERE id = ?")
    move = try statement("UPDATE contact SET person_id = ?, payload_id = ? WHERE id = ?")
    latest = try statement(
      """
      SELECT id, peer_id, begin_ms, end_ms, readings, heard_ms, windows FROM contact
      WHERE person_id = ? AND begin_ms <= ? ORDER BY begin_ms DESC
      """)
    neighbourBefore = try statement(
      "SELECT heard_ms FROM contact WHERE person_id = ? AND begin_ms < ? AND id <> ? ORDER BY begin_ms DESC LIMIT 1"
    )
    neighbourAfter = try statement(
      "SELECT begin_ms FROM contact WHERE person_id = ? AND begin_ms > ? AND id <> ? ORDER BY begin_ms LIMIT 1"
    )
    insertWord = try statement(
      """
      INSERT INTO contact_window (contact_id, word, bits) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET bits = excluded.bits
      """)
    selectWord = try statement("SELECT bits FROM contact_window WHERE contact_id = ? AND word = ?")
    selectWords = try statement("SELECT word, bits FROM contact_window WHERE contact_id = ? ORDER BY word")
    deleteWords = try statement("DELETE FROM contact_window WHERE contact_id = ?")
  }

  /// Adds a sign of a person, received from a peer. `current` is the contact of that person that was changed
  /// last, if any; it is saved when it is replaced by another.
  func sign(
    at date: UInt64, of peer: Int64, isReading: Bool, person: Int64, payload: Int64?,
    _ current: inout Contact?
  ) throws {
    let contact: Contact
    if let current, current.takes(date) {
      contact = current
    } else {
      if let current { try save(current) }
      contact = try contactTaking(date, of: peer, person: person, payload: payload)
      current = contact
    }
    contact.extend(to: date, peer: peer)
    if isReading {
      contact.readings += 1
      contact.lastReading = max(contact.lastReading ?? 0, date)
    }
    let window = date / ContactDuration.window
    let word = Int64(clamping: window >> 6)
    if word != contact.word { try turn(contact, to: word) }
    let bit: UInt64 = 1 << (window & 63)
    if contact.bits & bit == 0 {
      contact.bits |= bit
      contact.windows += 1
    }
  }

  /// Writes a contact to the database.
  func save(_ contact: Contact) throws {
    try storeWord(of: contact)
    let seconds = ContactDuration.seconds(windows: contact.windows, begin: contact.begin, end: contact.end)
    try run(
      update, contact.peer, Int64(clamping: contact.begin), Int64(clamping: contact.end), Int64(seconds),
      Int64(contact.readings), Int64(clamping: contact.heard), Int64(contact.windows), contact.id)
  }

  /// Moves the contacts of one person to another, and merges adjacent ones. Neither person may have an
  /// unsaved contact.
  func merge(_ person: Int64, into other: Int64, payload: Int64?) throws {
    while let contact = try contacts(of: person, through: .max, from: 0, most: 1).first {
      let last = contact.heard + ContactPeriod.silence
      guard let first = try contacts(of: other, through: last, from: contact.begin, most: 1).first else {
        try run(move, other, payload, contact.id)
        continue
      }
      try absorb(contact, into: first)
      // An extended contact may overlap others.
      while let further = try contacts(
        of: other, through: first.heard + ContactPeriod.silence, from: first.begin, most: 2
      ).first(where: { $0.id != first.id }) {
        try absorb(further, into: first)
      }
      try save(first)
    }
  }

  // MARK: Finding

  /// The contact to which a sign belongs: a new one, an existing one, or the union of two that the sign
  /// connects.
  private func contactTaking(_ date: UInt64, of peer: Int64, person: Int64, payload: Int64?) throws -> Contact
  {
    // At most two can be within this range: the contacts of a person are more than `silence` apart.
    let touched = try contacts(of: person, through: date + ContactPeriod.silence, from: date, most: 2)
    let contact: Contact
    if let first = touched.last {
      for further in touched.dropLast() { try absorb(further, into: first) }
      contact = first
    } else {
      let moment = Int64(clamping: date)
      try run(insert, device, person, peer, payload, moment, moment, moment)
      contact = Contact(
        id: database.lastInsertedRowID, person: person, peer: peer, begin: date, heard: date,
        lastReading: nil,
        readings: 0, windows: 0)
    }
    let begin = Int64(clamping: contact.begin)
    contact.before = try number(neighbourBefore, person, begin, contact.id)
    contact.after = try number(neighbourAfter, person, begin, contact.id)
    return contact
  }

  /// The contacts of a person that begin at or before `last` and end at most `silence` before `first`, latest
  /// first, at most `most`.
  private func contacts(of person: Int64, through last: UInt64, from first: UInt64, most: Int) throws
    -> [Contact]
  {
    latest.bind(person, at: 1)
    latest.bind(Int64(clamping: last), at: 2)
    var found: [Contact] = []
    while try latest.step() {
      let heard = UInt64(clamping: latest.number(5))
      guard found.count < most, heard + ContactPeriod.silence >= first else {
        latest.reset()
        break
      }
      let readings = Int(latest.number(4))
      found.append(
        Contact(
          id: latest.number(0), person: person, peer: latest.number(1),
          begin: UInt64(clamping: latest.number(2)),
          heard: heard, lastReading: readings > 0 ? UInt64(clamping: latest.number(3)) : nil,
          readings: readings, windows: Int(latest.number(6))))
    }
    return found
  }

  /// Merges one contact into another.
  private func absorb(_ contact: Contact, into other: Contact) throws {
    try storeWord(of: other)
    other.word = -1
    selectWords.bind(contact.id, at: 1)
    while try selectWords.step() {
      let word = selectWords.number(0)
      let bits = UInt64(bitPattern: selectWords.number(1))
      let known = try storedBits(other.id, word)
      other.windows += (bits & ~known).nonzeroBitCount
      try run(insertWord, other.id, word, Int64(bitPattern: bits | known))
    }
    try run(deleteWords, contact.id)
    try run(delete, contact.id)
    other.extend(to: contact.begin, peer: contact.peer)
    other.heard = max(other.heard, contact.heard)
    other.readings += contact.readings
    if let reading = contact.lastReading { other.lastReading = max(other.lastReading ?? 0, reading) }
  }

  // MARK: Windows

  private func turn(_ contact: Contact, to word: Int64) throws {
    try storeWord(of: contact)
    contact.word = word
    contact.storedBits = try storedBits(contact.id, word)
    contact.bits = contact.storedBits
  }

  private func storedBits(_ contact: Int64, _ word: Int64) throws -> UInt64 {
    UInt64(bitPattern: try number(selectWord, contact, word).map { Int64(bitPattern: $0) } ?? 0)
  }

  private func storeWord(of contact: Contact) throws {
    guard contact.word >= 0, contact.bits != contact.storedBits else { return }
    try run(insertWord, contact.id, contact.word, Int64(bitPattern: contact.bits))
    contact.storedBits = contact.bits
  }

  // MARK: Statements

  private func run(_ statement: NumberStatement, _ arguments: Int64?...) throws {
    for (index, argument) in arguments.enumerated() { statement.bind(argument, at: Int32(index) + 1) }
    while try statement.step() {}
  }

  /// The number in the single result row, if any.
  private func number(_ statement: NumberStatement, _ arguments: Int64...) throws -> UInt64? {
    for (index, argument) in arguments.enumerated() { statement.bind(argument, at: Int32(index) + 1) }
    guard try statement.step() else { return nil }
    defer { statement.reset() }
    return UInt64(bitPattern: statement.number(0))
  }
}
