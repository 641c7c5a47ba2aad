import Foundation
import HeraldHAL
import HeraldLinkLayer
import HeraldSimulation

/// Devices on a medium in this process: many more packets in the same time than with processes.
///
/// Device N connects to the devices after it, advertises and scans; its clock deviates by at most the ppm of
/// the settings, in one direction or the other.
struct InProcessSimulation {
  private let seconds: Int
  private let devices: Int
  private let settings: DeviceSettings
  private var trouble = RadioMedium.Trouble()

  /// Reads `SECONDS [loss=N] [collide=1] DEVICES [NAME=VALUE]…`.
  init(_ words: some Sequence<String>) throws(DeviceSettings.Failure) {
    var numbers: [Int] = []
    var rest: [String] = []
    for word in words {
      if let number = Int(word) {
        numbers.append(number)
      } else if word.hasPrefix("loss="), let loss = UInt32(word.dropFirst(5)) {
        trouble.loss = loss
      } else if word == "collide=1" {
        trouble.collides = true
      } else {
        rest.append(word)
      }
    }
    guard numbers.count == 2, numbers[1] > 0 else {
      throw DeviceSettings.Failure(word: numbers.map(String.init).joined(separator: " "))
    }
    settings = try DeviceSettings(rest)
    seconds = numbers[0]
    devices = numbers[1]
    trouble.lateness = settings.options.lateness
    trouble.delay = settings.options.longestDelay
  }

  /// Executes the simulation, and writes the packets of each second when it has passed.
  func run() {
    let medium = RadioMedium(seed: settings.options.seed)
    medium.trouble = trouble
    let members = (0..<devices).map { number in
      var own = settings
      // The first devices are the ones that others connect to.
      own.targets = settings.targets.map { (number + $0) % devices }.filter { $0 != number }
      own.options.seed = settings.options.seed &+ UInt64(number)
      own.interval = settings.interval &+ UInt16(number % 4)
      let deviation = settings.options.clockDeviation * (2 * number - devices + 1) / max(1, devices - 1)
      return InProcessHost(medium, number, own, deviation: deviation)
    }
    for member in members { member.begin() }
    var written = 0
    for second in 1...max(1, seconds) {
      medium.run(until: second * 1_000_000_000)
      FileHandle.standardOutput.write(Self.lines(medium.transmissions[written...]))
      // Nothing is removed while a packet is being transmitted.
      medium.forget()
      written = medium.transmissions.count
    }
    for member in members { FileHandle.standardError.write(Data("\(member.host.report)\n".utf8)) }
  }

  /// Packets as lines of start and end in µs, device, MHz over 2400, access address, and PDU with CRC.
  private static func lines(_ packets: ArraySlice<RadioMedium.Transmission>) -> Data {
    var text: [UInt8] = []
    text.reserveCapacity(packets.count * 96)
    for packet in packets {
      let check = PacketCRC.check(packet.pdu.span, start: packet.crcInit)
      let fields = [
        packet.start / 1000, packet.end / 1000, packet.device,
        Int(RadioOperation.frequency(ofChannel: packet.channel)),
      ]
      for field in fields { text += "\(field),".utf8 }
      text += "0x".utf8
      for shift in [24, 16, 8, 0] { append(UInt8(packet.accessAddress >> UInt32(shift) & 0xFF), to: &text) }
      text.append(UInt8(ascii: ","))
      for byte in packet.pdu { append(byte, to: &text) }
      for shift in [0, 8, 16] { append(UInt8(check >> UInt32(shift) & 0xFF), to: &text) }
      text.append(UInt8(ascii: "\n"))
    }
    return Data(text)
  }

  private static func append(_ byte: UInt8, to text: inout [UInt8]) {
    for digit in [byte >> 4, byte & 15] {
      text.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
  }
}

/// A test host on a medium in this process, polled every ten milliseconds and after each event of the radio.
final class InProcessHost: MediumDevice {
  let host: TestHost<MediumRadio>
  private let medium: RadioMedium

  init(_ medium: RadioMedium, _ number: Int, _ settings: DeviceSettings, deviation: Int) {
    self.medium = medium
    let radio = medium.makeRadio(deviation: deviation, promisedDeviation: settings.options.declaredDeviation)
    host = TestHost(number, settings, radio: radio)
    medium.attach(self, to: number)
  }

  /// Schedules the calls of the host.
  func begin() {
    host.poll(now: medium.time / 1_000_000)
    medium.at(medium.time + 10_000_000) { [unowned self] in begin() }
  }

  func radioInterrupt() -> Bool { host.layer.radioInterrupt() }

  func proceduresInterrupt() {
    host.layer.procedures()
    host.poll(now: medium.time / 1_000_000)
  }
}
