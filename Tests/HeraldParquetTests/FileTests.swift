import Foundation
import TestInputs
import Testing

@testable import HeraldParquet

@Suite final class FileTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/herald-parquet-\(UUID().uuidString)"
  private var path: String { folder + "/table.parquet" }

  init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func bytes() -> [UInt8] { [UInt8](FileManager.default.contents(atPath: path) ?? Data()) }
  private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder) }

  @Test("An empty table is a header and a footer, byte by byte")
  func empty() throws {
    let file = try ParquetFile(path, [ParquetColumn("a", .int32)], createdBy: "t")
    try file.finish()
    let footer = hexBytes(
      """
      15 04
      19 2C  48 06 736368656D61 15 02 00  15 02 25 00 18 01 61 00
      16 00
      19 0C
      28 01 74
      19 1C  1C 00 00
      00
      """)
    #expect(bytes() == Array("PAR1".utf8) + footer + [UInt8(footer.count), 0, 0, 0] + Array("PAR1".utf8))
  }

  @Test("Two rows of truth values, one without: page header, levels, value and metadata, byte by byte")
  func twoRows() throws {
    let file = try ParquetFile(path, [ParquetColumn("b", .boolean, isOptional: true)], createdBy: "t")
    file.append(1, to: 0)
    try file.endRow()
    try file.endRow()
    try file.finish()
    // Levels 1 and 0 are a packed group of one bit each; the value is one bit. Nothing is gained by
    // compression.
    let page = hexBytes("15 00 15 0E 15 0E 2C 15 04 15 00 15 06 15 06 00 00  02000000 03 01 01")
    let chunk = hexBytes(
      """
      26 00
      1C 15 00  19 25 00 06  19 18 01 62  15 00  16 04  16 30  16 30  26 08
         3C 36 02  28 01 01  18 01 01 00
      00 00
      """)
    let footer =
      hexBytes("15 04 19 2C 48 06 736368656D61 15 02 00 15 00 25 02 18 01 62 00 16 04 19 1C")
      + hexBytes("19 1C") + chunk + hexBytes("16 30 16 04 00") + hexBytes("28 01 74 19 1C 1C 00 00 00")
    #expect(page.count == 24 && bytes().dropFirst(4).prefix(24).elementsEqual(page))
    #expect(
      bytes() == Array("PAR1".utf8) + page + footer + [UInt8(footer.count), 0, 0, 0] + Array("PAR1".utf8))
  }

  @Test("The file has its name only when it is complete, and is for its owner")
  func appears() throws {
    try Data("before".utf8).write(to: URL(fileURLWithPath: path))
    let file = try ParquetFile(path, [ParquetColumn("a", .int64)], createdBy: "t")
    file.append(7, to: 0)
    try file.endRow()
    #expect(bytes() == Array("before".utf8))
    #expect(try names().sorted() == [".table.parquet.part", "table.parquet"])
    try file.finish()
    #expect(bytes().prefix(4).elementsEqual("PAR1".utf8) && bytes().suffix(4).elementsEqual("PAR1".utf8))
    #expect(try names() == ["table.parquet"])
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test("A table that is not finished leaves nothing")
  func abandoned() throws {
    do {
      let file = try ParquetFile(path, [ParquetColumn("a", .int64)], createdBy: "t")
      try file.endRow()
      #expect(try names() == [".table.parquet.part"])
    }
    #expect(try names() == [])
  }

  @Test("A symbolic link of its name is refused, and stays")
  func link() throws {
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "elsewhere")
    #expect(throws: ParquetError(path: path, number: ELOOP)) { _ = try OutputFile(path) }
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == "elsewhere")
    try FileManager.default.removeItem(atPath: path)
  }

  @Test(
    "Ended before any step, the name is of the former file or of the whole new one",
    arguments: OutputFile.Step.allCases)
  func ended(step: OutputFile.Step) throws {
    let end = ParquetError(path: "ended", number: 0)
    for former in [nil, Data("before".utf8)] {
      try? FileManager.default.removeItem(atPath: path)
      try former?.write(to: URL(fileURLWithPath: path))
      var states: [OutputFile.Step: (hidden: Int, bytes: Int)] = [:]
      let output = try OutputFile(path) { at throws(ParquetError) in
        let hidden = FileManager.default.contents(atPath: self.folder + "/.table.parquet.part")
        states[at] = (hidden?.count ?? -1, self.bytes().count)
        if at == step { throw end }
      }
      let file = try ParquetFile(output, [ParquetColumn("a", .int32)], createdBy: "t")
      #expect(throws: end) { try file.finish() }
      // The 48 bytes of an empty table: two marks, the length, and 36 of the footer.
      let size = former?.count ?? 0
      let expected: [(OutputFile.Step, hidden: Int, bytes: Int)] = [
        (.written, 0, size), (.synced, 48, size), (.renamed, 48, size), (.folderSynced, -1, 48),
      ]
      let reached = expected.prefix { $0.0 != step }.count + 1
      #expect(states.count == reached)
      for (step, hidden, bytes) in expected.prefix(reached) {
        #expect(states[step]?.hidden == hidden && states[step]?.bytes == bytes)
      }
      #expect(bytes().count == expected[reached - 1].bytes)
    }
  }

  @Test("A folder that is missing is an error with its number")
  func missing() {
    let error = #expect(throws: ParquetError.self) {
      try ParquetFile(self.folder + "/none/table.parquet", [], createdBy: "t")
    }
    #expect(error?.number == ENOENT && error?.path == folder + "/none/table.parquet")
  }

  @Test("A row group ends after its rows and after its bytes of text")
  func rowGroups() throws {
    let file = try ParquetFile(path, [ParquetColumn("a", .bytes)], createdBy: "t")
    for _ in 0..<ParquetFile.mostRows {
      #expect(file.rows == 0)
      try file.endRow()
    }
    #expect(file.rows == ParquetFile.mostRows && file.rowsInGroup == 0)
    for number in 0..<8 {
      file.append([UInt8(number)] + [UInt8](repeating: 0, count: 1 << 20), to: 0)
      try file.endRow()
    }
    #expect(file.rows == ParquetFile.mostRows + 8 && file.rowsInGroup == 0)
    try file.finish()
  }

  @Test("A second value of a row, a value of another type, and an entry that is not there are ignored")
  func misuse() throws {
    let columns = [ParquetColumn("a", .int32), ParquetColumn("b", .string)]
    let other = folder + "/other.parquet"
    for (path, isMisused) in [(path, true), (other, false)] {
      let file = try ParquetFile(path, columns, createdBy: "t")
      if isMisused { file.append([1], to: 0) }
      file.append(5, to: 0)
      if isMisused {
        file.append(6, to: 0)
        file.append(9, to: 1)
        file.append(entry: 99, to: 1)
        file.append(1, to: 2)
        file.append([1], to: -1)
        #expect(file.entry(of: [1], in: 2) == 0)
      }
      file.append(Array("x".utf8), to: 1)
      try file.endRow()
      try file.finish()
    }
    #expect(bytes() == [UInt8](FileManager.default.contents(atPath: other) ?? Data()))
  }
}
