import HeraldHostLink

extension Archive {
  /// The number of pages, devices and the like in an archive.
  package struct Contents: Equatable, Sendable {
    /// The number of devices.
    package let devices: Int
    /// The number of pages.
    package let pages: Int
    /// The number of measurements in them.
    package let readings: Int
    /// The number of contacts.
    package let contacts: Int
    /// The number of persons of `people.csv`.
    package let persons: Int
  }

  /// Replaces the labels of all devices. The next `update` derives everything again, unless nothing changed.
  package func label(_ people: PeopleFile) throws(HostLinkError) {
    var persons: [String: (id: Int64, role: String, place: String)] = [:]
    var order: [String] = []
    for entry in people.entries where persons[entry.name] == nil {
      order.append(entry.name)
      persons[entry.name] = (Int64(order.count), entry.role, entry.place)
    }
    let personRows = order.flatMap { name -> [SQLValue] in
      guard let person = persons[name] else { return [] }
      return [.integer(person.id), .text(name), .text(person.role), .text(person.place)]
    }
    let entryRows = people.entries.flatMap { entry -> [SQLValue] in
      [
        .text(entry.serial), .integer(persons[entry.name]?.id ?? 0), .integer(entry.from), .integer(entry.to),
      ]
    }
    let known = try connection.rows("SELECT id, name, role, place FROM person ORDER BY id").flatMap(\.values)
    let knownEntries = try connection.rows(
      "SELECT serial, person_id, from_ms, to_ms FROM assignment ORDER BY serial, from_ms"
    )
    let sorted = people.entries.sorted { ($0.serial, $0.from) < ($1.serial, $1.from) }
    let sortedRows = sorted.map {
      [
        SQLValue.text($0.serial), .integer(persons[$0.name]?.id ?? 0), .integer($0.from), .integer($0.to),
      ]
    }
    guard known != personRows || knownEntries.map(\.values) != sortedRows else { return }
    try connection.transaction { () throws(HostLinkError) in
      for table in ["person", "assignment", "contact", "heard", "meeting", "meeting_due", "who"] {
        try connection.execute("DELETE FROM \(table)")
      }
      try connection.append("person", ["id", "name", "role", "place"], personRows)
      try connection.append("assignment", ["serial", "person_id", "from_ms", "to_ms"], entryRows)
      try markAllStale()
    }
  }

  /// Who wears which device.
  package func assignments() throws(HostLinkError) -> Assignments {
    var assignments = Assignments()
    for row in try connection.rows(
      "SELECT a.serial, p.name, a.from_ms, a.to_ms FROM assignment a JOIN person p ON p.id = a.person_id")
    {
      assignments.add(
        Assignments.Entry(person: row.text(1), from: row.integer(2), to: row.integer(3)), serial: row.text(0))
    }
    return assignments
  }

  /// The numbers of what is in the archive.
  package func contents() throws(HostLinkError) -> Contents {
    func count(_ sql: String) throws(HostLinkError) -> Int { Int(try connection.number(sql) ?? 0) }
    return Contents(
      devices: try count("SELECT COUNT(*) FROM device"), pages: try count("SELECT COUNT(*) FROM page"),
      readings: try count("SELECT COALESCE(SUM(readings), 0) FROM device"),
      contacts: try count("SELECT COUNT(*) FROM contact"), persons: try count("SELECT COUNT(*) FROM person"))
  }
}
