import HeraldDeviceLink
import HeraldHostLink
import TestInputs
import Testing

@testable import HeraldFlash
@testable import HeraldImages

/// A line whose other end answers as the test says, and notes what it was asked.
private final class ScriptedTransport: SMPTransport {
  let location = "test"
  let window = 1
  let damagedPackets = 0
  private(set) var sent: [[UInt8]] = []
  private let answer: ([UInt8]) -> [UInt8]?
  private var waiting: [[UInt8]] = []

  /// `answer` gets a packet and gives the body of the response; without one the device is silent.
  init(_ answer: @escaping ([UInt8]) -> [UInt8]?) { self.answer = answer }

  func send(_ packet: [UInt8], by deadline: Deadline) throws(HostLinkError) {
    sent.append(packet)
    guard let body = answer(packet) else { return }
    waiting.append(
      [
        packet[0] | 1, 0, UInt8(body.count >> 8), UInt8(body.count & 0xFF), packet[4], packet[5], packet[6],
        packet[7],
      ]
        + body)
  }

  func receive(by deadline: Deadline) throws(HostLinkError) -> [UInt8]? {
    waiting.isEmpty ? nil : waiting.removeFirst()
  }

  func close() {}
}

@Suite("Images in the Simple Management Protocol")
struct SMPProgrammerTests {
  /// `{"rc": 8}`: no such command.
  private static let unsupported: [UInt8] = [0xA1, 0x62, 0x72, 0x63, 0x08]

  private static func text(_ text: String) -> [UInt8] { [0x60 + UInt8(text.utf8.count)] + Array(text.utf8) }

  /// `{"off": offset}`, and "match" if it is told.
  private static func offset(_ value: Int, match: Bool? = nil) -> [UInt8] {
    [match == nil ? 0xA1 : 0xA2] + text("off") + [0x19, UInt8(value >> 8), UInt8(value & 0xFF)]
      + (match.map { text("match") + [$0 ? 0xF5 : 0xF4] } ?? [])
  }

  /// `{"images": [{"slot": 0, "version": "1.0.0", "active": true, …}]}`, with the image of these bytes in
  /// slot 1, planned or not.
  private static func state(active: Bool, second hash: [UInt8]?, pending: Bool = false) -> [UInt8] {
    var bytes: [UInt8] = [0xA1] + text("images") + [hash == nil ? 0x81 : 0x82]
    bytes +=
      [0xA3] + text("slot") + [0] + text("version") + text("1.0.0") + text("active") + [active ? 0xF5 : 0xF4]
    if let hash {
      bytes +=
        [0xA4] + text("slot") + [1] + text("version") + text("1.2.3.4") + text("hash") + [0x58, 0x20] + hash
      bytes += text("pending") + [pending ? 0xF5 : 0xF4]
    }
    return bytes
  }

  private static func plan() throws -> FlashPlan {
    try FlashPlan(
      image: try FirmwareImage(Imgtool.plain), board: try #require(BoardCatalogue.named("mcuboot")))
  }

  private static let hash = Array(Imgtool.plain.suffix(32))

  private static func failure(_ transport: ScriptedTransport, _ plan: FlashPlan) -> FlashFailure? {
    do {
      try SMPProgrammer(transport, timeout: .milliseconds(1), isPermanent: false).write(plan) { _ in }
      return nil
    } catch {
      return error
    }
  }

  @Test("The packets of an upload are these bytes, and the device is told to try the image")
  func literal() throws {
    var states = 0
    let transport = ScriptedTransport { packet in
      switch (packet[5], packet[7]) {
      case (0, 6): return [0xA1] + Self.text("buf_size") + [0x18, 0x80]
      case (1, 1): return Self.offset(packet.count > 100 ? 48 : 88, match: packet.count > 100 ? nil : true)
      case (1, 0):
        states += 1
        return Self.state(active: true, second: states > 1 ? Self.hash : nil, pending: states > 1)
      default: return Self.unsupported
      }
    }
    let programmer = SMPProgrammer(transport, timeout: .milliseconds(1), isPermanent: false)
    var progress: [FlashProgress] = []
    try programmer.write(try Self.plan()) { progress.append($0) }
    let uploads = transport.sent.filter { $0[5] == 1 && $0[7] == 1 }
    // SHA-256 of all 88 bytes, by sha256sum.
    let digest = hexBytes("0898b398c2999332b1bcb9e49a3659ddb780f361ca06973d2b789bcd84e6d2f2")
    let first: [[UInt8]] = [
      [0x0A, 0, 0, 0x69, 0, 1, 0, 1, 0xA4], Self.text("off"), [0], Self.text("data"), [0x58, 0x30],
      Array(Imgtool.plain.prefix(48)), Self.text("len"), [0x18, 88], Self.text("sha"), [0x58, 0x20], digest,
    ]
    #expect(uploads[0] == Array(first.joined()))
    #expect(uploads[0].count + 4 <= 128)
    let second: [[UInt8]] = [
      [0xA2], Self.text("off"), [0x18, 48], Self.text("data"), [0x58, 40], Array(Imgtool.plain.suffix(40)),
    ]
    #expect(Array(uploads[1].dropFirst(8)) == Array(second.joined()))
    let planned = try #require(transport.sent.last)
    let expected: [[UInt8]] = [
      [0x0A, 0, 0, 0x31, 0, 1, planned[6], 0, 0xA2], Self.text("hash"), [0x58, 0x20], Self.hash,
      Self.text("confirm"), [0xF4],
    ]
    #expect(planned == Array(expected.joined()))
    #expect(
      progress == [
        FlashProgress(.writing, done: 48, total: 88), FlashProgress(.writing, done: 88, total: 88),
      ])
    #expect(programmer.remark(after: try Self.plan())?.contains("herald-flash confirm --to smp:test") == true)
  }

  @Test("Recovery has nothing that runs: what is sent is what starts, and nobody is told to try it")
  func recovery() throws {
    let transport = ScriptedTransport { packet in
      switch (packet[5], packet[7]) {
      case (1, 1): Self.offset(88)
      case (1, 0): Self.state(active: false, second: nil)
      default: Self.unsupported
      }
    }
    let session = try FlashSession(SMPProgrammer(transport, timeout: .milliseconds(1), isPermanent: false))
    #expect(session.identification.details.contains { $0.value == "none runs: MCUboot's serial recovery" })
    let outcome = try session.write(try Self.plan(), isReset: false) { _ in }
    #expect(!outcome.isVerified)
    // State is written by nobody.
    #expect(!transport.sent.contains { $0[0] & 7 == 2 && $0[5] == 1 && $0[7] == 0 })
    // It does not say how long a packet may be: none is longer than 256 bytes.
    #expect(transport.sent.allSatisfy { $0.count <= 256 })
  }

  @Test("Where it ends, and what the board holds then")
  func ends() throws {
    let plan = try Self.plan()
    func device(active: Bool, upload: @escaping (Int) -> [UInt8]?) -> ScriptedTransport {
      var uploads = 0
      return ScriptedTransport { packet in
        switch (packet[5], packet[7]) {
        case (0, 6): return [0xA1] + Self.text("buf_size") + [0x18, 0x80]
        case (1, 1):
          uploads += 1
          return upload(uploads)
        case (1, 0): return Self.state(active: active, second: nil)
        default: return Self.unsupported
        }
      }
    }
    // It falls silent: the old firmware runs on, or half of the new one is there.
    let silent = Self.failure(device(active: true) { $0 == 1 ? Self.offset(52) : nil }, plan)
    #expect(silent?.cause == .link(.noAnswer) && silent?.state == .beside)
    let recovery = Self.failure(device(active: false) { $0 == 1 ? Self.offset(52) : nil }, plan)
    #expect(recovery?.cause == .link(.noAnswer) && recovery?.state == .partlyWritten)
    // It wants the same bytes indefinitely, more than there are, or says nothing.
    let stuck = Self.failure(device(active: true) { _ in Self.offset(0) }, plan)
    #expect(stuck?.cause == .link(.protocolViolation))
    let beyond = Self.failure(device(active: true) { _ in Self.offset(89) }, plan)
    #expect(beyond?.cause == .link(.protocolViolation))
    let wordless = Self.failure(device(active: true) { _ in [0xA0] }, plan)
    #expect(wordless?.cause == .link(.protocolViolation))
    // What arrived is not what was sent.
    let different = Self.failure(device(active: true) { _ in Self.offset(88, match: false) }, plan)
    #expect(different?.cause == .different && different?.state == .untouched)
    // It took all, and does not depend on the image.
    let forgetful = Self.failure(device(active: true) { _ in Self.offset(88, match: true) }, plan)
    #expect(forgetful?.cause == .link(.protocolViolation) && forgetful?.state == .beside)
    // It has no slots at all.
    let none = ScriptedTransport { _ in Self.unsupported }
    #expect(throws: FlashFailure.self) {
      try SMPProgrammer(none, timeout: .milliseconds(1), isPermanent: false).identify()
    }
  }

  @Test("A device that goes back sends what it was asked for again")
  func goesBack() throws {
    let plan = try Self.plan()
    var asked: [Int] = []
    var uploads = 0
    let transport = ScriptedTransport { packet in
      switch (packet[5], packet[7]) {
      case (0, 6): return [0xA1] + Self.text("buf_size") + [0x18, 0x80]
      case (1, 1):
        uploads += 1
        asked.append(packet[13] == 0x18 ? Int(packet[14]) : Int(packet[13]))
        return [Self.offset(52), Self.offset(10), Self.offset(88)][uploads - 1]
      default: return Self.state(active: true, second: uploads > 0 ? Self.hash : nil, pending: uploads > 0)
      }
    }
    #expect(Self.failure(transport, plan) == nil)
    #expect(asked == [0, 52, 10])
  }
}
