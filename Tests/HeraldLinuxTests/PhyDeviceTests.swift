import Foundation
import Glibc
import HeraldHAL
import HeraldLinkLayer
import Testing

@testable import HeraldLinux

/// The phy's side of the FIFOs of one device, as a script of requests and responses.
private final class ScriptedPhy {
  private let source: FileDescriptor
  private let sink: FileDescriptor

  init(_ address: PhyAddress) {
    let user = String(cString: getpwuid(geteuid()).pointee.pw_name)
    let folder = "/tmp/bs_\(user)/\(address.simulation)"
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let paths = ["ptd", "dtp"].map { "\(folder)/2G4.d\(address.device).\($0)" }
    for path in paths { mkfifo(path, 0o770) }
    sink = FileDescriptor(open(paths[0], O_WRONLY))
    source = FileDescriptor(open(paths[1], O_RDONLY))
  }

  func take(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      // A device that does not send what is expected must not stop the test.
      var state = pollfd(fd: source.number, events: Int16(POLLIN), revents: 0)
      guard poll(&state, 1, 5000) > 0 else {
        return bytes + [UInt8](repeating: 0, count: count - bytes.count)
      }
      var buffer = [UInt8](repeating: 0, count: count - bytes.count)
      var span = buffer.mutableSpan
      let count = source.read(into: &span)
      guard count > 0 else { return bytes + [UInt8](repeating: 0, count: buffer.count) }
      bytes += buffer[..<count]
    }
    return bytes
  }

  func number(_ bytes: some Collection<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  func header() -> UInt32 { UInt32(truncatingIfNeeded: number(take(4))) }

  func tell(_ header: UInt32, _ body: [UInt8] = []) {
    let bytes = little(UInt64(header), 4) + body
    _ = sink.write(bytes.span)
  }

  func little(_ value: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
  }

  /// The structure of a reception: status, bytes, time of the access address, time now, −60 dBm.
  func reception(_ status: UInt64, _ count: Int, stamp: UInt64, now: UInt64) -> [UInt8] {
    let rssi = UInt64(UInt32(bitPattern: -60 * 65_536))
    return little(status, 2) + little(UInt64(count), 2) + little(stamp, 8) + little(now, 8) + little(rssi, 4)
  }
}

extension PhyRadio {
  fileprivate mutating func load(_ pdu: [UInt8]) {
    var place = outgoing()
    for (index, byte) in pdu.enumerated() { place[index] = byte }
  }

  fileprivate mutating func received() -> [UInt8] {
    let pdu = incoming()
    return pdu.indices.map { pdu[$0] }
  }
}

/// A program without a link layer.
private final class RawProgram: PhyProgram {
  var radio: PhyRadio
  var outcomes: [RadioOutcome] = []
  var received: [[UInt8]] = []
  var polls: [Int] = []
  var procedureCalls = 0
  let device: PhyDevice
  /// Called at each poll, with its number; returns `false` to leave.
  var host: (RawProgram, Int) -> Bool = { _, _ in true }
  /// Determines the step after an outcome.
  var next: (RawProgram, RadioOutcome) -> RadioStep = { _, _ in .stop }

  init(_ device: PhyDevice) {
    self.device = device
    radio = device.makeRadio()
  }

  func radioInterrupt() -> Bool {
    guard let outcome = radio.takeOutcome() else { return false }
    outcomes.append(outcome)
    if outcome.kind == .received { received.append(radio.received()) }
    radio.proceed(next(self, outcome))
    return true
  }

  func procedures() { procedureCalls += 1 }

  func pollHost() -> Bool {
    polls.append(device.time)
    return host(self, polls.count)
  }

  func transmit(_ pdu: [UInt8], after wait: UInt32) {
    radio.load(pdu)
    radio.start(
      .transmit(
        at: radio.now() + wait, channel: 37, accessAddress: 0x8E89_BED6, crcInit: 0x55_5555,
        longestPayload: 37))
  }

  func receive(after wait: UInt32, window: UInt32) {
    radio.start(
      .receive(
        from: radio.now() + wait, window: window, channel: 38, accessAddress: 0x8E89_BED6, crcInit: 0x55_5555,
        longestPayload: 37))
  }
}

@Suite("A device of a phy, at its FIFOs")
struct PhyDeviceTests {
  private static let never: UInt64 = .max
  private static let pdu: [UInt8] = [0x42, 9, 1, 2, 3, 4, 5, 6, 2, 1, 6]

  /// Runs a program on a device, and the phy's script beside it.
  private func run(
    _ options: PhyOptions = PhyOptions(), host: @escaping (RawProgram, Int) -> Bool,
    next: @escaping (RawProgram, RadioOutcome) -> RadioStep = { _, _ in .stop },
    phy: @escaping @Sendable (ScriptedPhy) -> Void
  ) throws -> RawProgram {
    let address = PhyAddress(simulation: UUID().uuidString, device: 0)
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      phy(ScriptedPhy(address))
      done.signal()
    }
    let program = RawProgram(try PhyDevice(address, options: options))
    program.host = host
    program.next = next
    try program.device.run(program)
    done.wait()
    return program
  }

  @Test("An idle device waits for a millisecond at a time, and leaves when its host says so")
  func idle() throws {
    let program = try run { _, poll in
      poll < 4
    } phy: { phy in
      for time in [1000, 2000, 3000] as [UInt64] {
        #expect(phy.header() == 0x01)
        #expect(phy.number(phy.take(8)) == time)
        phy.tell(0x81)
      }
      #expect(phy.header() == 0xFFFF)
    }
    #expect(program.polls == [0, 1000, 2000, 3000])
  }

  @Test("The time between two calls of the host is an option")
  func pollInterval() throws {
    var options = PhyOptions()
    options.pollInterval = 10_000
    let program = try run(options) { _, poll in
      poll < 3
    } phy: { phy in
      for time in [10_000, 20_000] as [UInt64] {
        #expect(phy.header() == 0x01)
        #expect(phy.number(phy.take(8)) == time)
        phy.tell(0x81)
      }
      #expect(phy.header() == 0xFFFF)
    }
    #expect(program.polls == [0, 10_000, 20_000])
    #expect(program.device.now == Instant(milliseconds: 20))
  }

  @Test("A transmission has the PDU, its CRC and its duration")
  func transmission() throws {
    let program = try run { program, poll in
      if poll == 1 { program.transmit(Self.pdu, after: 400) }
      return poll < 2
    } phy: { phy in
      #expect(phy.header() == 0x02)
      let request = phy.take(44)
      let packet = phy.take(Int(request[42]))
      #expect(phy.number(request[0..<8]) == 400)
      #expect(phy.number(request[8..<16]) == 400 + 8 * 19)
      #expect(phy.number(request[16..<24]) == Self.never)
      #expect(phy.number(request[24..<32]) == 1000)
      #expect(phy.number(request[32..<36]) == 0x8E89_BED6)
      #expect(phy.number(request[36..<38]) == 0x10)
      #expect(phy.number(request[38..<40]) == 2 << 8)
      let check = PacketCRC.check(Self.pdu.span, start: 0x55_5555)
      #expect(packet == Self.pdu + phy.little(UInt64(check), 3))
      phy.tell(0x100, phy.little(552, 8))
      #expect(phy.header() == 0x01)
      #expect(phy.number(phy.take(8)) == 1000)
      phy.tell(0x81)
      #expect(phy.header() == 0xFFFF)
    }
    #expect(program.outcomes.map(\.kind) == [.sent])
    #expect(program.outcomes[0].end.since(program.outcomes[0].start) == 152)
    #expect(program.procedureCalls == 1)
  }

  @Test("The host is served during a reception, and can cancel it and start another operation")
  func cancellation() throws {
    let program = try run { program, poll in
      if poll == 1 { program.receive(after: 500, window: 50_000) }
      if poll == 3 {
        let cancelled = [program.radio.cancel(), program.radio.cancel()]
        #expect(cancelled == [true, false])
        program.transmit(Self.pdu, after: 300)
      }
      return poll < 4
    } phy: { phy in
      #expect(phy.header() == 0x11)
      let request = phy.take(50)
      #expect(phy.number(request[0..<8]) == 500)
      #expect(phy.number(request[8..<12]) == 50_000)
      #expect(phy.number(request[18..<20]) == 26 << 8)
      #expect(phy.number(request[42..<50]) == 1000)
      phy.tell(0x101)
      #expect(phy.header() == 0x15)
      #expect(phy.take(16) == phy.little(Self.never, 8) + phy.little(2000, 8))
      phy.tell(0x101)
      #expect(phy.header() == 0x15)
      #expect(phy.take(16) == phy.little(2000, 8) + phy.little(Self.never, 8))
      phy.tell(0x103, phy.reception(4, 0, stamp: 0, now: 2000))
      #expect(phy.header() == 0x02)
      #expect(phy.number(phy.take(44)[0..<8]) == 2300)
      _ = phy.take(14)
      phy.tell(0x100, phy.little(2452, 8))
      #expect(phy.header() == 0x01)
      _ = phy.take(8)
      phy.tell(0x81)
      #expect(phy.header() == 0xFFFF)
    }
    #expect(program.outcomes.map(\.kind) == [.sent])
    #expect(program.polls == [0, 1000, 2000, 3000])
  }

  @Test("A packet with a wrong CRC, a damaged one and none are told apart; a response follows after 150 µs")
  func reception() throws {
    let check = PacketCRC.check(Self.pdu.span, start: 0x55_5555)
    let correct = Self.pdu + [0, 8, 16].map { UInt8(check >> $0 & 0xFF) }
    var wrong = correct
    wrong[13] ^= 1
    let packets: [(status: UInt64, bytes: [UInt8])] = [(2, correct), (1, wrong), (3, correct), (1, correct)]
    let program = try run { program, poll in
      if poll == 1 { program.receive(after: 500, window: 10_000) }
      return poll < 5
    } next: { program, outcome in
      switch outcome.kind {
      case .damaged: .receiveAgain
      case .received: .transmitAfterSpace
      default: .stop
      }
    } phy: { phy in
      var now: UInt64 = 0
      for packet in packets {
        #expect(phy.header() == 0x11)
        let start = phy.number(phy.take(50)[0..<8])
        #expect(start == (now == 0 ? 500 : now + 1))
        now = start + 10 + 152
        phy.tell(0x102, phy.reception(5, 14, stamp: start + 49, now: start + 49) + packet.bytes)
        #expect(phy.header() == 0x12)
        if packet.status == 3 {
          // The reception ends with the header, and the device waits for the end of the packet.
          phy.tell(0x103, phy.reception(3, 0, stamp: start + 49, now: start + 65))
          #expect(phy.header() == 0x01)
          #expect(phy.number(phy.take(8)) == now)
          phy.tell(0x81)
        } else {
          phy.tell(0x103, phy.reception(packet.status, 14, stamp: start + 49, now: now))
        }
      }
      // The host is polled between the packets.
      while true {
        let header = phy.header()
        if header == 0x02 {
          let request = phy.take(44)
          #expect(phy.number(request[0..<8]) == now + 150)
          _ = phy.take(Int(request[42]))
          phy.tell(0x100, Array(request[8..<16]))
        } else if header == 0x01 {
          _ = phy.take(8)
          phy.tell(0x81)
        } else {
          #expect(header == 0xFFFF)
          break
        }
      }
    }
    #expect(program.outcomes.map(\.kind) == [.damaged, .damaged, .damaged, .received, .sent])
    #expect(program.received == [Self.pdu])
    #expect(program.outcomes[3].rssi == -60)
    #expect(program.outcomes[4].start.since(program.outcomes[3].end) == 150)
  }

  @Test("No packet within the window is reported as silent at its end")
  func silence() throws {
    let program = try run { program, poll in
      if poll == 1 { program.receive(after: 500, window: 100) }
      return poll < 2
    } phy: { phy in
      #expect(phy.header() == 0x11)
      _ = phy.take(50)
      phy.tell(0x103, phy.reception(4, 0, stamp: 0, now: 600))
      #expect(phy.header() == 0x01)
      _ = phy.take(8)
      phy.tell(0x81)
      #expect(phy.header() == 0xFFFF)
    }
    #expect(program.outcomes.map(\.kind) == [.silent])
  }

  @Test("Operations of a late processor have the outcome late, and a start that has passed, too")
  func lateness() throws {
    var options = PhyOptions()
    options.lateness = 100_000
    for (options, wait) in [(options, UInt32(500)), (PhyOptions(), 199)] {
      let program = try run(options) { program, poll in
        if poll == 1 { program.transmit(Self.pdu, after: wait) }
        return poll < 2
      } phy: { phy in
        #expect(phy.header() == 0x01)
        _ = phy.take(8)
        phy.tell(0x81)
        #expect(phy.header() == 0xFFFF)
      }
      #expect(program.outcomes.map(\.kind) == [.late])
    }
  }

  @Test("The end of the simulation ends the device, and an unknown response is an error")
  func end() throws {
    let ended = try run { _, _ in
      true
    } phy: { phy in
      _ = phy.header()
      phy.tell(0xFFFF)
    }
    #expect(ended.polls == [0])
    #expect(throws: SystemFailure.self) {
      try run { _, _ in
        true
      } phy: { phy in
        _ = phy.header()
        phy.tell(0x100)
      }
    }
  }
}
