import Foundation
import HeraldDeviceLink
import HeraldText
import Testing

@testable import HeraldHostLink

/// Lines and devices that are slow, silent, or never silent.
@Suite("Bad conditions")
struct BadConditionsTests {
  @Test("a pull ends when less than 1,024 bytes come in a period of fifteen answers")
  func tempo() {
    func isEnough(_ timeout: Duration, _ notes: [(bytes: Int, seconds: Int)]) -> [Bool] {
      var tempo = PullRate(timeout: timeout, start: .zero)
      return notes.map { tempo.note($0.bytes, at: .seconds($0.seconds)) }
    }
    #expect(
      isEnough(.seconds(2), [(1, 29), (1023, 30), (0, 59), (1023, 60)]) == [true, true, true, false])
    #expect(isEnough(.milliseconds(1), [(1, 9), (1, 10)]) == [true, false])
  }

  @Test("a server that does not answer is nothing to the others")
  func servers() {
    let never = DispatchSemaphore(value: 0)
    let answers = ServerQuery.ask(["good", "silent", "bad"], timeout: .milliseconds(300)) {
      server throws(HostLinkError) -> Int in
      if server == "silent" { never.wait() }
      if server == "bad" { throw HostLinkError(.link, "bad is bad") }
      return 7
    }
    never.signal()
    #expect(answers[0] == .success(7))
    #expect(answers[2] == .failure(HostLinkError(.link, "bad is bad")))
    guard case .failure(let error) = answers[1] else {
      Issue.record("an answer of nobody")
      return
    }
    #expect(error.cause == .noAnswer && error.what.contains("silent"))
  }

  /// Two ends of a stream; bytes are written again and again to the second until it is closed.
  private func flood(_ bytes: [UInt8], _ body: (ByteStream) throws -> Void) throws {
    var ends: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    let writer = ends[1]
    let isOver = DispatchSemaphore(value: 0)
    let thread = Thread {
      let many = (0..<64).flatMap { _ in bytes }
      while many.withUnsafeBytes({ send(writer, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }) > 0 {}
      isOver.signal()
    }
    thread.start()
    let stream = ByteStream(descriptor: ends[0], name: "flood")
    defer {
      stream.close()
      isOver.wait()
      close(writer)
    }
    try body(stream)
  }

  @Test("a line that never falls silent does not put a deadline off")
  func serialFlood() throws {
    try flood(Array("nothing of a packet\n".utf8)) { stream in
      let transport = SerialTransport(stream: stream, location: "flood")
      let packet = try transport.receive(by: .after(.milliseconds(20)))
      #expect(packet == nil)
      let client = SMPClient(
        transport: transport, timeouts: SMPClient.Timeouts(timeout: .milliseconds(20), attempts: 2))
      let error = #expect(throws: HostLinkError.self) { try DeviceClient(client).logStatus() }
      #expect(error?.cause == .noAnswer)
    }
  }

  /// A line that brings a byte of a packet each time it is looked at, and the packet after so many.
  private final class SlowTransport: SMPTransport {
    let location = "slow"
    let window = 1
    let damagedPackets = 0
    private(set) var receivedBytes = 0
    private(set) var sent = 0
    private let most: Int
    private var packet: [UInt8]?
    private let answer: ([UInt8]) -> [UInt8]

    init(bytes most: Int, _ answer: @escaping ([UInt8]) -> [UInt8]) {
      (self.most, self.answer) = (most, answer)
    }

    func send(_ packet: [UInt8], by deadline: Deadline) {
      sent += 1
      self.packet = answer(packet)
    }

    func receive(by deadline: Deadline) -> [UInt8]? {
      while !deadline.hasPassed { usleep(1000) }
      receivedBytes += 1
      return receivedBytes == most ? packet : nil
    }

    func close() {}
  }

  @Test("A response over a slow line is waited for as long as its bytes come, but not for ever")
  func slowLine() throws {
    let device = FakeDevice(pages: 2)
    // It may take 30 timeouts: 3 s, of which five bytes need half a second, also on a machine that is busy.
    for (bytes, milliseconds, isEnough) in [(5, 100, true), (100, 20, false)] {
      let transport = SlowTransport(bytes: bytes) { device.answer($0).first ?? [] }
      let client = SMPClient(
        transport: transport, timeouts: .init(timeout: .milliseconds(milliseconds), attempts: 1))
      let result = try client.result(of: DeviceClient.logStatusRequest(commits: false))
      if isEnough {
        #expect(transport.receivedBytes == 5 && transport.sent == 1)
        guard case .success = result else {
          Issue.record("\(result)")
          continue
        }
      } else {
        #expect(result == .failure(.noAnswer(attempts: 1)) && transport.receivedBytes <= 31)
        let error = ManagementFailure.noAnswer(attempts: 1).error(
          DeviceClient.logStatusRequest(commits: false), at: "slow")
        #expect(error.advice?.contains("--timeout") == true)
      }
    }
  }

  @Test("Advice after an error is not to do again what has failed for good")
  func advice() {
    let request = DeviceClient.logStatusRequest(commits: false)
    let proof = ManagementFailure.refused(group: 72, code: 6).error(request, at: "test")
    #expect(proof.what == "test refused the status of the log: that is not its access key")
    #expect(
      proof.advice?.contains("factory-reset") == false && proof.advice?.contains("serial number") == true)
    var report = PullReport()
    report.problems = ["what came as page 3 has no valid header"]
    #expect(!report.isComplete && report.advice?.contains("same command") == false)
    report.stoppedBy = HostLinkError(.link, "the line is gone", advice: "reconnect the device")
    #expect(report.advice == "reconnect the device")
  }

  @Test("a USB/IP server that unlinks without end does not put a deadline off")
  func unlinkFlood() throws {
    // RET_UNLINK of nothing, 48 bytes.
    try flood([0, 0, 0, 4] + [UInt8](repeating: 0, count: 44)) { stream in
      let connection = USBIPConnection(stream: stream)
      let completion = try connection.nextCompletion(by: .after(.milliseconds(20)))
      #expect(completion == nil)
    }
  }

  private func client(_ answer: @escaping ([UInt8]) -> [[UInt8]]) -> DeviceClient {
    DeviceClient(
      SMPClient(
        transport: DirectTransport(answer),
        timeouts: SMPClient.Timeouts(timeout: .milliseconds(1), attempts: 1)))
  }

  private func answer(_ packet: [UInt8], _ body: [UInt8]) -> [[UInt8]] {
    [[packet[0] + 1, 0, 0, UInt8(body.count)] + packet[4..<8] + body]
  }

  @Test("a device that takes a byte of each piece of a payload, or none as its own is fixed, is told apart")
  func payloads() throws {
    let blob = try PayloadBlob(.bytes, payload: [UInt8](repeating: 7, count: 500))
    var taken: UInt16 = 0
    let slow = client { packet in
      taken += 1
      return answer(
        packet, [0xA1, 0x63] + Array("off".utf8) + [0x19, UInt8(taken >> 8), UInt8(taken & 0xFF)])
    }
    let error = #expect(throws: HostLinkError.self) { try slow.pushPayload(blob) }
    #expect(error?.cause == .protocolViolation && taken < 20)
    let fixed = client { answer($0, [0xA1, 0x62] + Array("rc".utf8) + [0x08]) }
    let refusal = #expect(throws: HostLinkError.self) { try fixed.pushPayload(blob) }
    #expect(refusal?.cause == .refused && refusal?.what == "test takes no payload: its own is fixed")
    #expect(refusal?.advice?.contains("--payload stored") == true)
  }

  @Test("whether a device tells its log is known before anything is made for it", arguments: [8, 12])
  func logAccess(_ code: UInt8) throws {
    let device = FakeDevice(pages: 2)
    #expect(throws: Never.self) { try client { device.answer($0) }.checkLogAccess() }
    let locked = client { packet in
      guard packet[5] == 72, packet[7] == 8 else { return device.answer(packet) }
      return answer(
        packet,
        [0xA1, 0x63] + Array("err".utf8) + [0xA2, 0x65] + Array("group".utf8) + [0x18, 72, 0x62]
          + Array("rc".utf8) + [code])
    }
    let error = #expect(throws: HostLinkError.self) { try locked.checkLogAccess() }
    #expect(error?.cause == .refused && error?.what.hasPrefix("test refused to tell its log: ") == true)
    if code == 8 { #expect(error?.what.hasSuffix("it is locked") == true) }
    // What has no pages, or is older than streams, tells nothing of it.
    let old = FakeDevice(pages: 2)
    old.fault = .oldFirmware
    #expect(throws: Never.self) { try client { old.answer($0) }.checkLogAccess() }
  }

  @Test("a file of a key or secret that is not there names --generate")
  func missingFiles() throws {
    for read in [
      { () throws -> Void in _ = try AccessKey.read("/nowhere/key") },
      { () throws -> Void in _ = try SimpleSecret.read("/nowhere/secret") },
    ] {
      let error = #expect(throws: HostLinkError.self) { try read() }
      #expect(error?.cause == .storage && error?.advice?.contains("--generate") == true)
    }
  }

  @Test("a misspelt word is near the word that was meant")
  func words() {
    let commands = ["devices", "info", "status", "time", "log", "pull", "tail", "payload", "provision"]
    for (word, meant) in [
      ("pul", "pull"), ("dev", "devices"), ("stauts", "status"), ("lgo", "log"), ("provsion", "provision"),
    ] {
      #expect(NearestWord.of(word, in: commands) == meant)
    }
    for word in ["", "x", "frobnicate", String(repeating: "a", count: 10_000)] {
      #expect(NearestWord.of(word, in: commands) == nil)
    }
  }

  @Test("a value is a word where it has one, and a date is RFC 3339")
  func forms() {
    #expect(SettingText.value(0, of: .radioSetting) == SettingText.text(0, of: .radioSetting))
    #expect(SettingText.words.contains("saver"))
    #expect(SettingText.value(14, of: .keepDays) == "14")
    #expect(UTCTimestamp.json(1_600_905_600_040) == "2020-09-24T00:00:00.040Z")
  }
}
