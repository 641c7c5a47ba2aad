extension LogConversion {
  /// The stays near venue beacons, in the order in which they ended.
  public var visits: [VenueVisit] {
    events.compactMap { if case .visited(let visit) = $0.kind { visit } else { nil } }
  }

  /// Writes what a Herald phone writes: `contacts.csv`, `statistics.csv`, `detection.csv` and, if the device logged its battery,
  /// `battery.csv`; beside them `contact_events.csv`, and `visits.csv`, `restarts.csv`, `messages.csv`, `models.csv` and
  /// `neighbours.csv` where there is something to write.
  public func write(to archive: PageArchive) throws(HostLinkError) {
    try archive.write(ContactsCSV.text(of: events), named: "contacts.csv")
    var statistics = StatisticsCSV()
    for event in events { statistics.add(event) }
    try archive.write(statistics.text(own: Set(ownPayloads)), named: "statistics.csv")
    let device = archive.device
    func known(_ text: String) -> String { text.isEmpty ? "NULL" : text }
    try archive.write(
      DetectionCSV.text(
        name: known(device.name), system: known(device.system), version: known(device.version),
        own: ownPayloads.last ?? "", others: foreignPayloads), named: "detection.csv")
    try archive.write(
      ContactEventsCSV.text(of: ContactPeriod.all(in: events)), named: "contact_events.csv")
    if !batteries.isEmpty { try archive.write(BatteryCSV.text(of: batteries), named: "battery.csv") }
    if !visits.isEmpty { try archive.write(VisitsCSV.text(of: visits), named: "visits.csv") }
    if !restarts.isEmpty { try archive.write(RestartsCSV.text(of: restarts), named: "restarts.csv") }
    func has(_ isWanted: (DatedBytes.Kind) -> Bool) -> Bool { bytes.contains { isWanted($0.kind) } }
    if has({ $0 == .message }) { try archive.write(MessagesCSV.text(of: bytes), named: "messages.csv") }
    if has({ $0 == .model }) { try archive.write(ModelsCSV.text(of: bytes), named: "models.csv") }
    if has({ $0 != .message && $0 != .model }) {
      try archive.write(NeighboursCSV.text(of: bytes), named: "neighbours.csv")
    }
  }
}
