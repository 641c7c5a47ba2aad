import HeraldHAL
import Testing

@testable import HeraldDeviceLink

/// The cable is pulled, or the bus reset, at every point of everything.
@Suite("USB: a cable that is pulled")
struct USBCableTests {
  private typealias Operation = ScriptedUSBController.Operation

  /// Something that happens on the bus.
  private enum Step {
    case setup(String)
    case data(String)
    case link([UInt8])
    case serial([UInt8])
    case room(Int, Int)
    case suspend
  }

  private static let request = hex("0A00 0060 0000 0100 A161 64 78 5B") + [UInt8](repeating: 0x79, count: 91)
  private static let steps: [Step] = [
    .room(1, 0), .setup("80 06 0002 0000 FF00"), .setup("00 05 0700 0000 0000"),
    .setup("00 09 0100 0000 0000"),
    .setup("21 20 0000 0100 0700"), .data("80250000 00 02 07"), .setup("21 22 0300 0100 0000"),
    .setup("21 20 0000 0100 0700"), .setup("A1 21 0000 0100 0700"), .setup("02 03 0000 8100 0000"),
    .setup("02 03 0000 0200 0000"), .setup("02 01 0000 0200 0000"), .setup("02 01 0000 8100 0000"),
    .link(Array(request[..<64])), .serial(Array(serialFrame(request)[..<64])), .link(Array(request[64...])),
    .serial(Array(serialFrame(request)[64...])), .link([UInt8](repeating: 0xFF, count: 64)), .room(1, 1),
    .link([]), .link(request.suffix(0) + Array(request[..<64])), .room(9, 0), .setup("80 06 0503 0904 FF00"),
    .serial(Array(serialFrame(request)[..<64])), .suspend, .room(0, 0), .link(Array(request[..<64])),
    .link(Array(request[64...])), .link(Array(request[..<64])), .link(Array(request[64...])),
    .link(Array(request[..<64])), .room(9, 9), .setup("C0 20 0000 0700 0010"), .room(0, 0),
    .setup("C0 20 0000 0700 0010"),
  ]

  private func carryOut(_ step: Step, _ host: inout ScriptedUSB) {
    switch step {
    case .setup(let setup): _ = host.control(setup)
    case .data(let data): host.usb.controller.requestData = [hex(data)]
    case .link(let bytes): host.usb.controller.outgoing.append(bytes)
    case .serial(let bytes): host.usb.controller.toSerial.append(bytes)
    case .room(let link, let serial):
      host.usb.controller.room = link
      host.usb.controller.serialRoom = serial
    case .suspend: host.usb.controller.events.append(.suspended)
    }
    host.poll()
  }

  /// All a host can find out about a device that it has just reset.
  private func portrait(_ host: inout ScriptedUSB) -> [Operation] {
    host.usb.controller.room = .max
    host.usb.controller.serialRoom = .max
    _ = host.usb.controller.takeDeeds()
    host.poll()
    var deeds = host.usb.controller.takeDeeds()
    deeds += host.control("80 08 0000 0000 0100") + host.control("82 00 0000 8100 0200")
    deeds += host.control("00 05 0900 0000 0000") + host.control("00 09 0100 0000 0000")
    host.poll()
    deeds += host.usb.controller.takeDeeds()
    for address in ["0100", "8100", "0200", "8200", "8300"] {
      deeds += host.control("82 00 0000 \(address) 0200")
    }
    deeds += host.control("A1 21 0000 0100 0700") + host.control("21 22 0100 0100 0000")
    host.usb.controller.outgoing = [Array(Self.request[..<64]), Array(Self.request[64...])]
    host.poll()
    host.usb.controller.toSerial = [serialFrame(Self.request)].flatMap { frame in
      stride(from: 0, to: frame.count, by: 64).map { Array(frame[$0..<min($0 + 64, frame.count)]) }
    }
    host.poll()
    return deeds + host.usb.controller.takeDeeds()
  }

  @Test("leaves nothing behind, whatever was under way", arguments: [USBEvent.reset, .detached])
  func everyPoint(_ end: USBEvent) {
    var new = ScriptedUSB()
    let expected = portrait(&new)
    #expect(expected.contains(.packet(0x83, hex("A1 20 0000 0100 0200 0300"))))
    for count in 0...Self.steps.count {
      var host = ScriptedUSB()
      for step in Self.steps[..<count] { carryOut(step, &host) }
      // What the controller itself had is the controller's to forget.
      host.usb.controller.outgoing = []
      host.usb.controller.toSerial = []
      host.usb.controller.requestData = []
      host.usb.controller.events = [end]
      host.poll()
      check(!host.usb.isConfigured && !host.usb.isSuspended)
      check(portrait(&host) == expected, "after \(count) steps")
    }
  }
}
