import HeraldDeviceLink
import Testing

@testable import HeraldHostLink

@Suite("Settings, the host's side")
struct SettingsClientTests {
  private let brief = SMPClient.Timeouts(timeout: .milliseconds(1), attempts: 2)
  /// `"name": "log/keep-days"`
  private let name: [UInt8] = [0x64, 0x6E, 0x61, 0x6D, 0x65, 0x6D] + Array("log/keep-days".utf8)
  private let value: [UInt8] = [0x63, 0x76, 0x61, 0x6C]

  private func client(answering body: [UInt8]) -> (DirectTransport, DeviceClient) {
    let transport = DirectTransport { packet in
      [[packet[0] + 1, 0, 0, UInt8(body.count)] + packet[4..<8] + body]
    }
    return (transport, DeviceClient(SMPClient(transport: transport, timeouts: brief)))
  }

  @Test("asks for days and sets them, in literal bytes")
  func literal() throws {
    let (reading, reader) = client(answering: [0xA1] + value + [0x42, 0x6D, 0x01])
    #expect(try reader.number(of: .keepDays) == 365)
    #expect(reading.sent.map { Array($0.dropFirst(8)) } == [[0xA1] + name])
    #expect(reading.sent[0][0] == 0x08 && Array(reading.sent[0][4...5]) == [0, 3] && reading.sent[0][7] == 0)
    let (writing, writer) = client(answering: [0xA0])
    try writer.set(.keepDays, to: 365)
    #expect(writing.sent.map { Array($0.dropFirst(8)) } == [[0xA2] + name + value + [0x42, 0x6D, 0x01]])
    #expect(writing.sent[0][0] == 0x0A)
  }

  @Test("a value of another length is a malformed response")
  func senseless() {
    for wrong: [UInt8] in [[0x41, 1], [0x43, 1, 2, 3], [0x01]] {
      let (_, reader) = client(answering: [0xA1] + value + wrong)
      #expect(throws: HostLinkError.self) { try reader.number(of: .keepDays) }
    }
  }

  @Test("what was damaged is found among the counters of firmware; a device without them says nothing")
  func health() throws {
    func text(_ word: String) -> [UInt8] { [0x78, UInt8(word.utf8.count)] + Array(word.utf8) }
    let group: [[UInt8]] = [[0xA2], text("name"), text("firmware"), text("fields")]
    let counters: [[UInt8]] = [[0xA2], text("settings_damaged"), [2], text("settings_errors"), [1]]
    let (transport, reader) = client(answering: Array((group + counters).joined()))
    #expect(try reader.settingsHealth() == DeviceSettingsHealth(damagedPages: 2, flashErrors: 1))
    #expect(transport.sent[0].suffix(9) == [0x68] + Array("firmware".utf8))
    let (_, other) = client(answering: Array((group + [[0xA0]]).joined()))
    #expect(try other.settingsHealth() == nil)
    // {"err": {"group": 2, "rc": 2}}
    let (_, node) = client(
      answering: [0xA1] + text("err") + [0xA2] + text("group") + [2] + text("rc") + [2])
    #expect(try node.settingsHealth() == nil)
  }
}
