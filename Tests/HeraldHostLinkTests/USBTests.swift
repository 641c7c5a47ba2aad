import Foundation
import HeraldUSBIP
import HostileInputs
import Testing

@testable import HeraldHostLink

/// The descriptors of a device with a Herald link behind another interface, byte by byte.
enum Descriptors {
  static let device: [UInt8] = [
    18, 1, 0x01, 0x02, 0, 0, 0, 64, 0x09, 0x12, 0x01, 0x00, 0x00, 0x01, 1, 2, 3, 1,
  ]
  static let configuration: [UInt8] = [
    9, 2, 62, 0, 2, 1, 0, 0x80, 50,
    9, 4, 0, 0, 1, 0x02, 0x02, 0x00, 0,  // a communications interface
    5, 0x24, 0x00, 0x10, 0x01,  // with a class-specific descriptor
    7, 5, 0x83, 3, 8, 0, 16,
    9, 4, 1, 0, 2, 0xFF, 0x48, 0x01, 4,
    7, 5, 0x02, 2, 64, 0, 0,
    7, 5, 0x81, 2, 64, 0, 0,
    9, 4, 2, 0, 0, 0xFF, 0, 0, 0,
  ]

  static func string(_ text: String) -> [UInt8] {
    let units = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    return [UInt8(units.count + 2), 3] + units
  }
}

private func parsedDevice(_ bytes: [UInt8]) -> USBDeviceDescriptor? { USBDeviceDescriptor(bytes.span) }
private func parsed(_ bytes: [UInt8]) -> USBConfiguration? { USBConfiguration(bytes.span) }
private func text(_ bytes: [UInt8]) -> String { USBString.text(bytes.span) }

@Suite("USB descriptors")
struct USBDescriptorTests {
  @Test("The link is found by class, its endpoints from their descriptors")
  func link() throws {
    let device = try #require(parsedDevice(Descriptors.device))
    #expect(device.vendorID == 0x1209 && device.productID == 1 && device.serialString == 3)
    let configuration = try #require(parsed(Descriptors.configuration))
    #expect(configuration.interfaces.map(\.number) == [0, 1, 2])
    let link = try #require(configuration.heraldLink)
    #expect(link.interface == 1 && link.input.address == 0x81 && link.output.address == 0x02)
    #expect(link.input.maximumPacket == 64 && link.configuration == 1)
  }

  @Test("The link is found beside the serial port that the device has as well")
  func composite() throws {
    // docs/wire-formats.md, "USB".
    let all: [UInt8] = [
      9, 2, 98, 0, 3, 1, 0, 0x80, 50,
      9, 4, 0, 0, 2, 0xFF, 0x48, 0x01, 4, 7, 5, 0x01, 2, 64, 0, 0, 7, 5, 0x81, 2, 64, 0, 0,
      8, 11, 1, 2, 0x02, 0x02, 0x00, 5,
      9, 4, 1, 0, 1, 0x02, 0x02, 0x00, 5, 5, 0x24, 0x00, 0x20, 0x01, 5, 0x24, 0x01, 0x00, 2, 4, 0x24, 0x02,
      0x02,
      5, 0x24, 0x06, 1, 2, 7, 5, 0x83, 3, 16, 0, 16,
      9, 4, 2, 0, 2, 0x0A, 0x00, 0x00, 0, 7, 5, 0x02, 2, 64, 0, 0, 7, 5, 0x82, 2, 64, 0, 0,
    ]
    let configuration = try #require(parsed(all))
    #expect(configuration.interfaces.map(\.endpoints.count) == [2, 1, 2])
    let link = try #require(configuration.heraldLink)
    #expect(link.interface == 0 && link.input.address == 0x81 && link.output.address == 0x01)
    // The serial port alone is no link.
    #expect(parsed(Array(all[..<9] + all[32...]))?.heraldLink == nil)
  }

  @Test("Without a bulk endpoint in each direction there is no link")
  func noLink() throws {
    var interrupt = Descriptors.configuration
    interrupt[42] = 3
    #expect(parsed(interrupt)?.heraldLink == nil)
    var protocolTwo = Descriptors.configuration
    protocolTwo[37] = 2
    #expect(parsed(protocolTwo)?.heraldLink == nil)
    var noSize = Descriptors.configuration
    noSize[43] = 0
    #expect(parsed(noSize)?.heraldLink == nil)
  }

  @Test("Texts from a device cannot control a terminal")
  func strings() {
    #expect(text(Descriptors.string("Grüße")) == "Grüße")
    #expect(text(Descriptors.string("a\u{1B}[2Jb\u{202E}c\n")) == "a?[2Jb?c?")
    #expect(text([4, 3, 0x00, 0xD8]) == "\u{FFFD}")
    #expect(text([200, 3, 0x41, 0x00]) == "A")
    #expect(text([0, 3]) == "" && text([]) == "")
    let languages: [UInt8] = [4, 3, 9, 4]
    let first = USBString.firstLanguage(languages.span)
    #expect(first == 0x0409)
  }

  @Test("Any descriptors are survived, and their own lengths are not believed")
  func fuzz() {
    var random = Mutations(seed: 0x0553)
    let seeds = [Descriptors.configuration, Descriptors.device, Descriptors.string("Herald")]
    for _ in 0..<100_000 {
      let bytes = random.mutated(seeds)
      _ = USBDeviceDescriptor(bytes.span)
      _ = USBConfiguration(bytes.span)?.heraldLink
      _ = USBString.text(bytes.span)
      _ = USBString.firstLanguage(bytes.span)
    }
  }
}

@Suite("The udev rule")
struct UdevRuleTests {
  @Test("What herald-host prints is the file of the repository")
  func file() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let rule = try String(contentsOf: root.appending(path: "udev/70-herald.rules"), encoding: .utf8)
    #expect(LibUSB.udevRule + "\n" == rule)
  }
}

@Suite("USB transfers")
struct BulkTests {
  @Test("Packets are cut from transfers")
  func assembler() {
    var assembler = BulkPacketAssembler()
    let packet: [UInt8] = [9, 0, 0, 2, 0, 72, 1, 0, 0xAA, 0xBB]
    #expect(assembler.append(packet, capacity: 64) == packet)
    #expect(assembler.append([], capacity: 64) == nil)  // what ends a packet of a multiple of 64
    #expect(assembler.append(Array(packet[..<8]), capacity: 8) == nil)
    #expect(assembler.append(Array(packet[8...]), capacity: 8) == packet)
    #expect(assembler.damagedPackets == 0)
    #expect(assembler.append(Array(packet[..<9]), capacity: 64) == nil)
    #expect(assembler.append(packet + [1], capacity: 64) == nil)
    #expect(assembler.damagedPackets == 2)
    #expect(assembler.append(packet, capacity: 64) == packet)
  }

  @Test("USB/IP messages have the bytes of the kernel's document")
  func messages() throws {
    #expect(USBIPOperation(.requestDeviceList).bytes == [0x01, 0x11, 0x80, 0x05, 0, 0, 0, 0])
    #expect(
      USBIPOperation.importRequest(busIdentifier: "1-1")
        == [0x01, 0x11, 0x80, 0x03, 0, 0, 0, 0, 0x31, 0x2D, 0x31] + [UInt8](repeating: 0, count: 29))
    #expect(USBIPOperation.importRequest(busIdentifier: String(repeating: "1", count: 32)) == nil)
    let setup = USBSetupPacket.descriptor(type: 1, index: 0, length: 18)
    #expect(
      USBIPCommand(
        sequence: 1, device: 0x0001_0002, isIn: true, endpoint: 0,
        .submit(flags: 0, length: 18, setup: setup.bytes)
      ).bytes
        == [
          0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0,
          0, 0, 0, 0, 0, 0, 0, 18, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0,
          0x80, 6, 0, 1, 0, 0, 18, 0,
        ])
    #expect(
      USBIPCommand(sequence: 2, device: 0x0001_0002, isIn: false, endpoint: 0, .unlink(victim: 1)).bytes
        == [0, 0, 0, 2, 0, 0, 0, 2, 0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
        + [UInt8](repeating: 0, count: 24))
    let reply: [UInt8] =
      [0, 0, 0, 3, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xE0, 0, 0, 0, 5]
      + [UInt8](repeating: 0, count: 20)
    let understood = USBIPReply(reply.span)
    let parsed = try #require(understood)
    #expect(parsed.sequence == 7 && parsed.kind == .submitted(status: -32, actual: 5))
    var huge = reply
    huge[24] = 0x7F
    let refused = USBIPReply(huge.span)
    #expect(refused == nil)
  }
}

/// A USB/IP server of the tests' own, on one end of a pair of sockets, in a thread of its own.
final class FakeUSBIPServer: @unchecked Sendable {
  enum Fault {
    case none, busy, wrongVersion, otherDevice, noLink, tooLong, foreignTransfer, stallOnce, stalls, hangUp,
      shortHeader
    /// Gives up two control transfers, two reads and a request after a time of its own.
    case timesOut
    /// Lists a thousand devices, and falls silent.
    case thousand
  }

  private let descriptor: Int32
  private let fault: Fault
  private let device = FakeDevice(pages: 4)
  private var pendingReads: [(sequence: UInt32, length: Int)] = []
  private var waiting: [[UInt8]] = []
  private var stalls = 0
  private var timeouts: [String: Int] = [:]

  static func start(_ fault: Fault) -> USBIPConnection {
    var ends: [Int32] = [0, 0]
    _ = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
    let server = FakeUSBIPServer(descriptor: ends[1], fault: fault)
    Thread.detachNewThread { server.serve() }
    return USBIPConnection(stream: ByteStream(descriptor: ends[0], name: "test"))
  }

  private init(descriptor: Int32, fault: Fault) {
    self.descriptor = descriptor
    self.fault = fault
    device.chunk = 248  // a body that makes some packets multiples of 64
  }

  private func read(_ count: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: max(count, 1))
    while bytes.count < count {
      let got = Foundation.read(descriptor, &buffer, count - bytes.count)
      guard got > 0 else { return nil }
      bytes += buffer[..<got]
    }
    return bytes
  }

  private func write(_ bytes: [UInt8]) { _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

  private var record: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 312)
    bytes.replaceSubrange(256..<259, with: Array((fault == .otherDevice ? "1-2" : "1-1").utf8))
    bytes[291] = 1
    bytes[295] = 2
    bytes[299] = 2
    bytes.replaceSubrange(300..<304, with: [0x12, 0x09, 0x00, 0x01])
    bytes[311] = 3
    return bytes
  }

  func serve() {
    defer { close(descriptor) }
    guard let request = read(8) else { return }
    let version: [UInt8] = fault == .wrongVersion ? [0x01, 0x06] : [0x01, 0x11]
    if fault == .thousand {
      write(version + [0, 5, 0, 0, 0, 0, 0, 0, 0x03, 0xE8] + record)
      _ = read(1)
      return
    }
    if request[3] == 0x05 {
      write(version + [0, 5, 0, 0, 0, 0, 0, 0, 0, 1] + record)
      write([2, 2, 0, 0, 0xFF, 0x48, 0x01, 0, 0xFF, 0, 0, 0])
      return
    }
    _ = read(32)
    if fault == .busy { return write(version + [0, 3, 0, 0, 0, 2]) }
    write(version + [0, 3, 0, 0, 0, 0] + record)
    while let header = read(48) { if !transfer(header) { return } }
  }

  private static func bigEndian(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  private func reply(_ sequence: [UInt8], status: Int32 = 0, _ data: [UInt8], actual: Int? = nil) {
    let count = UInt32(actual ?? data.count)
    var bytes: [UInt8] = [0, 0, 0, 3] + sequence + [UInt8](repeating: 0, count: 12)
    bytes +=
      Self.bigEndian(UInt32(bitPattern: status)) + Self.bigEndian(count) + [UInt8](repeating: 0, count: 20)
    write(bytes + data)
  }

  private func transfer(_ header: [UInt8]) -> Bool {
    let sequence = Array(header[4..<8])
    let isIn = header[15] == 1
    let length = header[24..<28].reduce(0) { $0 << 8 | Int($1) }
    guard header[3] == 1 else { return true }
    let data = isIn ? [] : read(length) ?? []
    let kind = "\(header[19]) \(isIn)"
    if fault == .timesOut, timeouts[kind, default: 0] < (kind == "2 false" ? 1 : 2) {
      timeouts[kind, default: 0] += 1
      reply(sequence, status: -110, [])
      return true
    }
    switch header[19] {
    case 0: control(Array(header[40..<48]), sequence)
    case 1 where isIn:
      if fault == .hangUp { return false }
      if fault == .stalls || (fault == .stallOnce && stalls == 0) {
        stalls += 1
        reply(sequence, status: -32, [])
        return true
      }
      pendingReads.append((header[4..<8].reduce(0) { $0 << 8 | UInt32($1) }, length))
    case 2 where !isIn:
      reply(sequence, [], actual: data.count)
      if !data.isEmpty { waiting += device.answer(data) }
    default: return false
    }
    while !pendingReads.isEmpty, !waiting.isEmpty {
      let read = pendingReads.removeFirst()
      let packet = waiting.removeFirst()
      let number = Self.bigEndian(fault == .foreignTransfer ? read.sequence &+ 1000 : read.sequence)
      if fault == .shortHeader {
        write([0, 0, 0, 9] + number)
        return false
      }
      reply(number, packet, actual: fault == .tooLong ? read.length + 1 : nil)
    }
    return true
  }

  private func control(_ setup: [UInt8], _ sequence: [UInt8]) {
    let length = Int(setup[6]) | Int(setup[7]) << 8
    var configuration = Descriptors.configuration
    if fault == .noLink { configuration[37] = 9 }
    let answer: [UInt8]? =
      switch (setup[0], setup[1], setup[3], setup[2]) {
      case (0x80, 6, 1, 0): Descriptors.device
      case (0x80, 6, 2, 0): configuration
      case (0x80, 6, 3, 0): [4, 3, 9, 4]
      case (0x80, 6, 3, 1): Descriptors.string("Herald Embedded")
      case (0x80, 6, 3, 2): Descriptors.string("Herald Wearable")
      case (0x80, 6, 3, 3): Descriptors.string("0123")
      case (0x00, 9, _, 1): []
      case (0x02, 1, _, _): []
      default: nil
      }
    if let answer { reply(sequence, Array(answer.prefix(length))) } else { reply(sequence, status: -32, []) }
  }
}

@Suite("USB/IP client")
struct USBIPTests {
  let deadline = Deadline.after(.seconds(20))

  func open(_ fault: FakeUSBIPServer.Fault) throws -> USBIPTransport {
    try USBIPTransport(connection: FakeUSBIPServer.start(fault), busID: "1-1", location: "test", by: deadline)
  }

  func pull(_ transport: USBIPTransport) throws -> PullReport {
    let folder = TemporaryFolder()
    let pageStore = try PageStore(path: folder.path, create: true)
    var download = LogDownload(
      device: DeviceClient(SMPClient(transport: transport, timeouts: .init(timeout: .milliseconds(100)))),
      pageStore: pageStore, inspect: FakeDevice.inspect
    )
    return try download.run()
  }

  @Test("A server's devices are listed with their interfaces")
  func list() throws {
    let devices = try FakeUSBIPServer.start(.none).listDevices(by: deadline)
    #expect(devices.count == 1 && devices[0].busID == "1-1" && devices[0].vendorID == 0x1209)
    #expect(devices[0].interfaces[1] == .herald && devices[0].interfaces.count == 3)
  }

  @Test(
    "A device is imported, enumerated and its log pulled, also if transfers stall once or time out at the server",
    arguments: [FakeUSBIPServer.Fault.none, .stallOnce, .timesOut])
  func pullsLog(_ fault: FakeUSBIPServer.Fault) throws {
    let transport = try open(fault)
    #expect(transport.identity.product == "Herald Wearable" && transport.identity.serial == "0123")
    let report = try pull(transport)
    #expect(report.isComplete && report.newPages == 4)
    #expect(transport.damagedPackets == 0)
  }

  @Test("A server that claims to have a thousand devices is refused before they are awaited")
  func thousand() throws {
    let connection = FakeUSBIPServer.start(.thousand)
    let error = #expect(throws: HostLinkError.self) { try connection.listDevices(by: deadline) }
    #expect(error?.what == "the USB/IP server test claims to have 1000 devices, more than 256")
    connection.close()
  }

  @Test(
    "A server that misbehaves is refused with a cause",
    arguments: [
      (FakeUSBIPServer.Fault.busy, HostLinkError.Cause.busy), (.wrongVersion, .protocolViolation),
      (.otherDevice, .protocolViolation), (.noLink, .noDevice), (.tooLong, .protocolViolation),
      (.foreignTransfer, .protocolViolation), (.stalls, .link), (.hangUp, .link), (.shortHeader, .link),
    ])
  func faults(_ fault: FakeUSBIPServer.Fault, _ cause: HostLinkError.Cause) throws {
    var found: HostLinkError.Cause?
    do {
      found = try pull(try open(fault)).stoppedBy?.cause
    } catch let error as HostLinkError {
      found = error.cause
    }
    #expect(found == cause)
  }
}
