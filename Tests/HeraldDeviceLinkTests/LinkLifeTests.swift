import HeraldHAL
import TestInputs
import Testing

@testable import HeraldDeviceLink

/// Requests that change nothing on the device: echo, log status, parameters, a long echo, a part of page 3.
private let requests = [
  hex("0A000006 0000 0100 A1 61 64 62 6869"), hex("08000001 0048 0200 A0"), hex("08000001 0000 0306 A0"),
  hex("0A000038 0000 0400 A1 61 64 78 34") + [UInt8](repeating: 0x61, count: 52),
  hex("08000006 0048 0501 A1 63 736571 03"),
]

extension SplitMix64 {
  fileprivate mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  /// A request, whole or damaged.
  fileprivate mutating func request() -> [UInt8] {
    below(3) == 0 ? mutated(requests) : requests[below(requests.count)]
  }

  /// Bytes of a serial line: a frame, a part of one, or garbage.
  fileprivate mutating func line() -> [UInt8] {
    let frame = serialFrame(request())
    switch below(5) {
    case 0: return Array(frame.prefix(below(frame.count)))
    case 1: return Array(frame.suffix(below(frame.count)))
    case 2: return mutated([frame])
    default: return frame
    }
  }
}

@Suite("The life of the management link on USB")
struct LinkLifeTests {
  /// One step on the bus, at random, and what the device did.
  private static func step(_ host: inout ScriptedUSB, _ random: inout SplitMix64)
    -> [ScriptedUSBController.Operation]
  {
    host.now = host.now + .milliseconds(UInt32(random.below(700)))
    host.usb.controller.room = random.below(4) == 0 ? random.below(3) : .max
    host.usb.controller.serialRoom = random.below(4) == 0 ? random.below(3) : .max
    var deeds: [ScriptedUSBController.Operation] = []
    switch random.below(12) {
    case 0...3:
      let bytes = (0...random.below(2)).flatMap { _ in random.request() }
      for start in stride(from: 0, to: bytes.count, by: 64) {
        host.usb.controller.outgoing.append(Array(bytes[start..<min(start + 64, bytes.count)]))
      }
    case 4...6:
      let bytes = random.line()
      for start in stride(from: 0, to: bytes.count, by: 64) {
        host.usb.controller.toSerial.append(Array(bytes[start..<min(start + 64, bytes.count)]))
      }
    case 7:
      deeds = host.control("21 20 0000 0100 0700", data: random.below(2) == 0 ? "80250000 00 00 08" : nil)
    case 8: deeds = host.control("21 22 0\(random.below(2))00 0100 0000")
    case 9: deeds = host.control("A1 21 0000 0100 0700")
    case 10:
      deeds = host.control(
        ["02 03 0000 8100 0000", "02 01 0000 8100 0000", "02 01 0000 0100 0000"][random.below(3)])
    default:
      deeds = host.control(
        ["C0 20 0000 0700 B200", "80 06 0002 0000 FF00", "80 00 0000 0000 0200"][random.below(3)])
    }
    let next = host.poll()
    deeds += host.usb.controller.takeDeeds()
    return deeds + [.packet(0xFF, next == .never ? [] : [1])]
  }

  @Test("a device on the bus behaves after a reset like one that was just connected, whatever it was in")
  func busReset() {
    for seed in 0..<200 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var used = ScriptedUSB()
      used.device.pages[3] = [0xDE, 0xAD, 0xBE, 0xEF]
      if random.below(8) > 0 { used.configure() }
      for _ in 0..<random.below(30) { _ = Self.step(&used, &random) }
      if random.below(3) == 0 { used.usb.controller.events.append(.suspended) }
      used.usb.controller.outgoing = []
      used.usb.controller.toSerial = []
      used.usb.controller.requestData = []
      used.usb.controller.events.append(random.below(2) == 0 ? .reset : .detached)
      used.usb.controller.room = .max
      used.usb.controller.serialRoom = .max
      used.poll()
      _ = used.usb.controller.takeDeeds()
      var fresh = ScriptedUSB()
      fresh.device.pages[3] = [0xDE, 0xAD, 0xBE, 0xEF]
      fresh.now = used.now
      let states = [used.usb.isConfigured, used.usb.isSuspended]
      #expect(states == [false, false], "seed \(seed)")
      // Before it is configured, and then.
      for phase in 0..<2 {
        if phase == 1 {
          used.configure()
          fresh.configure()
        }
        for number in 0..<(phase == 0 ? 3 : 20) {
          var copy = random
          let seen = Self.step(&used, &random)
          let expected = Self.step(&fresh, &copy)
          guard seen == expected else {
            Issue.record("seed \(seed), step \(phase).\(number): \(seen) instead of \(expected)")
            return
          }
        }
      }
    }
  }
}
