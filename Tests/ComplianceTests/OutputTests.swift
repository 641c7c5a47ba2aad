import Foundation
import Testing

/// `Console` is the one way of a program to print, and no write of a program ends it with a trap.
@Suite("Output of programs")
struct OutputTests {
  /// The one file that writes to standard streams, by their numbers.
  private static let writer = "Sources/HeraldSystem/StandardStream.swift"
  /// The modules of which programs on a host consist.
  private static let prefixes = [
    "HeraldArchive", "HeraldConsole", "HeraldEnergy", "HeraldFlash", "HeraldHostLink", "HeraldImages",
    "HeraldLinux", "HeraldParquet", "HeraldSimulation", "HeraldSystem", "HeraldText", "HeraldUSBIP",
    "herald-",
  ].map { "Sources/\($0)" }

  /// Each line with a fault has one of these.
  private static let words = [
    "print", "dump(", "NSLog", "put", "perror", "fwrite", "FileHandle", "StreamLogHandler", "stdout",
    "stderr", "write(", "withError", "try!", "File(", "ToEndOfFile", "readData",
  ]

  private static var files: [String] {
    DocumentReferences.ofThisPackage.files.filter { file in
      file.hasSuffix(".swift") && file != writer && prefixes.contains { file.hasPrefix($0) }
    }
  }

  /// What goes past `Console`, or traps.
  private static func faults(_ line: String) -> [String] {
    var code = line.firstMatch(of: #/^\s*\/\//#) == nil ? line.replacing("func print(", with: "") : ""
    // The names of the devices are no streams.
    code = code.replacing(#/"\/dev\/std(?:out|err)"/#, with: "")
    var faults: [String] = []
    // Functions of this name of ours are called with a point before them.
    if code.contains(
      #/(?:^|[^.\w]|Swift\.)(?:print|debugPrint|dump|NSLog|puts|putchar|printf|vprintf|perror)\(/#)
    {
      faults.append("prints past Console")
    }
    if code.contains(#/\b(?:fputs|fwrite|fputc|fprintf|vfprintf|dprintf)\(/#) {
      faults.append("prints past Console")
    }
    if code.contains(#/FileHandle\.standard(?:Output|Error)\s*\.|StreamLogHandler|\bstdout\b|\bstderr\b/#) {
      faults.append("uses a standard stream past Console")
    }
    if code.contains(#/(?:^|[^.\w]|Glibc\.|Foundation\.)write\(\s*(?:1|2|STD\w+_FILENO)\b/#) {
      faults.append("writes to a standard stream past Console")
    }
    if code.contains(#/\bexit\(withError:/#) { faults.append("lets the argument parser print") }
    if code.contains(#/\btry!/#) { faults.append("traps") }
    // Those of Foundation that do not throw: they trap.
    if code.contains(
      #/\.write\(Data\(|\.(?:synchronizeFile|closeFile|truncateFile|seekToEndOfFile|readDataToEndOfFile|readData)\(/#
    ),
      !code.contains(#/Data\([^)]*\)\.write\(to:/#)
    {
      faults.append("traps when a file cannot be written or read")
    }
    return faults
  }

  @Test("Programs print through Console alone, and no write traps")
  func all() throws {
    let files = Self.files
    #expect(files.count > 300)
    for file in files {
      let text = try #require(ComplianceTable.text(of: file))
      for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
        // Few lines have one of these words; the patterns take long.
        guard Self.words.contains(where: { line.contains($0) }) else { continue }
        #expect(Self.faults(String(line)) == [], "\(file):\(index + 1): \(line)")
      }
    }
  }

  @Test(
    "The check itself: every other way is found",
    arguments: [
      "print(\"hci\")", "    Swift.print(text)", "FileHandle.standardError.write(Data(text.utf8))",
      "try FileHandle.standardOutput.write(contentsOf: bytes)", "handle.write(Data(bytes))",
      "fputs(text, stderr)",
      "let value = try! make()", "exit(withError: error)", "_ = Glibc.write(1, bytes, count)",
      "write(STDERR_FILENO, bytes, count)", "Logger(label: l) { StreamLogHandler.standardError(label: $0) }",
    ])
  func checker(_ line: String) {
    #expect(Self.words.contains { line.contains($0) })
    #expect(!Self.faults(line).isEmpty)
  }

  @Test(
    "The check itself: what is no output is left alone",
    arguments: [
      "answer.print()", "func print() {", "// print(x)", "process.standardOutput = FileHandle.nullDevice",
      "try output.write(contentsOf: data)", "Console.line(text)", "isatty(STDERR_FILENO) == 1",
    ])
  func others(_ line: String) {
    #expect(Self.faults(line).isEmpty)
  }
}
