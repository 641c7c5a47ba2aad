import Foundation
import Testing

@testable import herald_node

@Suite("The node's configuration file")
struct ConfiguredArgumentsTests {
  private let path = NSTemporaryDirectory() + "herald-config-" + UUID().uuidString

  /// What the arguments become with this file, which is gone afterwards.
  private func merged(_ text: String, _ arguments: [String] = []) throws -> [String] {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try ConfiguredArguments.merged(arguments + ["--config", path])
  }

  private func complaint(_ text: String, _ arguments: [String] = []) -> String? {
    do {
      _ = try merged(text, arguments)
      return nil
    } catch {
      return String(describing: error)
    }
  }

  @Test("Without a file the arguments are what they are")
  func none() throws {
    #expect(try ConfiguredArguments.merged(["--role", "x", "--no-scan"]) == ["--role", "x", "--no-scan"])
    #expect(try ConfiguredArguments.merged([]) == [])
    // The parser says what is missing.
    #expect(try ConfiguredArguments.merged(["--config"]) == ["--config"])
  }

  @Test("What is in the file goes before the arguments")
  func inFront() throws {
    let text = """
      # a beacon
      role = beacon
      payload = "venue:826,4,7,Room #5"
      sharing = no
      read-model = yes
      tx-power = -4
      link = tcp:0
      link = pty
      neighbour = covidwatch
      neighbour = c19x
      """
    #expect(
      try merged(text, ["--expiry", "3"]) == [
        "--role=beacon", "--payload=venue:826,4,7,Room #5", "--no-sharing", "--read-model", "--tx-power=-4",
        "--link=tcp:0", "--link=pty", "--neighbour=covidwatch", "--neighbour=c19x", "--expiry", "3",
        "--config", path,
      ])
  }

  @Test("An option that the command line has counts there alone, however it is written")
  func commandLineWins() throws {
    let text = "scan = no\nlink = tcp:1\nlink = tcp:2\nexpiry = 5\nrole = beacon\n"
    #expect(
      try merged(text, ["--scan", "--link", "tcp:0", "--expiry=3"])
        == ["--role=beacon", "--scan", "--link", "tcp:0", "--expiry=3", "--config", path])
    #expect(
      try merged("advertise = yes\n", ["--no-advertise"]) == ["--no-advertise", "--config", path])
    let command = try HeraldNodeCommand.parse(
      merged(
        "radio = tcp:localhost:1\nstorage = /nope\npayload = test:1\nadvertise = no\nname = Ward 3\n",
        ["--storage", "/tmp", "--advertise"]))
    #expect(command.storage == "/tmp" && command.air.advertise && command.name == "Ward 3")
  }

  @Test(
    "What makes no sense is an error with file and line, also where the command line has the last word",
    arguments: [
      ("expiry = soon", "The value 'soon' is invalid for '--expiry"),
      ("expiry = 0", "--expiry takes a second"),
      ("scan = maybe", "`scan` is yes or no"), ("no-scan = yes", "no-scan"),
      ("scam = no", "there is no option `scam`; did you mean `scan`?"),
      ("config = other", "there is no option `config` for files"),
      ("help = yes", "there is no option `help`"),
      ("version = yes", "there is no option `version`"),
      ("experimental-dump-help = yes", "there is no option `experimental-dump-help`"),
      ("generate-completion-script = bash", "there is no option `generate-completion-script`"),
      ("role = phone", "'phone'"), ("radio = carrier pigeon", "is not a way to a controller"),
      ("link = udp:1", "udp:1"), ("name", "it is not `name = value`"), ("h = yes", "there is no option `h`"),
    ])
  func refused(line: String, told: String) throws {
    for arguments in [[], ["--expiry", "3", "--role", "wearable"]] {
      let complaint = try #require(self.complaint("# a comment\n\(line)\n", arguments))
      #expect(complaint.contains("cannot use \(path): line 2: "), "\(complaint)")
      #expect(complaint.contains(told), "\(complaint)")
    }
  }

  @Test("An option twice in a file is an error with both lines; two files are one too many, and so is none")
  func twice() throws {
    #expect(
      complaint("expiry = 3\n\nexpiry = 3\n")?.hasSuffix("line 3: `expiry` is already on line 1") == true)
    #expect(complaint("", ["--config", "other"]) != nil)
    #expect(throws: (any Error).self) { try ConfiguredArguments.merged(["--config=/nope/config"]) }
  }

  @Test("Every switch of a file can be set and unset")
  func switches() throws {
    for name in ConfiguredArguments.switches {
      #expect(try merged("\(name) = yes\n").first == "--\(name)")
      #expect(try merged("\(name) = no\n").first == "--no-\(name)")
    }
    #expect(ConfiguredArguments.switches.count == 8)
  }
}
