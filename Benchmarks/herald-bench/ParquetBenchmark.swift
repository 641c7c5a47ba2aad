import Foundation
import HeraldArchive

/// The export of a fleet's archive as Parquet: how large it is, and how fast it is written.
enum ParquetBenchmark {
  /// Exports the archive in the file `archive`, with `readings` readings, into a folder beside it.
  static func run(archive file: String, readings: Int, _ figures: inout Figures) throws {
    let folder = file + ".parquet"
    try? FileManager.default.removeItem(atPath: folder)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let begin = DispatchTime.now().uptimeNanoseconds
    _ = try Archive.open(file, create: false).exportParquet(to: folder)
    let seconds = Double(DispatchTime.now().uptimeNanoseconds - begin) / 1e9
    var size = 0
    let files = FileManager.default.enumerator(atPath: folder)
    while files?.nextObject() != nil {
      // Folders have a size, too, which is that of their entries.
      guard files?.fileAttributes?[.type] as? FileAttributeType == .typeRegular else { continue }
      size += files?.fileAttributes?[.size] as? Int ?? 0
    }
    figures.add("parquet_bytes_per_reading", Double(size) / Double(readings), "")
    figures.add("parquet_export_readings_per_second", Double(readings) / seconds, "1/s")
  }
}
