import ArgumentParser
import Foundation
import HeraldArchive
import HeraldConsole
import HeraldHostLink
import HeraldText

extension ArchiveCommands {
  /// `herald-host archive readings`
  struct Readings: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Prints the raw readings of a device, a person, a pair or some days.",
      discussion: """
        They are decoded from the pages. Each line has the device, the date in UTC, who observed whom, the address, the transmit power if it is \
        known, and the RSSI, in dBm. Readings without a date are left out.
        Example: `herald-host archive readings --archive ward.sqlite --who Ada --from 2026-09-14`
        """)

    enum Format: String, ExpressibleByArgument, CaseIterable { case csv, jsonl }

    @OptionGroup var location: ArchiveLocation
    @Option(help: ArgumentHelp("Only those of a device.", valueName: "serial"))
    var device: String?
    @Option(help: ArgumentHelp("Only those in which somebody observed or was observed.", valueName: "label"))
    var who: String?
    @Option(help: ArgumentHelp("With --who: the other one of the pair.", valueName: "label"))
    var other: String?
    @OptionGroup var days: CivilDays
    @Option(help: "What the lines look like: csv or jsonl.")
    var format = Format.csv

    mutating func validate() throws {
      guard other == nil || who != nil else { throw ValidationError("--other goes with --who.") }
    }

    func run() throws {
      let archive = try location.open(isQuiet: true)
      var filter = Archive.ReadingFilter()
      (filter.device, filter.who, filter.other) = (device, who, other)
      if days.isGiven { filter.days = days.range }
      var lines = ReadingLines(format)
      var isEmpty = true
      try archive.readings(filter) { (reading: Archive.Reading) throws(HostLinkError) in
        isEmpty = false
        try lines.add(reading)
      }
      try lines.write()
      guard isEmpty else { return }
      var query = MeetingQuery()
      (query.days, query.person, query.other) = (filter.days, who ?? device, other)
      try Answer(archive, query, found: []).checkEmpty(isQuiet: true)
    }
  }
}

/// Readings as lines of standard output.
private struct ReadingLines {
  private static let mostBytes = 1 << 16
  private let format: ArchiveCommands.Readings.Format
  private var bytes: [UInt8] = []

  init(_ format: ArchiveCommands.Readings.Format) {
    self.format = format
    if format == .csv {
      bytes += Array("device,time,observer,subject,subject_kind,address,power,rssi\n".utf8)
    }
  }

  mutating func add(_ reading: Archive.Reading) throws(HostLinkError) {
    let time = UTCTimestamp.json(UInt64(clamping: reading.unixMilliseconds))
    let texts = [
      reading.device, time, reading.observer, reading.subject, reading.subjectKind, reading.address,
    ]
    let isForeign = [true, false, true, true, false, false]
    switch format {
    case .csv:
      let fields = zip(texts, isForeign).map { $1 ? TableText.field($0) : $0 }
      bytes += Array(fields.joined(separator: ",").utf8)
      bytes += Array(",\(reading.power.map(String.init) ?? ""),\(reading.rssi)\n".utf8)
    case .jsonl:
      let names = ["device", "time", "observer", "subject", "subject_kind", "address"]
      let fields = zip(names, texts).map { "\"\($0)\":\(Self.literal($1))" }.joined(separator: ",")
      bytes += Array(
        "{\(fields),\"power\":\(reading.power.map(String.init) ?? "null"),\"rssi\":\(reading.rssi)}\n".utf8)
    }
    if bytes.count > Self.mostBytes { try write() }
  }

  mutating func write() throws(HostLinkError) {
    Console.data(bytes)
    bytes.removeAll(keepingCapacity: true)
    try Console.check()
  }

  /// A string of JSON.
  private static func literal(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\u{0}"..."\u{1F}":
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
