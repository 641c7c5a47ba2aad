import Foundation
import HeraldArchive
import HeraldHostLink
import SyntheticFleet

/// An archive of a city's badges: how fast it is filled, with how much memory, how large it is, and how long
/// the four questions take.
///
/// `herald-bench fleet [DEVICES DAYS]`; with HERALD_KEEP_FLEET the logs and the archive stay in
/// .build/figures/fleet, and the next run uses the logs again.
enum FleetBenchmark {
  private static let path = ".build/figures/fleet"
  private static let file = path + "/archive.sqlite"
  /// The word with which the benchmark starts itself to fill the archive in a process of its own, whose
  /// memory nothing else uses.
  static let importWord = "fleet-import"
  private static let queryRuns = 20

  static func run(_ figures: inout Figures) throws {
    let numbers = CommandLine.arguments.compactMap { Int($0) }
    let fleet = SyntheticFleet(devices: numbers.first ?? 1000, days: numbers.dropFirst().first ?? 14)
    let keeps = getenv("HERALD_KEEP_FLEET") != nil
    defer { if !keeps { try? FileManager.default.removeItem(atPath: path) } }
    if !keeps { try? FileManager.default.removeItem(atPath: path) }
    try? FileManager.default.removeItem(atPath: file)
    let isThere = access("\(path)/logs/\(SyntheticFleet.serial(fleet.devices - 1))", F_OK) == 0
    if !isThere { _ = try fleet.write(to: path + "/logs") }

    let child = Process()
    child.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    child.arguments = [importWord]
    let output = Pipe()
    child.standardOutput = output
    try child.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    child.waitUntilExit()
    let words = text.split(separator: " ").compactMap { Double($0) }
    guard child.terminationStatus == 0, words.count == 4 else {
      print("  fleet: left out, as the archive was not filled")
      return
    }
    let readings = words[0]
    print("  \(Int(readings)) readings of \(fleet.devices) devices in \(fleet.days) days")
    print("  filled in \(words[1]) s with \(words[2]) s of the processors' time")
    figures.add("fleet_import_readings_per_second", readings / words[1], "1/s")
    figures.add("fleet_peak_mb", words[3] / 1024, "MB")
    let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0
    figures.add("fleet_bytes_per_reading", Double(size) / readings, "")
    try runQueries(fleet, &figures)
    try ParquetBenchmark.run(archive: file, readings: Int(readings), &figures)
  }

  /// Fills an archive, and prints readings, seconds, seconds of the processors, and the peak of the resident
  /// memory in KB.
  static func fill() throws {
    let folders = try PageStoreSearch.folders(in: [path + "/logs"])
    let begin = DispatchTime.now().uptimeNanoseconds
    let archive = try Archive.open(file, create: true)
    _ = try archive.add(folders: folders)
    try archive.update()
    let seconds = Double(DispatchTime.now().uptimeNanoseconds - begin) / 1e9
    let processors = Double(clock()) / 1e6
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }?
      .split(whereSeparator: { " \t".contains($0) }).compactMap { Int($0) }.first
    print("\(try archive.contents().readings) \(seconds) \(processors) \(peak ?? 0) ")
  }

  /// The longest of several runs of each question, each about another badge, on an archive that was just
  /// opened.
  private static func runQueries(_ fleet: SyntheticFleet, _ figures: inout Figures) throws {
    let archive = try Archive.open(file, create: false)
    var rows = 0
    func measure(_ name: String, _ query: (Int) throws -> Int) throws {
      var longest = 0.0
      for run in 0..<queryRuns {
        let begin = DispatchTime.now().uptimeNanoseconds
        rows += try query(run * 47 % fleet.devices)
        longest = max(longest, Double(DispatchTime.now().uptimeNanoseconds - begin) / 1e6)
      }
      figures.add("fleet_query_ms_\(name)", longest, "ms")
    }
    let days = Int64(20_260_914)...Int64(20_260_913 + min(fleet.days, 17))
    func day(_ device: Int) -> Int64 { days.lowerBound + Int64(device) % Int64(days.count) }
    func query(_ device: Int?, _ days: ClosedRange<Int64>, other: Int? = nil, seconds: Int = 900)
      -> MeetingQuery
    {
      var query = MeetingQuery()
      (query.days, query.leastSeconds) = (days, seconds)
      (query.person, query.other) = (device.map(SyntheticFleet.serial), other.map(SyntheticFleet.serial))
      return query
    }
    try measure("near") { try archive.figures(query($0, day($0)...day($0))).count }
    try measure("second_degree") { try archive.secondDegree(query($0, day($0)...day($0))).count }
    try measure("pairs") { try archive.figures(query(nil, day($0)...day($0), seconds: 0)).count }
    try measure("bands") { try archive.figures(query($0, days, other: $0 ^ 1, seconds: 0)).count }
    print("  \(rows) rows in \(4 * queryRuns) answers")
  }
}
