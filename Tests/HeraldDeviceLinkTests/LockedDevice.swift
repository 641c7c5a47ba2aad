import HeraldDeviceLink
import HeraldEmbedded
import HeraldHAL
import Testing

/// A device with an access key, and any number of links to it.
struct LockedDevice: ~Copyable {
  var device = TestDevice()
  var links: [SMPServer]
  var hosts: [TestHost?]
  var now = Instant.start + .seconds(10)
  let key = [UInt8](0..<32)

  init(links count: Int = 1) {
    device.accessKey = Array(0..<32)
    device.pages[3] = [0xDE, 0xAD, 0xBE, 0xEF]
    links = .init(repeating: SMPServer(), count: count)
    hosts = .init(repeating: nil, count: count)
  }

  /// The response to a packet as it is.
  mutating func send(_ packet: [UInt8], on link: Int = 0) -> [UInt8] {
    var buffer = packet + [UInt8](repeating: 0, count: 512 - packet.count)
    var span = buffer.mutableSpan
    let count = links[link].respond(to: &span, count: packet.count, at: now, device: &device)
    return Array(buffer[..<count])
  }

  /// The body of the response to a packet as it is.
  mutating func ask(_ packet: [UInt8], on link: Int = 0) -> [UInt8] {
    Array(send(packet, on: link).dropFirst(8))
  }

  /// Proves that the host has `key`; keeps the session if the device proves the same. The body of the
  /// response.
  mutating func unlock(_ key: [UInt8] = Array(0..<32), on link: Int = 0) -> [UInt8] {
    _ = ask(hex("08000001 0048 0005 A0"), on: link)
    let nonce = [UInt8](repeating: device.nonces, count: 16)
    let answer = ask(TestHost.opening(key: key, serial: device.serial, deviceNonce: nonce), on: link)
    if answer.first == 0xA1, answer.count == 41 {
      hosts[link] = TestHost(key: key, serial: device.serial, deviceNonce: nonce)
    }
    return answer
  }

  /// The body of the response to a sealed packet, opened with the number of a request, or of the last one;
  /// `nil` if it is not sealed.
  mutating func serve(_ sealed: [UInt8], number: UInt32? = nil, on link: Int = 0) -> [UInt8]? {
    let answer = send(sealed, on: link)
    return hosts[link]?.open(answer, number: number)
  }

  /// The body of the response to a packet in the session of a link.
  mutating func exchange(_ packet: [UInt8], on link: Int = 0) -> [UInt8]? {
    guard let sealed = hosts[link]?.seal(packet) else { return nil }
    return serve(sealed, on: link)
  }

  /// Whether the session that was opened last on a link is served.
  mutating func isOpen(on link: Int = 0) -> Bool {
    exchange(hex("0A000001 0003 0002 A0"), on: link) == [0xA0]
  }
}

/// The body of a response with the general return code 11, access denied (MCUmgr's own groups).
let accessDenied = hex("A1 62 7263 0B")

/// The body of a response with an error code of group 72 (0x0048).
func refusal(_ code: UInt8) -> [UInt8] { hex("A1 63 657272 A2 65 67726F7570 1848 62 7263") + [code] }

/// The body of a response to a read of the access state: `{"set", "open", "nonce", "wait"}`.
func accessState(_ isSet: Bool, _ isOpen: Bool, nonce: UInt8, wait: String = "00") -> [UInt8] {
  hex("A4 63 736574") + [isSet ? 0xF5 : 0xF4] + hex("64 6F70656E") + [isOpen ? 0xF5 : 0xF4]
    + hex("65 6E6F6E6365 50") + [UInt8](repeating: nonce, count: 16) + hex("64 77616974 \(wait)")
}
