import HeraldDeviceLink
import HeraldEmbedded
import HeraldHAL
import Testing

/// Who may begin a factory reset of a device with a button.
@Suite("Access control: factory reset of a device with a button")
struct ResetPermissionTests {
  private let begin = hex("0A00000C 0048 0303 A1 65 65706F6368 1A CAFEF00D")
  /// `{"done": 0, "of": 3, "bad": 0}`.
  private let begun = hex("A3 64 646F6E65 00 62 6F66 03 63 626164 00")

  private func device(permissions: Int) -> LockedDevice {
    var device = LockedDevice()
    device.device.permissions = permissions
    device.device.takesReset = true
    return device
  }

  @Test("a reset by a stranger is refused, by 72/14 and in version 1 by 11, and nothing is erased")
  func stranger() {
    for key in [[UInt8](0..<32), []] {
      var device = device(permissions: 0)
      device.device.accessKey = key
      check(device.ask(begin) == refusal(14))
      check(device.ask(hex("0200000C 0048 0303 A1 65 65706F6368 1A CAFEF00D")) == hex("A1 62 7263 0B"))
      check(device.device.erasing.total == 0)
    }
  }

  @Test("one permission is for one reset; requests that repeat it get its progress")
  func once() {
    var device = device(permissions: 1)
    // Another log, and a body that is none, do not use it up.
    check(device.ask(hex("0A00000C 0048 0303 A1 65 65706F6368 1A CAFEF00E")) == refusal(4))
    check(device.ask(hex("0A000001 0048 0303 A0")) == hex("A1 62 7263 03"))
    check(device.device.permissions == 1)
    check(device.ask(begin) == begun && device.device.permissions == 0)
    check(device.ask(begin) == begun)
    device.device.erasing = FactoryResetProgress()
    check(device.ask(begin) == refusal(14), "the next reset requires another permission")
  }

  @Test("a reset that cannot be recorded uses the permission up")
  func broken() {
    var device = device(permissions: 1)
    device.device.takesReset = false
    check(device.ask(begin) == refusal(5))
    device.device.takesReset = true
    check(device.ask(begin) == refusal(14))
  }

  @Test("a session needs no permission, and leaves one alone")
  func session() {
    for permissions in 0...1 {
      var device = device(permissions: permissions)
      check(device.unlock().count == 41)
      check(device.exchange(begin) == begun && device.device.permissions == permissions)
    }
  }

  @Test("a packet that only claims to be sealed is refused as before")
  func forged() {
    var device = device(permissions: 0)
    check(device.unlock().count == 41)
    var sealed = device.hosts[0]?.seal(begin) ?? []
    #expect(sealed.count > 20)
    sealed[sealed.count - 1] ^= 1
    check(device.ask(sealed) == refusal(8) && device.device.erasing.total == 0)
  }
}
