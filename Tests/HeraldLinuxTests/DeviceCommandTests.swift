import Glibc
import HeraldEmbedded
import Testing

@testable import HeraldLinux

@Suite("Commands on standard input")
struct DeviceCommandTests {
  private func command(_ line: String) throws(DeviceCommandError) -> DeviceCommand? {
    try DeviceCommand(line.utf8)
  }

  @Test("HP-30 HP-32 A message goes to the peer that contacts.csv names, or to all")
  func send() throws {
    let peer = IdentityBits(TargetIdentity(kind: .randomAddress, high: 0x5CDF, low: 0x3961_039D))
    #expect(try command("send 5C:DF:39:61:03:9D 0aFF") == .send([0x0A, 0xFF], to: peer))
    #expect(try command("  send\t5c:df:39:61:03:9d  00\r") == .send([0], to: peer))
    #expect(try command("send-to-all 010203") == .sendToAll([1, 2, 3]))
    #expect(try command("") == nil)
    #expect(try command(" \t\r") == nil)
  }

  @Test(
    "What makes no sense says what would",
    arguments: [
      ("hello", DeviceCommandError.unknown), ("SEND-TO-ALL 00", .unknown), ("send", .wrongForm),
      ("send 5C:DF:39:61:03:9D", .wrongForm), ("send 5C:DF:39:61:03:9D 00 11", .wrongForm),
      ("send-to-all", .wrongForm), ("send-to-all 00 11", .wrongForm), ("send 5C:DF:39:61:03 00", .noIdentity),
      ("send 5CDF3961039D00000 00", .noIdentity), ("send 5C:DF:39:61:03:9G 00", .noIdentity),
      ("send 5C-DF-39-61-03-9D 00", .noIdentity), ("send 5C:DF:39:61:03:9D 0", .noMessage),
      ("send-to-all xx", .noMessage), ("send-to-all 0x00", .noMessage),
      ("send-to-all \u{e9}\u{e9}", .noMessage),
    ])
  func refused(line: String, error: DeviceCommandError) {
    #expect(throws: error) { try DeviceCommand(line.utf8) }
  }

  @Test("The text of an identity is that of contacts.csv, and says nothing of its kind")
  func identity() {
    let identity = TargetIdentity(kind: .pseudoAddress, high: 0x000A, low: 0xB000_0C0D)
    #expect(IdentityBits(identity).text == "00:0A:B0:00:0C:0D")
    #expect(IdentityBits("00:0a:B0:00:0C:0d".utf8) == IdentityBits(identity))
    #expect(IdentityBits(identity).identities.first == identity)
    #expect(Set(IdentityBits(identity).identities.map(\.kind)).count == 4)
  }
}

@Suite("Lines from a descriptor")
struct LineInputTests {
  /// A pipe of this test alone.
  private final class Pipe {
    let reading: Int32
    private(set) var writing: Int32
    init() {
      var ends: [Int32] = [-1, -1]
      _ = pipe(&ends)
      (reading, writing) = (ends[0], ends[1])
      _ = fcntl(writing, F_SETFL, O_NONBLOCK)
    }
    deinit {
      close(reading)
      hangUp()
    }
    func write(_ text: String) {
      let bytes = Array(text.utf8)
      #expect(Glibc.write(writing, bytes, bytes.count) == bytes.count)
    }
    func hangUp() {
      if writing >= 0 { close(writing) }
      writing = -1
    }
  }

  private func lines(_ input: inout LineInput, reads: Int = 1) -> [String] {
    var lines: [String] = []
    for _ in 0..<reads {
      input.read {
        switch $0 {
        case .text(let bytes): lines.append(String(decoding: bytes, as: UTF8.self))
        case .tooLong: lines.append("too long")
        }
      }
    }
    return lines
  }

  @Test("Lines are returned as they are completed, and the last one also without its line end")
  func complete() {
    let pipe = Pipe()
    var input = LineInput(descriptor: pipe.reading)
    #expect(lines(&input) == [])
    pipe.write("one\n\nthr")
    #expect(lines(&input) == ["one", ""])
    pipe.write("ee\nfour")
    #expect(lines(&input) == ["three"])
    #expect(lines(&input) == [])
    pipe.hangUp()
    #expect(lines(&input) == ["four"])
    let (isOpen, count) = (input.isOpen, input.lineCount)
    #expect(!isOpen && count == 4)
    #expect(lines(&input, reads: 3) == [])
  }

  @Test("A line may have 2048 bytes; of a longer one nothing is kept, and the next is whole again")
  func tooLong() {
    let pipe = Pipe()
    var input = LineInput(descriptor: pipe.reading)
    let longest = String(repeating: "x", count: 2048)
    pipe.write(longest + "\n" + longest + "y\nnext\n" + longest + longest + longest)
    #expect(lines(&input, reads: 3) == [longest, "too long", "next"])
    pipe.hangUp()
    #expect(lines(&input) == ["too long"])
  }

  @Test("At most 4096 bytes are taken at a time")
  func bounded() {
    let pipe = Pipe()
    var input = LineInput(descriptor: pipe.reading)
    pipe.write(String(repeating: "\n", count: 10_000))
    #expect(lines(&input).count == 4096)
    #expect(lines(&input, reads: 5).count == 10_000 - 4096)
  }

  @Test("Input that is over is not waited for: the loop does not spin")
  func ended() {
    let pipe = Pipe()
    var input = LineInput(descriptor: pipe.reading)
    pipe.hangUp()
    var polls = PollSet()
    input.prepare(&polls)
    let before = polls.isEmpty
    _ = lines(&input)
    polls.removeAll()
    input.prepare(&polls)
    let after = polls.isEmpty
    #expect(!before && after)
  }

  @Test("A descriptor that is closed, or that cannot be read, is an input that is over")
  func unreadable() {
    let folder = open("/", O_RDONLY)
    for descriptor in [folder, -1, 1_000_000] {
      var input = LineInput(descriptor: descriptor)
      #expect(lines(&input, reads: 2) == [])
      var polls = PollSet()
      input.prepare(&polls)
      let isEmpty = polls.isEmpty
      #expect(isEmpty)
    }
    close(folder)
  }
}
