import HeraldDeviceLink
import HeraldEmbedded
import Testing

@Suite("Settings by name")
struct SettingsManagementTests {
  /// `log/keep-days`
  private let name = "64 6E616D65 6D 6C6F672F6B6565702D64617973"
  private let value = "63 76616C"

  @Test("a setting is read and written as MCUmgr does it, its value in two bytes, little-endian")
  func literal() {
    var device = TestDevice()
    check(
      answer(hex("08000014 0003 0700 A1 \(name)"), &device)
        == hex("09000008 0003 0700 A1 \(value) 42 0E00"))
    check(
      answer(hex("0A00001B 0003 0800 A2 \(name) \(value) 42 6D01"), &device) == hex("0B000001 0003 0800 A0"))
    check(device.status.keptDays == 365)
    // The longest packet name first, keys nobody knows beside it, version 1.
    check(
      answer(hex("00000020 0003 0900 A2 68 6D61785F73697A65 190100 \(name)"), &device)
        == hex("01000008 0003 0900 A1 \(value) 42 6D01"))
  }

  @Test("what is not understood changes nothing and says why")
  func refusals() {
    var device = TestDevice()
    func refusal(_ code: UInt8) -> [UInt8] {
      hex("A1 63 657272 A2 65 67726F7570 03 62 7263") + [code]
    }
    // Another name; none; a value of one byte, of three, of another type, and none.
    check(answer(hex("08000009 0003 0000 A1 64 6E616D65 62 6162"), &device).dropFirst(8) == refusal(3)[...])
    for body in ["A0", "A1 \(value) 42 6D01", "80", "A1 64 6E616D65 01"] {
      let bytes = hex(body)
      check(
        answer(hex("0800") + [0, UInt8(bytes.count)] + hex("0003 0000") + bytes, &device)
          == hex("09000005 0003 0000 A1 62 7263 03"), "\(body)")
    }
    for wrong in ["41 01", "43 010203", "01", "62 6162"] {
      let bytes = hex("A2 \(name) \(value) \(wrong)")
      check(
        answer(hex("0A00") + [0, UInt8(bytes.count)] + hex("0003 0000") + bytes, &device)
          == hex("0B000005 0003 0000 A1 62 7263 03"), "\(wrong)")
    }
    check(
      answer(hex("0A000014 0003 0000 A1 \(name)"), &device) == hex("0B000005 0003 0000 A1 62 7263 03"))
    // Another command.
    check(answer(hex("0A000001 0003 0002 A0"), &device) == hex("0B000005 0003 0002 A1 62 7263 08"))
    // A flash that fails.
    device.isFlashBroken = true
    check(
      answer(hex("0A00001B 0003 0800 A2 \(name) \(value) 42 6D01"), &device).dropFirst(8) == refusal(8)[...])
    check(device.status.keptDays == 14)
  }
}
