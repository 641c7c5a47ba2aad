import HeraldEmbedded
import Testing

@testable import HeraldDeviceLink

@Suite("SMP server")
struct SMPServerTests {
  /// The request is what smpmgr 0.19.1 sent for `os echo hi`.
  @Test("echoes the text smpmgr sends, with the same sequence")
  func echo() {
    var device = TestDevice()
    #expect(
      answer(hex("0A000006 0000 0100 A1 61 64 62 68 69"), &device)
        == hex("0B000006 0000 0100 A1 61 72 62 68 69"))
  }
}
