import ArgumentParser
import Foundation
import HeraldConsole
import HeraldHostLink

/// `herald-host capture`
struct Capture: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes down the HCI traffic of a herald-node.",
    discussion: """
      The node was started with `--capture unix:PATH`. What its controller and it say to each other from now on goes into the file, in btsnoop's format: \
      `btmon -r FILE`, `tshark -r FILE` and Wireshark read it, also while it grows. It ends with the node, after --seconds, or by Ctrl-C; \
      the file is whole at any time. It tells who was near: keep it accordingly.

      Example: `herald-host capture traffic.btsnoop --node unix:/tmp/node.sock --seconds 60`
      """)

  @Option(help: ArgumentHelp("The socket of the node.", valueName: "unix:path"))
  var node: String

  @Option(help: ArgumentHelp("How long to listen; without it until the node ends.", valueName: "seconds"))
  var seconds: Double?

  @Argument(help: "The file to make; - is standard output, for a program that reads it from there.")
  var file: String

  @OptionGroup var display: DisplayOptions

  mutating func validate() throws {
    guard node.hasPrefix("unix:"), node.utf8.count > 5 else {
      throw ValidationError("--node takes unix:PATH.")
    }
    guard (seconds ?? 1) > 0 else { throw ValidationError("--seconds takes more than 0.") }
    guard file != "-" || !display.json else {
      throw ValidationError("--json cannot be combined with a capture.")
    }
  }

  private struct Row: Encodable {
    let file: String
    let packets: Int
  }

  func run() throws {
    let stream = try ByteStream.connect(path: String(node.dropFirst(5)))
    // Made when the header has arrived, so that a capture that does not begin leaves no file.
    var output: FileHandle?
    var records = CaptureRecords()
    let end = seconds.map { Deadline.after(.milliseconds(Int64($0 * 1000))) }
    var (hasBegun, hasEnded) = (false, false)
    while !hasEnded, end?.hasPassed != true {
      let bytes: [UInt8]
      do {
        bytes = try stream.read(upTo: 1 << 16, by: end ?? .after(.seconds(3600)))
      } catch {
        hasEnded = true
        continue
      }
      let whole = try records.append(bytes)
      guard !whole.isEmpty else { continue }
      hasBegun = true
      guard file != "-" else {
        Console.data(whole)
        try Console.check()
        continue
      }
      let handle = try output ?? makeFile()
      output = handle
      do {
        try handle.write(contentsOf: Data(whole))
      } catch {
        throw HostLinkError(
          .storage, "\(file) cannot be written",
          advice:
            "it keeps the records up to the last complete one: free space on its disk, then capture into another file"
        )
      }
    }
    guard hasBegun else { throw Self.noHeader(hasEnded: hasEnded) }
    guard file != "-" else { return }
    try display.show(Row(file: file, packets: records.count)) {
      Console.line("\(file): \(Console.count(records.count, "packet"))")
    }
  }

  /// The error of a capture that has not begun.
  private static func noHeader(hasEnded: Bool) -> HostLinkError {
    hasEnded
      ? HostLinkError(
        .link, "the node closed the connection before the capture began, and no file was made",
        advice: "a node serves four programs at a time: end one of them, and check that the node still runs")
      : HostLinkError(
        .noAnswer, "the program at the socket sent nothing, and no file was made",
        advice: "check that the path in --node is the one after --capture of herald-node")
  }

  private func makeFile() throws(HostLinkError) -> FileHandle {
    let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw HostLinkError(
        .storage, "\(file) cannot be made (\(String(cString: strerror(errno))))",
        advice: "a file that is there stays as it is; name a new one")
    }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }
}
