import HeraldHAL
import HeraldSimulation
import TestInputs
import Testing

@testable import HeraldLinkLayer

/// A USB controller whose host is the test.
private struct ScriptedBus: USBController, ~Copyable {
  var events: [USBEvent] = []
  var requestData: [[UInt8]] = []
  var dataOut: [[UInt8]] = []
  /// The packets of the device, by endpoint address, and what it did to requests and endpoints.
  var packets: [UInt8: [[UInt8]]] = [:]
  var deeds: [String] = []
  /// Endpoints that accept no packets.
  var full: Set<UInt8> = []

  mutating func nextEvent() -> USBEvent? { events.isEmpty ? nil : events.removeFirst() }
  mutating func write(_ endpoint: USBEndpoint, _ packet: Span<UInt8>) -> Bool {
    guard !full.contains(endpoint.rawValue) else { return false }
    packets[endpoint.rawValue, default: []].append(packet.withUnsafeBufferPointer { Array($0) })
    return true
  }
  mutating func read(_ endpoint: USBEndpoint, into packet: inout MutableSpan<UInt8>) -> Int? {
    let bytes: [UInt8]
    switch endpoint {
    case .hciDataOut where !dataOut.isEmpty: bytes = dataOut.removeFirst()
    case .control where !requestData.isEmpty: bytes = requestData.removeFirst()
    default: return nil
    }
    for index in bytes.indices { packet[index] = bytes[index] }
    return bytes.count
  }
  mutating func acknowledge() { deeds.append("acknowledged") }
  mutating func refuse() { deeds.append("stalled") }
  mutating func setAddress(_ address: UInt8) {}
  mutating func open(_ endpoint: USBEndpoint, _ kind: USBTransferKind) {
    deeds.append("open \(endpoint.rawValue)")
  }
  mutating func close(_ endpoint: USBEndpoint) {}
  mutating func setHalted(_ endpoint: USBEndpoint, _ isHalted: Bool) {}
}

@Suite("A controller on USB")
final class HCIUSBDeviceTests {
  let medium = RadioMedium(seed: 10)
  let device: ControllerDevice
  private var bus = HCIUSBDevice(usb: ScriptedBus(), serialNumber: InlineBytes<32>())

  init() {
    device = ControllerDevice(medium, 0)
    device.isStalled = true
    bus.usb.events = [.reset]
    poll()
    #expect(control("00 09 0100 0000 0000") == ["open 129", "open 130", "open 2", "acknowledged"])
  }

  private func poll() { while bus.poll(&device.controller) {} }

  /// Makes a request; returns what the device did.
  private func control(_ setup: String, _ data: [String] = []) -> [String] {
    bus.usb.deeds = []
    bus.usb.packets = [:]
    bus.usb.requestData = data.map { hexBytes($0) }
    bus.usb.events.append(.setup(USBSetup(hexBytes(setup).span)!))
    poll()
    return bus.usb.deeds
  }

  private func packets(_ endpoint: UInt8) -> [[UInt8]] { bus.usb.packets[endpoint] ?? [] }

  @Test("The descriptors are those of a Bluetooth controller with one interface")
  func descriptors() {
    _ = control("80 06 0001 0000 1200")
    #expect(packets(0) == [hexBytes("12 01 0002 E0 01 01 40 0912 0200 0001 01 02 03 01")])
    _ = control("80 06 0002 0000 FF00")
    #expect(
      packets(0) == [
        hexBytes(
          """
          09 02 2700 01 01 00 80 32 09 04 00 00 03 E0 01 01 00 07 05 81 03 4000 01 07 05 82 02 4000 00 \
          07 05 02 02 4000 00
          """)
      ])
    #expect(control("80 06 000F 0000 0500") == ["stalled"])
    #expect(control("01 0B 0000 0100 0000") == ["stalled"])
  }

  @Test("A command is a request of its class; its event ends with a short packet")
  func command() {
    #expect(control("20 00 0000 0000 0300", ["0910 00"]) == ["acknowledged"])
    #expect(packets(0x81) == [hexBytes("0E 0A 01 0910 00 000403020100")])
    // Read Local Supported Commands: 70 bytes.
    #expect(control("20 00 0000 0000 0300", ["0210 00"]) == ["acknowledged"])
    #expect(packets(0x81).map(\.count) == [64, 6])
    #expect(packets(0x81)[0].starts(with: hexBytes("0E 44 01 0210 00 20 00 80 00 00 C0")))
  }

  @Test(
    "Requests that are no command are stalled",
    arguments: [
      // Too short for a header; longer than any command; to an interface; another request.
      "20 00 0000 0000 0200", "20 00 0000 0000 0301", "21 00 0000 0000 0300", "20 01 0000 0000 0300",
      "20 00 0100 0000 0300", "A0 00 0000 0000 0300",
    ])
  func noCommand(setup: String) {
    #expect(control(setup, ["030C 00"]) == ["stalled"])
    #expect(packets(0x81).isEmpty)
  }

  @Test("A command of another length than its header's is stalled, and the next one is executed")
  func wrongLength() {
    #expect(control("20 00 0000 0000 0400", ["030C 00 00"]) == ["stalled"])
    #expect(control("20 00 0000 0000 0400", ["030C 01"]) == ["stalled"])
    #expect(control("20 00 0000 0000 0300", ["030C 01"]) == ["stalled"])
    #expect(control("20 00 0000 0000 0300", ["030C 00"]) == ["acknowledged"])
    #expect(packets(0x81) == [hexBytes("0E 04 01 030C 00")])
  }

  @Test("A command longer than all supported ones is answered when it is complete")
  func longCommand() {
    let rest = String(repeating: "00", count: 64)
    let first = "0320 FF" + String(repeating: "00", count: 61)
    let parts = [first, rest, rest, rest, "0000"]
    #expect(control("20 00 0000 0000 0201", Array(parts.prefix(4))) == [])
    #expect(packets(0x81).isEmpty)
    bus.usb.requestData = [hexBytes(parts[4])]
    poll()
    #expect(bus.usb.deeds == ["acknowledged"])
    // LE Read Local Supported Features has no parameters: Invalid HCI Command Parameters.
    #expect(packets(0x81) == [hexBytes("0E 04 01 0320 12")])
  }

  @Test("A request discards a command that is incomplete")
  func abortedCommand() {
    let first = "0320 FF" + String(repeating: "00", count: 61)
    #expect(control("20 00 0000 0000 0201", [first]) == [])
    #expect(control("20 00 0000 0000 0300", ["030C 00"]) == ["acknowledged"])
    #expect(packets(0x81) == [hexBytes("0E 04 01 030C 00")])
  }

  @Test("While the host takes no events a command is not acknowledged, and nothing is lost")
  func backpressure() {
    bus.usb.full = [0x81]
    #expect(control("20 00 0000 0000 0300", ["0910 00"]) == ["acknowledged"])
    #expect(control("20 00 0000 0000 0300", ["030C 00"]) == ["acknowledged"])
    #expect(control("20 00 0000 0000 0300", ["0320 00"]) == [])
    bus.usb.full = []
    poll()
    #expect(bus.usb.deeds == ["acknowledged"])
    #expect(
      packets(0x81) == [
        hexBytes("0E 0A 01 0910 00 000403020100"), hexBytes("0E 04 01 030C 00"),
        hexBytes("0E 0C 01 0320 00 0000000000000000"),
      ])
  }

  @Test(
    "ACL packets with wrong lengths are dropped",
    arguments: ["01", "0120 00", "0120 0100", "0120 0000 00", "0120 FFFF 00", "0120 3C00"])
  func wrongData(packet: String) {
    bus.usb.dataOut = [hexBytes(packet)]
    poll()
    #expect(bus.dropped == 1 && packets(0x81).isEmpty)
    #expect(control("20 00 0000 0000 0300", ["030C 00"]) == ["acknowledged"])
  }

  @Test("An empty packet behind ACL data is no packet")
  func emptyPacket() {
    bus.usb.dataOut = [[], hexBytes("0120 0000"), []]
    poll()
    #expect(bus.dropped == 0 && bus.usb.dataOut.isEmpty)
  }

  @Test("An event of 64 bytes ends with an empty packet, a longer one with a short packet")
  func packetEnd() {
    for (count, parts) in [(64, [63]), (65, [64, 0]), (66, [64, 1])] {
      var usb = ScriptedBus()
      var packet = HCIUSBPacket()
      // With the packet type, which is not sent.
      packet.begin(count)
      #expect(packet.send(to: &usb, .hciEvents) && !packet.isPending)
      #expect(usb.packets[0x81]?.map(\.count) == parts)
    }
  }

  @Test("A reset of the bus, and the selection of a configuration, reset the controller")
  func newHost() {
    #expect(control("20 00 0000 0000 0500", ["0C20 02 0100"]) == ["acknowledged"])
    #expect(device.controller.layer.scanning.isOn)
    bus.usb.events = [.reset]
    medium.run(until: 1_000_000)
    poll()
    #expect(!device.controller.layer.scanning.isOn && !bus.isConfigured)
    // No command without a configuration.
    #expect(control("20 00 0000 0000 0300", ["030C 00"]) == ["stalled"])
  }

  @Test("No sequence of bytes on any endpoint stops the device")
  func hostile() {
    var random = SeededRandom(seed: 3)
    for _ in 0..<20_000 {
      let kind = random.next() & 7
      var bytes = (0..<Int(random.next() % 65)).map { _ in UInt8(truncatingIfNeeded: random.next() & 0x2F) }
      switch kind {
      case 0: bus.usb.events.append(.reset)
      case 1:
        bytes = (0..<8).map { _ in UInt8(truncatingIfNeeded: random.next() & 0x23) }
        bus.usb.events.append(.setup(USBSetup(bytes.span)!))
      case 2, 3: bus.usb.requestData.append(bytes)
      case 4: bus.usb.events.append(.setup(USBSetup(hexBytes("00 09 0100 0000 0000").span)!))
      default: bus.usb.dataOut.append(bytes)
      }
      poll()
      bus.usb.deeds = []
      bus.usb.packets = [:]
    }
    bus.usb.requestData = []
    bus.usb.dataOut = []
    _ = control("00 09 0100 0000 0000")
    #expect(control("20 00 0000 0000 0300", ["030C 00"]) == ["acknowledged"])
  }

  /// One step of a host at random, and what the device does.
  private func step(_ random: inout SplitMix64) -> String {
    let commands: [(String, [String])] = [
      ("20 00 0000 0000 0300", ["0910 00"]), ("20 00 0000 0000 0300", ["0210 00"]),
      ("20 00 0000 0000 0400", ["030C 01"]), ("20 00 0000 0000 0B00", ["0120 08 FF00000000000000"]),
      ("20 00 0000 0000 0201", ["0320 FF" + String(repeating: "00", count: 61)]),
      ("80 06 0001 0000 1200", []), ("02 03 0000 8100 0000", []), ("81 0A 0000 0000 0100", []),
    ]
    let data = ["0120 0000", "0120 1B00 AABBCC", "0120 0400 AABBCCDD", "0120", "", "AABB"]
    let choice = Int(random.next() % 8)
    var deeds: [String] = []
    switch random.next() % 8 {
    case 0...3: deeds = control(commands[choice].0, commands[choice].1)
    case 4: bus.usb.requestData = [[UInt8](repeating: 0, count: Int(random.next() % 65))]
    case 5: bus.usb.dataOut.append(hexBytes(data[Int(random.next() % 6)]))
    case 6: bus.usb.full = random.next() % 2 == 0 ? [0x81] : []
    default: bus.usb.full = []
    }
    poll()
    defer { bus.usb.packets = [:] }
    return "\(deeds) \(bus.usb.deeds) \(bus.usb.packets.sorted { $0.key < $1.key })"
  }

  @Test("After a reset of the bus the device is as one that was just connected, whatever it was in")
  func life() {
    for seed in 0..<60 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let (used, fresh) = (HCIUSBDeviceTests(), HCIUSBDeviceTests())
      for _ in 0..<(random.next() % 20) { _ = used.step(&random) }
      used.bus.usb.full = []
      used.bus.usb.requestData = []
      used.bus.usb.dataOut = []
      used.bus.usb.events = [.reset]
      used.poll()
      #expect(used.control("20 00 0000 0000 0300", ["030C 00"]) == ["stalled"])
      _ = used.control("00 09 0100 0000 0000")
      let dropped = used.bus.dropped
      fresh.bus.usb.packets = [:]
      used.bus.usb.packets = [:]
      for number in 0..<20 {
        var copy = random
        let (seen, expected) = (used.step(&random), fresh.step(&copy))
        guard seen == expected, used.bus.dropped - dropped == fresh.bus.dropped else {
          Issue.record("seed \(seed), step \(number): \(seen) instead of \(expected)")
          return
        }
      }
    }
  }
}
