import HeraldBluetooth
import HeraldHAL
import HeraldSimulation
import TestInputs
import Testing

@testable import HeraldLinkLayer

/// A central whose peripheral transmits PDUs that it must not transmit. The peripheral is a link layer of
/// this project into which the PDUs are injected.
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

  /// Queues a control PDU of the peripheral for its next event.
  private func say(_ pdu: [UInt8], _ peripheral: LinkLayerDevice) {
    peripheral.layer.exchange.table[0].control.copy(pdu.span)
  }

  /// The number of connections opened or closed.
  private func turns(_ device: LinkLayerDevice) -> Int {
    device.events.count {
      switch $0 {
      case .opened, .closed: true
      default: false
      }
    }
  }

  /// The control PDUs transmitted by the central.
  private var answers: [[UInt8]] {
    Transcript(medium).data(1).filter { $0.pdu[0] & 3 == 3 }.map { Array($0.pdu[2...]) }
  }

  @Test(
    "A central answers the requests that a peripheral may send, and others with LL_UNKNOWN_RSP",
    arguments: [
      ("0c 09 5900 0100", "0c 06 ffff 0100"), ("0e 0000000000000000", "070e"),
      ("14 fb004808fb004808", "0714"),
      // PDUs that only a central may transmit.
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

  @Test("A central remains operational after every control opcode with every length")
  func everyOpcodeAndLength() throws {
    let (peripheral, central) = try pair(interval: 6)
    let text = [UInt8](repeating: 0xFF, count: 26)
    // LL_TERMINATE_IND ends the connection for the peripheral itself, with any content.
    for opcode in UInt8.min...UInt8.max where opcode != 2 {
      for length in [1, 2, 3, 6, 8, 9, 12, 23, 24, 27] {
        // One event transmits the PDU, the next one its response.
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
    // The peripheral treated the acknowledgement as that of its own termination.
    #expect(peripheral.events.last == .closed(connection: 0, reason: .localHostTerminated))
  }

  @Test("A central remains operational after payloads and control PDUs of random bytes", arguments: 0..<10)
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
      if peripheral.layer.exchange.table[0].life == .open { say(pdu, peripheral) }
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
