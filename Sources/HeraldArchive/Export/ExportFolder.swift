import Foundation
import HeraldEmbedded
import HeraldHostLink
import HeraldParquet

/// The folder of an exported data set: `TABLE/day=20260914/log=sn-SERIAL/data.parquet`.
struct ExportFolder: Sendable {
  /// The file of a partition.
  static let fileName = "data.parquet"
  /// The program and its version, as the footers of Parquet files have them.
  static let createdBy = "herald-host version \(HeraldRelease.version) (build 1)"
  /// The last day that has a name, 9999-12-31, counted from 1970-01-01.
  private static let lastDay: Int64 = 2_932_896

  /// The dates of days that have names, in milliseconds since 1970-01-01T00:00:00Z.
  static let dates: ClosedRange<Int64> = 0...(lastDay + 1) * 86_400_000 - 1

  let path: String

  /// Makes the folder. One that has other files is refused.
  /// - Throws: `.storage` if it cannot be made, `.usage` if it has other files.
  init(_ path: String, replacing replacement: Replacement = Replacement()) throws(HostLinkError) {
    self.path = path
    try PrivateFolder.make(path)
    let names = try LocalFile.names(in: path) ?? []
    // An export that was killed before anything else may have left the beginning of that file.
    let isEmpty = names.allSatisfy { $0 == TableFolder.markName + ".part" }
    let isMarked = try TableFolder.isMarked(path)
    guard isEmpty || isMarked || replacement.isForced else {
      throw HostLinkError(
        .usage, "\(path) has files that are not of an export",
        advice:
          "name a new folder, or that of an earlier export, which is then replaced; --force writes beside them"
      )
    }
  }

  /// Whether a day can be written as the number of the column `day`.
  static func hasName(_ day: Int64) -> Bool { (0...lastDay).contains(day) }

  /// The value of the partition of a device's readings: readers take a serial number of digits, or of digits
  /// and an `E`, for a number, and one like `sn-00012` for text.
  static func log(of serial: String) -> String { "sn-" + DeviceFolder.name(serial: serial, location: "") }

  /// The path of the file of a partition, whose folder is made.
  func file(_ table: String, day: Int64? = nil, log: String? = nil) throws(HostLinkError) -> String {
    let folder = partition(table, day, log)
    if mkdir(folder, 0o700) != 0, errno != EEXIST { try PrivateFolder.make(folder) }
    return "\(folder)/\(Self.fileName)"
  }

  private func partition(_ table: String, _ day: Int64?, _ log: String?) -> String {
    var folder = "\(path)/\(table)"
    if let day { folder += "/day=\(LocalDays.number(ofDay: day))" }
    if let log { folder += "/log=\(log)" }
    return folder
  }

  /// Removes the partitions of a table of days that are not among `days`.
  func removePartitions(of table: String, except days: Set<Int64>) {
    let kept = Set(days.map { "day=\(LocalDays.number(ofDay: $0))" })
    for name in Self.names(in: "\(path)/\(table)") where name.hasPrefix("day=") && !kept.contains(name) {
      remove("\(path)/\(table)/\(name)")
    }
  }

  /// Removes the partitions of readings of devices and days that are not among `days`.
  func removeReadings(except days: [String: [Int64]]) {
    let table = "\(path)/readings"
    for dayName in Self.names(in: table) where dayName.hasPrefix("day=") {
      let number = Int64(dayName.dropFirst(4)) ?? 0
      for name in Self.names(in: "\(table)/\(dayName)") where name.contains("=") {
        let kept = name.hasPrefix("log=") ? days[String(name.dropFirst(4))] ?? [] : []
        if !kept.contains(where: { LocalDays.number(ofDay: $0) == number }) {
          remove("\(table)/\(dayName)/\(name)")
        }
      }
      rmdir("\(table)/\(dayName)")
    }
  }

  /// Syncs the folders of tables and days to the disk. Those with files are synced as each file gets its
  /// name.
  /// - Throws: `.storage` if one cannot be synced.
  func synchronise() throws(HostLinkError) {
    var folders = [path]
    let tables = Set(Self.names(in: path)).intersection(ArchiveTable.names)
    folders += tables.map { "\(path)/\($0)" }
    let readings = "\(path)/readings"
    folders += Self.names(in: readings).filter { $0.hasPrefix("day=") }.map { "\(readings)/\($0)" }
    for folder in folders {
      try Self.storing { () throws(ParquetError) in try ParquetFile.synchronise(folder: folder) }
    }
  }

  /// Removes the files of a partition, and its folder if it has no others.
  private func remove(_ partition: String) {
    unlink("\(partition)/\(Self.fileName)")
    unlink("\(partition)/.\(Self.fileName).part")
    rmdir(partition)
  }

  private static func names(in folder: String) -> [String] {
    (try? LocalFile.names(in: folder)) ?? []
  }

  /// Runs what writes a file.
  static func storing<Result>(_ body: () throws(ParquetError) -> Result) throws(HostLinkError) -> Result {
    do throws(ParquetError) { return try body() } catch {
      throw HostLinkError(
        .storage, "\(error.path) cannot be written (\(String(cString: strerror(error.number))))",
        advice: HostLinkError.isFull(error.number)
          ? HostLinkError.spaceAdvice : "choose a folder you may write to")
    }
  }
}
