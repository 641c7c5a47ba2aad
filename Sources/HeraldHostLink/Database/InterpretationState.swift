import Foundation
import GRDB
import HeraldEmbedded

/// The state of the interpretation for peers, persons and payloads. It is stored in the database; a bounded
/// part is cached in memory.
final class InterpretationState {
  /// A person: a payload that was read, or an address from which no payload was read.
  final class Person {
    let id: Int64
    let payload: Int64?
    var readings: Int64
    /// The number of readings of each RSSI, indexed by its bit pattern.
    var levels: [UInt32]
    var current: ContactLedger.Contact?

    fileprivate init(id: Int64, payload: Int64?, readings: Int64, levels: [UInt32]) {
      self.id = id
      self.payload = payload
      self.readings = readings
      self.levels = levels
    }

    /// Counts a reading.
    func add(_ rssi: Int8) {
      readings += 1
      let index = Int(UInt8(bitPattern: rssi))
      levels[index] = levels[index] &+ 1
    }
  }

  /// A peer address.
  final class Peer {
    let id: Int64
    let identity: TargetIdentity
    /// The payload last read from it, and its short form.
    fileprivate(set) var payload: Int64?
    fileprivate(set) var short: String?
    /// The transmit power that it advertises, and the start of the device during which it was received.
    fileprivate var power: Int?
    fileprivate var powerStart: Int64
    fileprivate var person: Person?
    fileprivate var isChanged = false

    fileprivate init(id: Int64, identity: TargetIdentity, payload: Int64?, power: Int?, powerStart: Int64) {
      self.id = id
      self.identity = identity
      self.payload = payload
      self.power = power
      self.powerStart = powerStart
    }
  }

  /// The maximum number of peers, and of persons, in memory.
  private static let most = 8192

  let ledger: ContactLedger
  private let database: Database
  private let device: Int64
  private var peers: [Int64: Peer] = [:]
  private var persons: [Int64: Person] = [:]
  private var personOfPayload: [Int64: Person] = [:]
  private var shorts: [Int64: String] = [:]
  private var signs: [String: SignInterval] = [:]

  init(_ database: Database, device: Int64) throws {
    self.database = database
    self.device = device
    ledger = try ContactLedger(database, device: device)
  }

  // MARK: Peers

  /// The peer address with this number.
  func peer(_ id: Int64) throws -> Peer {
    if let known = peers[id] { return known }
    if peers.count >= Self.most || persons.count >= Self.most || signs.count >= Self.most { try flush() }
    let row = try Row.fetchOne(
      database,
      sql: """
        SELECT kind, address, payload_id, tx_power, tx_start FROM peer LEFT JOIN conversion_peer ON peer_id = peer.id
        WHERE peer.id = ?
        """, arguments: [id])
    let peer = Peer(
      id: id, identity: TargetIdentity(databaseKind: row?["kind"] ?? "", address: row?["address"] ?? ""),
      payload: row?["payload_id"], power: row?["tx_power"], powerStart: row?["tx_start"] ?? 0)
    if let payload = peer.payload { peer.short = try short(of: payload) }
    peers[id] = peer
    return peer
  }

  /// The short form of a payload by its number.
  func short(of payload: Int64) throws -> String {
    if let known = shorts[payload] { return known }
    let short =
      try String.fetchOne(database, sql: "SELECT short FROM payload WHERE id = ?", arguments: [payload]) ?? ""
    if shorts.count >= Self.most { shorts = [:] }
    shorts[payload] = short
    return short
  }

  /// Sets the transmit power that an address advertises from this point on, in this start of the device;
  /// `nil` discards it.
  func setPower(_ power: Int?, of peer: Peer, start: Int64) {
    guard peer.power != power || peer.powerStart != start else { return }
    peer.power = power
    peer.powerStart = start
    peer.isChanged = true
  }

  /// The transmit power of an address, if it advertised one in this start of the device.
  func power(of peer: Peer, start: Int64) -> Int? { peer.powerStart == start ? peer.power : nil }

  // MARK: Persons

  /// The person to whom events of an address are attributed now.
  func person(of peer: Peer) throws -> Person {
    if let known = peer.person { return known }
    let person: Person
    if let payload = peer.payload {
      person = try personOfPayload[payload] ?? self.person("payload_id", payload, payload: payload)
      personOfPayload[payload] = person
    } else {
      person = try self.person("peer_id", peer.id, payload: nil)
    }
    persons[person.id] = person
    peer.person = person
    return person
  }

  private func person(_ column: String, _ key: Int64, payload: Int64?) throws -> Person {
    if let row = try Row.fetchOne(
      database, sql: "SELECT id, readings, levels FROM person WHERE device_id = ? AND \(column) = ?",
      arguments: [device, key])
    {
      return Person(
        id: row["id"], payload: payload, readings: row["readings"],
        levels: SignalLevels.counts(row["levels"]))
    }
    try database.execute(
      sql: "INSERT INTO person (device_id, \(column), readings, levels) VALUES (?, ?, 0, X'')",
      arguments: [device, key])
    return Person(
      id: database.lastInsertedRowID, payload: payload, readings: 0, levels: SignalLevels.counts(Data()))
  }

  /// Records that a payload was read from an address. Signs of the address before its first payload belong to
  /// this payload (HP-45), unless the address is only known from another peer.
  func read(_ payload: Int64, of peer: Peer) throws {
    guard peer.payload != payload else { return }
    let isHearsay = peer.identity.isHearsay
    var former: Person?
    if peer.payload == nil, !isHearsay,
      try peer.person != nil
        || Bool.fetchOne(
          database, sql: "SELECT EXISTS (SELECT 1 FROM person WHERE device_id = ? AND peer_id = ?)",
          arguments: [device, peer.id]) == true
    {
      former = try person(of: peer)
    }
    peer.payload = payload
    peer.short = try short(of: payload)
    peer.isChanged = true
    peer.person = nil
    guard !isHearsay else { return }
    let owner = try person(of: peer)
    try database.execute(
      sql: "INSERT INTO person_address (person_id, peer_id) VALUES (?, ?) ON CONFLICT DO NOTHING",
      arguments: [owner.id, peer.id])
    if let former { try merge(former, into: owner) }
  }

  private func merge(_ person: Person, into other: Person) throws {
    for one in [person, other] {
      if let current = one.current { try ledger.save(current) }
      one.current = nil
    }
    try ledger.merge(person.id, into: other.id, payload: other.payload)
    other.readings += person.readings
    for index in other.levels.indices { other.levels[index] = other.levels[index] &+ person.levels[index] }
    persons[person.id] = nil
    try database.execute(sql: "DELETE FROM person WHERE id = ?", arguments: [person.id])
  }

  // MARK: Signs of payloads

  /// Records a sign of a payload, for `statistics.csv`.
  func sign(of short: String, at date: UInt64) throws {
    if signs[short] == nil {
      let row = try Row.fetchOne(
        database, sql: "SELECT * FROM conversion_sign WHERE device_id = ? AND short = ?",
        arguments: [device, short])
      signs[short] = row.map { row in
        SignInterval(
          last: UInt64(clamping: row["last_ms"] as Int64),
          sample: StatisticsCSV.Sample(
            count: row["count"], mean: row["mean"], squares: row["squares"], least: row["least"],
            most: row["most"]))
      }
    }
    if signs[short]?.take(date) == nil {
      signs[short] = SignInterval(last: date, sample: StatisticsCSV.Sample())
    }
  }

  /// Stores the short form of a payload, either offered by the device itself or of another device. The latest
  /// own one has the highest place.
  func note(short: String, isOwn: Bool) throws {
    try database.execute(
      sql: """
        INSERT INTO conversion_short (device_id, is_own, short, place)
          SELECT :device, :own, :short, CASE WHEN :own THEN COALESCE(MAX(place), 0) + 1 ELSE 0 END
          FROM conversion_short WHERE device_id = :device AND is_own = :own
        ON CONFLICT DO UPDATE SET place = excluded.place WHERE is_own
        """, arguments: ["device": device, "own": isOwn, "short": short])
  }

  // MARK: The database

  /// Writes the state to the database and clears the cache.
  func flush() throws {
    let updatePerson = try database.cachedStatement(
      sql: "UPDATE person SET readings = ?, levels = ? WHERE id = ?")
    for person in persons.values {
      if let current = person.current { try ledger.save(current) }
      try updatePerson.execute(arguments: [person.readings, SignalLevels.bytes(person.levels), person.id])
    }
    let replacePeer = try database.cachedStatement(
      sql: """
        INSERT INTO conversion_peer (peer_id, payload_id, tx_power, tx_start) VALUES (?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET payload_id = excluded.payload_id, tx_power = excluded.tx_power, tx_start = excluded.tx_start
        """)
    for peer in peers.values where peer.isChanged {
      try replacePeer.execute(arguments: [peer.id, peer.payload, peer.power, peer.powerStart])
    }
    let replaceSign = try database.cachedStatement(
      sql: """
        INSERT INTO conversion_sign (device_id, short, last_ms, count, mean, squares, least, most) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET last_ms = excluded.last_ms, count = excluded.count, mean = excluded.mean,
          squares = excluded.squares, least = excluded.least, most = excluded.most
        """)
    for (short, sign) in signs {
      let sample = sign.sample
      try replaceSign.execute(arguments: [
        device, short, Int64(clamping: sign.last), sample.count, sample.mean, sample.squares, sample.least,
        sample.most,
      ])
    }
    peers = [:]
    persons = [:]
    personOfPayload = [:]
    signs = [:]
  }
}

/// The seconds between one sign of a payload and the next.
struct SignInterval {
  fileprivate(set) var last: UInt64
  fileprivate(set) var sample: StatisticsCSV.Sample

  fileprivate mutating func take(_ date: UInt64) {
    sample.add((Double(date) - Double(last)) / 1000)
    last = date
  }
}

/// The number of readings of each RSSI, in the format of `person.levels`: for each RSSI one byte (dBm, two's
/// complement) and a count of four bytes (little-endian).
enum SignalLevels {
  /// The counts, indexed by the bit pattern of the RSSI.
  static func counts(_ bytes: Data) -> [UInt32] {
    var counts = [UInt32](repeating: 0, count: 256)
    let bytes = [UInt8](bytes)
    for start in stride(from: 0, to: bytes.count - 4, by: 5) {
      counts[Int(bytes[start])] = (0..<4).reduce(0) { $0 | UInt32(bytes[start + 1 + $1]) << UInt32(8 * $1) }
    }
    return counts
  }

  static func bytes(_ counts: [UInt32]) -> Data {
    var bytes = Data()
    for (level, count) in counts.enumerated() where count > 0 {
      bytes.append(UInt8(level))
      for shift in stride(from: 0, to: 32, by: 8) {
        bytes.append(UInt8(truncatingIfNeeded: count >> UInt32(shift)))
      }
    }
    return bytes
  }

  /// The strongest, the median (the weaker of the middle two) and the weakest; `nil` without readings.
  static func summary(_ counts: [UInt32]) -> (strongest: Int, median: Int, weakest: Int)? {
    let levels = (-128...127).map { ($0, Int(counts[Int(UInt8(bitPattern: Int8($0)))])) }
    let total = levels.reduce(0) { $0 + $1.1 }
    guard let strongest = levels.last(where: { $0.1 > 0 })?.0,
      let weakest = levels.first(where: { $0.1 > 0 })?.0
    else {
      return nil
    }
    var left = (total - 1) / 2
    for (level, count) in levels {
      if left < count { return (strongest, level, weakest) }
      left -= count
    }
    return nil
  }
}
