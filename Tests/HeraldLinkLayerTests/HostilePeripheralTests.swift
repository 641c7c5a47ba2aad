import HeraldBluetooth
import HeraldHAL
import HeraldSimulation
import TestInputs
import Testing

@testable import HeraldLinkLayer

/// A central whose peripheral says what it should not. That is a link layer of ours with strange words put in
/// its mouth.
@Suite("Central with a hostile peripheral")
struct HostilePeripheralTests {
  let medium = RadioMedium(seed: 9)

  /// A peripheral and a central, connected.
  private func pair(interval: UInt16 = 24) throws -> (LinkLayerDevice, LinkLayerDevice) {
    let peripheral = LinkLayerDevice(medium, 0)
    let central = LinkLayerDevice(medium, 1)
    try peripheral.advertise()
    try central.connect(to: peripheral, interval: interval, timeout: 300)
    medium.run(until: milliseconds(200))
    return (peripheral, central)
  }

  /// Has the peripheral send a control PDU in its next event.
  private func say(_ pdu: [UInt8], _ peripheral: LinkLayerDevice) {
    peripheral.layer.exchange.links[0].control.copy(pdu.span)
  }

  /// How often a connection was opened or closed.
  private func turns(_ device: LinkLayerDevice) -> Int {
    device.events.count {
      switch $0 {
      case .opened, .closed: true
      default: false
      }
    }
  }

  /// The control PDUs that the central has sent.
  private var answers: [[UInt8]] {
    Transcript(medium).data(1).filter { $0.pdu[0] & 3 == 3 }.map { Array($0.pdu[2...]) }
  }

  @Test(
    "A central answers what a peripheral may ask, and does not know the rest",
    arguments: [
      ("0c 09 5900 0100", "0c 06 ffff 0100"), ("0e 0000000000000000", "070e"),
      ("14 fb004808fb004808", "0714"),
      // What only a central may say.
      ("00 02 0000 1800 0000 6400 ff00", "0700"), ("01 ffffffff1f ff00", "0701"),
      ("08 0000000000000000", "0708"),
      ("03 00000000000000000000000000000000000000000000", "0703"),
    ])
  func answers(request: String, expected: String) throws {
    let (peripheral, central) = try pair()
    say(hexBytes(request), peripheral)
    medium.run(until: milliseconds(500))
    #expect(answers == [hexBytes(expected)] && central.events.count == 1)
  }

  @Test("Every control opcode with every length leaves a central that works")
  func everyOpcodeAndLength() throws {
    let (peripheral, central) = try pair(interval: 6)
    let text = [UInt8](repeating: 0xFF, count: 26)
    // LL_TERMINATE_IND ends it for the peripheral itself, whatever follows the opcode.
    for opcode in UInt8.min...UInt8.max where opcode != 2 {
      for length in [1, 2, 3, 6, 8, 9, 12, 23, 24, 27] {
        // An event takes what was said, the next the answer.
        say([opcode] + text.prefix(length - 1), peripheral)
        medium.run(until: medium.time + 15_000_000)
      }
      medium.forget()
    }
    #expect(central.events.count == 1 && peripheral.events.count == 1)
    try central.send([1, 2, 3])
    medium.run(until: medium.time + milliseconds(100))
    #expect(peripheral.payloads.last?.bytes == [1, 2, 3])
  }

  @Test("LL_TERMINATE_IND of a peripheral is acknowledged before the central closes")
  func terminated() throws {
    let (peripheral, central) = try pair()
    say([2, 0x15], peripheral)
    medium.run(until: milliseconds(500))
    #expect(central.events.last == .closed(connection: 0, reason: DisconnectReason(rawValue: 0x15)))
    // The peripheral took the acknowledgement for that of an end of its own.
    #expect(peripheral.events.last == .closed(connection: 0, reason: .localHostTerminated))
  }

  @Test("Payloads and control PDUs of random bytes never stop a central for good", arguments: 0..<10)
  func randomBytes(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let (peripheral, central) = try pair(interval: 6)
    medium.trouble.loss = 10_000
    for _ in 0..<500 {
      var pdu = (0..<Int.random(in: 1...27, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      try? peripheral.send(pdu, isStart: Bool.random(using: &random))
      pdu[0] &= 0x1F
      if peripheral.layer.exchange.links[0].life == .open { say(pdu, peripheral) }
      medium.run(until: medium.time + 10_000_000)
    }
    medium.trouble.loss = 100_000
    medium.run(until: medium.time + milliseconds(4000))
    #expect(turns(central) == 2 && turns(peripheral) == 2)
    medium.trouble.loss = 0
    try peripheral.advertise()
    try central.connect(to: peripheral)
    medium.run(until: medium.time + milliseconds(500))
    #expect(turns(central) == 3 && turns(peripheral) == 3)
  }
}
