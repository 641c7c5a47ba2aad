import Foundation
import HeraldArchive
import HeraldHostLink
import SyntheticFleet

/// An archive of a city's badges: how fast it is filled, how large it is, and how long the questions take.
enum FleetBenchmark {
  static func run(_ figures: inout Figures) throws {
    let numbers = CommandLine.arguments.compactMap { Int($0) }
    let fleet = SyntheticFleet(devices: numbers.first ?? 1000, days: numbers.dropFirst().first ?? 14)
    let path = ".build/figures/fleet"
    try? FileManager.default.removeItem(atPath: path)
    defer { if getenv("HERALD_KEEP_FLEET") == nil { try? FileManager.default.removeItem(atPath: path) } }
    let readings = try fleet.write(to: path + "/logs")
    print("  \(readings) readings of \(fleet.devices) devices in \(fleet.days) days")
    let folders = (0..<fleet.devices).map { "\(path)/logs/\(SyntheticFleet.serial($0))" }
    let file = path + "/archive.sqlite"
    let begin = DispatchTime.now().uptimeNanoseconds
    func seconds() -> Double { Double(DispatchTime.now().uptimeNanoseconds - begin) / 1e9 }
    do {
      let archive = try Archive(try SQLiteConnection(path: file, create: true))
      _ = try archive.add(folders: folders)
      print("  pages added after \(seconds()) s")
      try archive.update()
    }
    figures.add("fleet_import_readings_per_second", Double(readings) / seconds(), "1/s")
    let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0
    figures.add("fleet_bytes_per_reading", Double(size) / Double(readings), "")
    try ParquetBenchmark.run(archive: file, readings: readings, &figures)
  }
}
