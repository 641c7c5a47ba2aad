/// `contacts.csv`: a line for every event of every peer, as Herald 2.1 on Android writes it.
public enum ContactsCSV {
  /// The header line.
  public static let header = "time,sensor,id,detect,read,measure,share,visit,detectHerald,delete,data\n"

  /// The complete file.
  public static func text(of events: some Sequence<DatedEvent>) -> [UInt8] {
    var csv = CSVText()
    csv.raw(header)
    for event in events { append(event, to: &csv) }
    return csv.bytes
  }

  /// Appends the line of an event.
  static func append(_ event: DatedEvent, to csv: inout CSVText) {
    var line: [UInt8] = []
    line.reserveCapacity(96)
    UTCTimestamp.append(event.unixMilliseconds, to: &line)
    line.append(contentsOf: ",BLE,".utf8)
    // The phones do not write the peer of a visit.
    if case .visited = event.kind {} else { event.peer.appendAddress(to: &line) }
    csv.raw(line)
    switch event.kind {
    case .detected: csv.raw(",1,,,,,,,")
    case .read(let payload):
      csv.raw(",,2,,,,,,")
      csv.value(ShortPayload.text(payload))
    case .measured(let rssi, let txPower):
      csv.raw(",,,3,,,,,RSSI:\(rssi).0")
      if let txPower { csv.raw("[BLETransmitPower:\(txPower).0]") }
    case .shared(let payload):
      csv.raw(",,,,4,,,,")
      csv.value(ShortPayload.text(payload))
    case .heraldDetected: csv.raw(",,,,,,6,,")
    case .lost: csv.raw(",,,,,,,7,")
    // The payload of a venue contains its name.
    case .visited(let visit):
      csv.raw(",,,,,5,,,")
      csv.foreign(
        "PLACE(name=\(visit.place)):[from=\(UTCTimestamp.seconds(visit.first)),to=\(UTCTimestamp.seconds(visit.last))]"
      )
    }
    csv.endLine()
  }
}
