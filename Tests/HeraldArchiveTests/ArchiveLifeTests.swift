import HeraldHostLink
import TestInputs
import Testing

@testable import HeraldArchive

/// Whatever was added, labelled, changed, corrected and put back before, the answers are those of a new
/// archive of the same logs, people and rules.
@Suite struct ArchiveLifeTests {
  private static let serials = ["ONE", "TWO", "THREE"]

  /// When two of three devices are together, in seconds since the beginning: at other times in each round.
  private static func times(_ one: Int, _ other: Int, round: Int) -> StrideTo<UInt64> {
    let (low, high) = (UInt64(min(one, other)), UInt64(max(one, other)))
    let begin = UInt64(round) * 2700 + (low * 37 + high * 23 + UInt64(round) * 61) % 25 * 60
    return stride(from: begin, to: begin + 400 + 120 * high, by: 15)
  }

  /// Writes three devices as two pulls left them, the last of them with a clock that is three hours ahead.
  private static func logs(in path: String) throws {
    for (index, serial) in serials.enumerated() {
      var device = try LoggingDevice(serial, date: shiftBegin + (index == 2 ? 10_800_000 : 0))
      for round in 0..<8 {
        var readings: [(time: UInt64, peer: Int)] = []
        for peer in serials.indices where peer != index {
          readings += times(index, peer, round: round).map { ($0 * 1000, peer) }
        }
        var known: Set<Int> = []
        for (time, peer) in readings.sorted(by: { $0 < $1 }) {
          if known.insert(peer).inserted { try device.read(serials[peer], from: peer, at: time) }
          try device.measure(peer, -50 - Int8(peer * 7), from: time, count: 1)
        }
        if round == 3 { try device.pull(to: "\(path)/early/\(serial)") { $0.version = "1.0" } }
      }
      try device.pull(to: "\(path)/late/\(serial)") { $0.version = "1.1" }
    }
  }

  private static let people = [
    "serial,name,role\n", "serial,name,role\nONE,Ada,nurse\nTWO,Ben,doctor\nTHREE,Cleo,cook\n",
    "serial,name,role\nONE,Ben,nurse\nTHREE,Dora,nurse\n",
  ]

  private static func rules(_ number: Int) -> ContactRules {
    var rules = ContactRules()
    rules.zone = number == 1 ? "Europe/Berlin" : "UTC"
    rules.window = number == 2 ? 20 : 30
    return rules
  }

  private static func label(_ archive: Archive, _ number: Int) throws {
    try archive.label(PeopleFile(Array(people[number].utf8), days: archive.days))
  }

  private static let files = Result {
    let folder = try ScratchFolder()
    try logs(in: folder.path)
    return try KeptFiles(of: folder.path)
  }

  @Test(arguments: 0..<4 as Range<UInt64>) func anArchiveIsAsANewOneOfTheSame(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let folder = try ScratchFolder()
    try Self.files.get().write(to: folder.path)
    let late = Self.serials.map { "\(folder.path)/late/\($0)" }
    let all = late + Self.serials.map { "\(folder.path)/early/\($0)" }
    var archive = try newArchive(folder.path + "/a.sqlite")
    for _ in 0..<(4 + random.next() % 12) {
      switch random.next() % 10 {
      case 0...2: _ = try archive.add(folders: [all[Int(random.next() % 6)]])
      case 3: try Self.label(archive, Int(random.next() % 3))
      case 4: try archive.change(Self.rules(Int(random.next() % 3)))
      case 5: _ = try archive.deviceClocks.correct()
      case 6: try archive.deviceClocks.restore()
      case 7: archive = try newArchive(folder.path + "/a.sqlite")
      default: try archive.update()
      }
    }
    try archive.deviceClocks.restore()
    let fresh = try newArchive(folder.path + "/fresh.sqlite")
    let (people, rules) = (Int(random.next() % 3), Self.rules(Int(random.next() % 3)))
    for each in [archive, fresh] {
      _ = try each.add(folders: late.shuffled(using: &random))
      try Self.label(each, people)
      try each.change(rules)
      try each.update()
    }
    let rows = try fresh.allRows()
    #expect(try archive.allRows() == rows)
    #expect(rows["meeting"]?.isEmpty == false)
    #expect(try fresh.deviceClocks.findings().map(\.device) == ["THREE"])
    // Corrected, and put back.
    for each in [archive, fresh] {
      #expect(try each.deviceClocks.correct() == 1)
      try each.update()
    }
    #expect(try archive.allRows() == fresh.allRows())
    try archive.deviceClocks.restore()
    try archive.update()
    #expect(try archive.allRows() == rows)
  }
}
