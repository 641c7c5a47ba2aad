import HeraldEmbedded
import Testing

@testable import HeraldDeviceLink

@Suite("Sessions over USB")
struct USBSessionTests {
  /// What needs the key: settings are saved (group 3, command 2).
  private let guarded = hex("0A000001 0003 0102 A0")
  private let done = hex("0B000001 0003 0102 A0")

  /// A device with a key, 0…31, that a host has just shown on its link.
  private func unlocked() -> ScriptedUSB {
    var host = ScriptedUSB()
    host.now = Instant(milliseconds: 10_000)
    host.device.accessKey = Array(0..<32)
    host.configure()
    _ = host.bulk(hex("08000001 0048 0005 A0"))
    // hmac.new(bytes(range(32)), b"herald access 1" + b"0123456789AB" + bytes([1] * 16), "sha256")
    let proof = hex("9263741608eb85ea7ee6d64b091484f068cf7ca85aa170ba360379bad43ad000")
    let answer = host.bulk(hex("0A000029 0048 0105 A1 65 70726F6F66 5820") + proof)
    check(answer == [hex("0B000001 0048 0105 A0")])
    return host
  }

  private func isOpen(_ host: inout ScriptedUSB) -> Bool { host.bulk(guarded) == [done] }

  @Test("is the cable's: opened on the link, it is open at the serial port")
  func shared() {
    var host = unlocked()
    check(isOpen(&host))
    check(host.serial(serialFrame(guarded)).flatMap { $0 } == serialFrame(done))
    _ = host.control("21 22 0100 0100 0000")
    check(isOpen(&host))
  }

  @Test("ends when a host begins anew, and when the terminal goes")
  func ends() {
    for setup in [
      "00 09 0100 0000 0000", "01 0B 0000 0000 0000", "01 0B 0000 0200 0000", "21 22 0000 0100 0000",
    ] {
      var host = unlocked()
      _ = host.control("21 22 0100 0100 0000")
      check(isOpen(&host))
      _ = host.control(setup)
      check(!isOpen(&host), "\(setup)")
    }
    for end in [USBEvent.reset, .detached] {
      var host = unlocked()
      host.usb.controller.events = [end]
      host.poll()
      host.configure()
      check(!isOpen(&host), "\(end)")
    }
  }

  @Test("lives on through what is no beginning: a halt, a suspension, another terminal")
  func lives() {
    var host = unlocked()
    for setup in [
      "02 03 0000 8100 0000", "02 01 0000 8100 0000", "21 22 0000 0100 0000", "21 22 0300 0100 0000",
    ] {
      _ = host.control(setup)
    }
    host.usb.controller.events = [.suspended, .resumed]
    host.poll()
    check(isOpen(&host))
  }
}
