import HeraldBluetooth
import HeraldHAL
import HeraldLinkLayer
import HeraldSimulation
import TestInputs

/// A device with a controller, and a host that sends literal commands and keeps all packets.
final class ControllerDevice: MediumDevice {
  let medium: RadioMedium
  let number: Int
  var controller: HCIController<MediumRadio, SeededRandom, 4>
  /// The packets for the host that were taken.
  var packets: [[UInt8]] = []
  /// The host takes no packets.
  var isStalled = false

  init(_ medium: RadioMedium, _ number: Int) {
    self.medium = medium
    self.number = number
    controller = HCIController(
      radio: medium.makeRadio(), random: SeededRandom(seed: 7), address: Self.address(number),
      seed: UInt32(number) &* 7919 &+ 1)
    medium.attach(self, to: number)
  }

  /// A public address that contains the number.
  static func address(_ number: Int) -> DeviceAddress {
    DeviceAddress(high: 0x0001, low: 0x0203_0400 + UInt32(number), kind: .public)
  }

  /// The bytes of that address as in a packet, in hexadecimal.
  static func bytes(_ number: Int) -> String { "0" + String(number) + "0403020100" }

  func radioInterrupt() -> Bool { controller.radioInterrupt() }

  func proceduresInterrupt() {
    controller.procedures()
    drain()
  }

  /// Takes all packets.
  func drain() {
    while !isStalled, let packet = take() { packets.append(packet) }
  }

  /// Takes the next packet, also when the host is stalled.
  func take() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 80)
    var writer = ByteWriter(buffer.mutableSpan)
    guard controller.takePacket(into: &writer) else { return nil }
    let count = writer.count
    return Array(buffer[..<count])
  }

  /// Sends bytes and returns the packets that follow at once.
  @discardableResult
  func send(_ bytes: [UInt8]) -> [[UInt8]] {
    drain()
    let first = packets.count
    var rest = bytes[...]
    while !rest.isEmpty {
      let accepted = controller.receive(Array(rest).span)
      drain()
      if accepted == 0 { break }
      rest = rest.dropFirst(accepted)
    }
    return Array(packets[first...])
  }

  /// Sends a command and returns the packets that follow at once.
  @discardableResult
  func command(_ opcode: UInt16, _ parameters: [UInt8] = []) -> [[UInt8]] {
    send(
      [1, UInt8(truncatingIfNeeded: opcode), UInt8(opcode >> 8), UInt8(parameters.count)] + parameters)
  }

  /// The return parameters of a command, or the status in its Command Status.
  func result(_ opcode: UInt16, _ parameters: String = "") -> [UInt8] {
    for packet in command(opcode, hexBytes(parameters)) {
      if packet[1] == 0x0E, UInt16(packet[4]) | UInt16(packet[5]) << 8 == opcode {
        return Array(packet[6...])
      }
      if packet[1] == 0x0F, UInt16(packet[5]) | UInt16(packet[6]) << 8 == opcode { return [packet[3]] }
    }
    return []
  }

  /// Enables all events.
  func enableEvents() {
    command(0x0C01, hexBytes("ffffffffffffffff"))
    command(0x2001, hexBytes("ffffffffffffffff"))
  }

  /// The events with a code, and for LE Meta events a subevent code, since the call of `forget`.
  func events(_ code: UInt8, _ subevent: UInt8? = nil) -> [[UInt8]] {
    packets.filter { $0[0] == 4 && $0[1] == code && (subevent == nil || $0[3] == subevent) }
  }

  /// Removes the packets taken so far.
  func forget() { packets = [] }
}
