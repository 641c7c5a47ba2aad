import Foundation
import Testing

@testable import HeraldHostLink

/// No output takes the place of a file that this program did not write, nor of one that the command reads.
@Suite("Outputs in place of files")
struct ReplacementTests {
  private let folder = TemporaryFolder()

  private func write(_ name: String, _ text: String) throws -> String {
    let path = "\(folder.path)/\(name)"
    try FileManager.default.createDirectory(
      atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  /// What is said; empty if the output may be written.
  private func answer(_ path: String, isForced: Bool = false, inputs: [String] = []) -> String {
    do throws(HostLinkError) {
      try Replacement(isForced: isForced, inputs: inputs).check(path) { $0.starts(with: "own\n".utf8) }
      return ""
    } catch {
      return error.cause == .usage && error.advice != nil ? error.what : "\(error)"
    }
  }

  @Test("An earlier output and an empty file are replaced, another file only if the user insists")
  func kinds() throws {
    #expect(answer("\(folder.path)/new") == "")
    #expect(answer(try write("own", "own\nmore")) == "")
    #expect(answer(try write("empty", "")) == "")
    let other = try write("ward.sqlite", "SQLite format 3\0")
    #expect(
      answer(other)
        == "\(other) is there already, and is no earlier output of this command: it stays as it is")
    #expect(answer(other, isForced: true) == "")
  }

  @Test("What the command reads stays, by whatever name, also if the user insists")
  func inputs() throws {
    let input = try write("people.csv", "own\n")
    let link = "\(folder.path)/link.csv"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: input)
    let hard = "\(folder.path)/hard.csv"
    try FileManager.default.linkItem(atPath: input, toPath: hard)
    for path in [input, link, hard, "\(folder.path)/./people.csv"] {
      #expect(
        answer(path, isForced: true, inputs: ["postgresql://host/db", input])
          == "\(path) is what this command reads, and stays as it is")
    }
    // What is read of the folder of a log.
    let log = "\(folder.path)/log"
    for name in ["device.json", "conversion.state", "conversion.state.part", "pages/1-00000001.page"] {
      let path = try write("log/\(name)", "own\n")
      #expect(
        answer(path, isForced: true, inputs: [log])
          == "\(path) is what this command reads, and stays as it is")
    }
    #expect(answer(try write("log/report.html", "own\n"), inputs: [log]) == "")
  }

  @Test("A device, a folder and a pipe are no place for an output")
  func others() throws {
    let pipe = "\(folder.path)/pipe"
    _ = try write("own", "own\n")
    #expect(mkfifo(pipe, 0o600) == 0)
    for path in ["/dev/null", folder.path, pipe] {
      #expect(answer(path, isForced: true) == "\(path) is no regular file, and stays as it is")
    }
  }

  @Test("A symbolic link is neither replaced nor followed, whatever it leads to, also if the user insists")
  func links() throws {
    let (link, target) = ("\(folder.path)/link", try write("empty", ""))
    for destination in [target, "\(folder.path)/none", try write("own", "own\n")] {
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: destination)
      #expect(answer(link, isForced: true) == "\(link) is a symbolic link, and stays as it is")
      #expect(throws: HostLinkError.self) { try ReplacedFile(link, takesStream: true) }
      try FileManager.default.removeItem(atPath: link)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["empty", "own"])
  }

  @Test("A device, a pipe, and what the program was started with are written to as they are")
  func streams() throws {
    func put(_ path: String, _ text: String) throws {
      try Replacement().check(path, takesStream: true) { _ in false }
      let file = try ReplacedFile(path, takesStream: true)
      try file.append(text)
      try file.finish()
    }
    let log = try write("log", "before\n")
    let open = try #require(FileHandle(forUpdatingAtPath: log))
    try open.seekToEnd()
    try put("/dev/fd/\(open.fileDescriptor)", "one\n")
    try put("/proc/self/fd/\(open.fileDescriptor)", "two\n")
    #expect(try String(contentsOfFile: log, encoding: .utf8) == "before\none\ntwo\n")
    try put("/dev/null", "gone")
    let link = "\(folder.path)/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/dev/null")
    try put(link, "gone")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "/dev/null")
    let pipe = Pipe()
    try put("/dev/fd/\(pipe.fileHandleForWriting.fileDescriptor)", "three")
    try pipe.fileHandleForWriting.close()
    #expect(try pipe.fileHandleForReading.readToEnd() == Data("three".utf8))
    // A closed one, and one that is full.
    #expect(throws: HostLinkError.self) { try put("/dev/fd/4711", "") }
    let error = #expect(throws: HostLinkError.self) { try put("/dev/full", "x") }
    #expect(error?.advice == HostLinkError.spaceAdvice)
  }

  @Test("Tables replace those of an earlier export, and no file of the same name and header")
  func tables() throws {
    let path = "\(folder.path)/out"
    let table = TableFolder.Table("persons", columns: ["name", "role"], as: .csv)
    func failure(isForced: Bool = false) -> String {
      do throws(HostLinkError) {
        try TableFolder.prepare(path, for: [table], Replacement(isForced: isForced))
        return ""
      } catch {
        return error.what
      }
    }
    _ = try write("out/persons.csv", "name,role\nAda,nurse\n")
    #expect(failure().hasPrefix("\(path)/persons.csv is there already"))
    #expect(!FileManager.default.fileExists(atPath: "\(path)/_herald.json"))
    #expect(failure(isForced: true) == "")
    #expect(
      try String(contentsOfFile: "\(path)/_herald.json", encoding: .utf8) == "{\"files\":[\"persons.csv\"]}\n"
    )
    #expect(failure() == "")
    // A file of somebody else that was put there since.
    _ = try write("out/persons.csv", "time,sensor,id\n")
    #expect(failure().hasPrefix("\(path)/persons.csv is there already"))
    // A file of that name that says something else.
    _ = try write("out/_herald.json", "mine")
    try FileManager.default.removeItem(atPath: "\(path)/persons.csv")
    #expect(failure().hasPrefix("\(path)/_herald.json is there already"))
  }

  @Test("Tables are known by their first words")
  func beginnings() {
    let csv = TableFolder.Table("persons", columns: ["name", "role"], as: .csv)
    let lines = TableFolder.Table("persons", columns: ["name", "role"], as: .jsonl)
    #expect(csv.name == "persons.csv" && lines.name == "persons.jsonl")
    #expect(csv.isOwn(Array("name,role\nAda,nurse\n".utf8)) && !csv.isOwn(Array("name,role,place\n".utf8)))
    #expect(lines.isOwn(Array("{\"name\":\"Ada\"".utf8)) && !lines.isOwn(Array("{\"id\":1".utf8)))
  }
}
