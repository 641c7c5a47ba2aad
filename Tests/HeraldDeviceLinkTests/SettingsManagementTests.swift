import HeraldDeviceLink
import HeraldEmbedded
import Testing

@Suite("Settings by name")
struct SettingsManagementTests {
  /// `log/keep-days`
  private let name = "64 6E616D65 6D 6C6F672F6B6565702D64617973"
  /// `radio/setting`
  private let radio = "64 6E616D65 6D 726164696F2F73657474696E67"
  /// `access/key`
  private let key = "64 6E616D65 6A 6163636573732F6B6579"
  private let value = "63 76616C"

  /// A packet of group 3 with this body.
  private func packet(_ operation: String, _ command: String, _ body: String) -> [UInt8] {
    let bytes = hex(body)
    return hex(operation) + [0, 0, UInt8(bytes.count)] + hex("0003 00") + hex(command) + bytes
  }
  private func refusal(_ group: UInt8, _ code: UInt8) -> [UInt8] {
    hex("A1 63 657272 A2 65 67726F7570") + (group < 24 ? [group] : [0x18, group]) + hex("62 7263") + [code]
  }
  /// {"rc": 3}, in both versions.
  private let invalid = hex("A1 62 7263 03")
  /// The body of the response.
  private func body(_ request: [UInt8], _ device: inout TestDevice) -> [UInt8] {
    Array(answer(request, &device).dropFirst(8))
  }

  @Test("a setting is read and written as MCUmgr does it, its value in the bytes of its type, little-endian")
  func literal() {
    var device = TestDevice()
    check(
      answer(hex("08000014 0003 0700 A1 \(name)"), &device)
        == hex("09000008 0003 0700 A1 \(value) 42 0E00"))
    check(
      answer(hex("0A00001B 0003 0800 A2 \(name) \(value) 42 6D01"), &device) == hex("0B000001 0003 0800 A0"))
    check(device.numbers == [.keepDays: 365])
    // The longest packet name first, keys nobody knows beside it, version 1.
    check(
      answer(hex("00000020 0003 0900 A2 68 6D61785F73697A65 190100 \(name)"), &device)
        == hex("01000008 0003 0900 A1 \(value) 42 6D01"))
    check(body(packet("0A", "00", "A2 \(radio) \(value) 41 02"), &device) == [0xA0])
    check(body(packet("08", "00", "A1 \(radio)"), &device) == hex("A1 \(value) 41 02"))
    // Each by its name.
    for index in 0..<UInt8(Setting.count) {
      guard let setting = Setting(rawValue: index), setting != .accessKey else { continue }
      let text = Array("\(setting.name)".utf8)
      let entry = hex("A1 64 6E616D65") + [0x60 + UInt8(text.count)] + text
      let request = hex("0800") + [0, UInt8(entry.count)] + hex("0003 0000") + entry
      let expected = hex("A1 \(value)") + [0x40 + UInt8(setting.description.kind.size)]
      check(
        body(request, &device).starts(with: expected)
          && body(request, &device).count == 6 + setting.description.kind.size
      )
    }
  }

  @Test("a read returns as many bytes of a value as the host accepts", arguments: [0, 1, 2, 3, 24, 300])
  func maximumSize(limit: Int) {
    var device = TestDevice()
    let size = limit < 24 ? "0\(limit)" : limit == 24 ? "1818" : "19012C"
    let days: [UInt8] = [14, 0]
    let expected = Array(days.prefix(limit))
    check(
      body(packet("08", "00", "A2 68 6D61785F73697A65 \(size) \(name)"), &device)
        == hex("A1 \(value)") + [0x40 + UInt8(expected.count)] + expected)
  }

  @Test(
    "a value out of a setting's range, or of another size, is refused as an error in an input value (EINVAL)")
  func ranges() {
    var device = TestDevice()
    for wrong in ["43 010203", "41 01", "40", "44 01000000"] {
      check(body(packet("0A", "00", "A2 \(name) \(value) \(wrong)"), &device) == invalid, "\(wrong)")
    }
    check(body(packet("0A", "00", "A2 \(name) \(value) 42 430E"), &device) == invalid, "3651 days")
    check(body(packet("0A", "00", "A2 \(radio) \(value) 41 05"), &device) == invalid)
    check(body(packet("0A", "00", "A2 \(radio) \(value) 42 0000"), &device) == invalid)
    check(body(packet("0A", "00", "A2 \(key) \(value) 41 00"), &device) == invalid)
    check(device.numbers.isEmpty && device.accessKey.isEmpty)
    check(body(packet("02", "00", "A2 \(radio) \(value) 41 05"), &device) == invalid)
    check(body(packet("0A", "00", "A2 \(name) \(value) 42 420E"), &device) == [0xA0], "3650 days")
  }

  @Test("the access key is set, replaced and taken away, and never read")
  func secret() {
    var device = TestDevice()
    let bytes = "5820" + String(repeating: "A5", count: 32)
    check(body(packet("0A", "00", "A2 \(key) \(value) \(bytes)"), &device) == [0xA0])
    check(device.accessKey == [UInt8](repeating: 0xA5, count: 32))
    device.accessKey = []
    check(body(packet("08", "00", "A1 \(key)"), &device) == refusal(3, 4))
    check(body(packet("00", "00", "A1 \(key)"), &device) == hex("A1 62 7263 05"))
    // The request's own buffer has no key in it any more.
    var buffer = packet("0A", "00", "A2 \(key) \(value) \(bytes)")
    let count = buffer.count
    var server = SMPServer()
    var span = buffer.mutableSpan
    _ = server.respond(to: &span, count: count, at: .start, device: &device)
    #expect(!buffer.contains(0xA5))
    device.accessKey = []
    check(body(packet("0A", "00", "A2 \(key) \(value) 40"), &device) == [0xA0] && device.accessKey.isEmpty)
  }

  @Test(
    "a setting that is deleted has its default again; committing, loading and saving find everything done")
  func others() {
    var device = TestDevice()
    device.numbers = [.keepDays: 5, .radioSetting: 2]
    check(body(packet("0A", "01", "A1 \(radio)"), &device) == [0xA0] && device.numbers == [.keepDays: 5])
    check(body(packet("0A", "01", "A0"), &device) == hex("A1 62 7263 03"))
    check(body(packet("0A", "02", "A0"), &device) == [0xA0])
    check(
      body(packet("08", "03", "A0"), &device) == [0xA0] && body(packet("0A", "03", "A0"), &device) == [0xA0])
    check(body(packet("0A", "01", "A1 \(key)"), &device) == [0xA0])
    for (operation, command) in [("08", "01"), ("08", "02"), ("08", "04"), ("0A", "04")] {
      check(body(packet(operation, command, "A1 \(name)"), &device) == hex("A1 62 7263 08"))
    }
  }

  @Test("what is not understood changes nothing and says why")
  func refusals() {
    var device = TestDevice()
    check(
      answer(hex("08000009 0003 0000 A1 64 6E616D65 62 6162"), &device).dropFirst(8) == refusal(3, 3)[...])
    for text in ["A0", "A1 \(value) 42 6D01", "80", "A1 64 6E616D65 01"] {
      check(body(packet("08", "00", text), &device) == hex("A1 62 7263 03"), "\(text)")
    }
    for wrong in ["01", "62 6162"] {
      check(
        body(packet("0A", "00", "A2 \(name) \(value) \(wrong)"), &device) == hex("A1 62 7263 03"), "\(wrong)")
    }
    check(body(packet("0A", "00", "A1 \(name)"), &device) == hex("A1 62 7263 03"))
    // A flash that fails.
    device.isFlashBroken = true
    check(body(packet("0A", "00", "A2 \(name) \(value) 42 6D01"), &device) == refusal(3, 8))
    check(body(packet("0A", "01", "A1 \(name)"), &device) == refusal(3, 8))
    check(body(packet("0A", "00", "A2 \(key) \(value) 40"), &device) == refusal(3, 8))
    check(device.numbers.isEmpty)
  }
}
