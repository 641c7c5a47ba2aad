import HeraldHAL
import Testing

@testable import HeraldDeviceLink

@Suite("Sessions over USB")
struct USBSessionTests {

  /// A device with a key, 0…31, and a host with a session on its link.
  private struct Session: ~Copyable {
    var usb = ScriptedUSB()
    var host: TestHost

    init() {
      let nonce = [UInt8](repeating: 1, count: 16)
      let key = [UInt8](0..<32)
      host = TestHost(key: key, serial: "0123456789AB", deviceNonce: nonce)
      usb.now = Instant(milliseconds: 10_000)
      usb.device.accessKey = key
      usb.configure()
      _ = usb.bulk(hex("08000001 0048 0005 A0"))
      let opening = TestHost.opening(key: key, serial: "0123456789AB", deviceNonce: nonce)
      let answer = usb.bulk(Array(opening.prefix(64)), Array(opening.dropFirst(64)))
      check(answer.first?.starts(with: hex("0B000029 0048 0005 A1 65 70726F6F66 5820")) == true)
    }

    /// Whether a request that needs the session is served on the link.
    mutating func isOpen() -> Bool {
      let answer = usb.bulk(host.seal(hex("0A000001 0003 0102 A0")))
      return answer.first.flatMap { host.open($0) } == [0xA0]
    }
  }

  @Test("is no property of the cable: who has not its keys is refused on the link and at the serial port")
  func notShared() {
    var session = Session()
    check(session.isOpen())
    let commit = hex("0A000001 0003 0102 A0")
    let refused = hex("0B000005 0003 0102 A1 62 7263 0B")
    check(session.usb.bulk(commit) == [refused])
    check(session.usb.serial(serialFrame(commit)).flatMap { $0 } == serialFrame(refused))
    // Whoever has them may go on at the other interface.
    let sealed = session.host.seal(commit)
    check(!session.usb.serial(serialFrame(sealed)).isEmpty)
    check(session.isOpen())
  }

  @Test("ends when a host begins anew, and when the terminal goes")
  func ends() {
    for setup in [
      "00 09 0100 0000 0000", "01 0B 0000 0000 0000", "01 0B 0000 0200 0000", "21 22 0000 0100 0000",
    ] {
      var session = Session()
      _ = session.usb.control("21 22 0100 0100 0000")
      check(session.isOpen())
      _ = session.usb.control(setup)
      check(!session.isOpen(), "\(setup)")
    }
    for end in [USBEvent.reset, .detached] {
      var session = Session()
      session.usb.usb.controller.events = [end]
      session.usb.poll()
      session.usb.configure()
      check(!session.isOpen(), "\(end)")
    }
  }

  @Test("lives on through what is no beginning: a halt, a suspension, another terminal")
  func lives() {
    var session = Session()
    for setup in [
      "02 03 0000 8100 0000", "02 01 0000 8100 0000", "21 22 0000 0100 0000", "21 22 0300 0100 0000",
    ] {
      _ = session.usb.control(setup)
    }
    session.usb.usb.controller.events = [.suspended, .resumed]
    session.usb.poll()
    check(session.isOpen())
  }
}
