import Foundation
import HeraldHAL
import HeraldLinkLayer
import HeraldSimulation

/// Analysis of the packets transmitted on a medium.
struct Transcript {
  let sent: [RadioMedium.Transmission]

  init(_ medium: RadioMedium) {
    sent = medium.transmissions
    record(medium)
  }

  /// The deviations of responses from T_IFS, in nanoseconds. A response is a packet that another device
  /// transmits on the same channel with the same access address within 200 µs.
  var answers: [Int] { Self.answers(sent) }

  /// The same for data channels, on which no other device transmits within that time by chance.
  var dataAnswers: [Int] { Self.answers(sent.filter { $0.channel < 37 }) }

  private static func answers(_ sent: [RadioMedium.Transmission]) -> [Int] {
    zip(sent, sent.dropFirst()).compactMap { first, second in
      guard first.device != second.device, first.channel == second.channel,
        first.accessAddress == second.accessAddress, second.start - first.end < 200_000
      else { return nil }
      return second.start - first.end - 150_000
    }
  }

  /// The packets of one device on the advertising channels.
  func advertising(_ device: Int) -> [RadioMedium.Transmission] {
    sent.filter { $0.device == device && $0.channel > 36 }
  }

  /// The packets of one device on the data channels.
  func data(_ device: Int) -> [RadioMedium.Transmission] {
    sent.filter { $0.device == device && $0.channel < 37 }
  }

  /// If AIR_RECORDS names a folder, all packets are written there as lines of start, end, device, MHz over
  /// 2400, access address and packet, for programs that analyse recordings.
  private func record(_ medium: RadioMedium) {
    guard let folder = ProcessInfo.processInfo.environment["AIR_RECORDS"] else { return }
    var text = ""
    for packet in sent {
      let check = checkBytes(packet.pdu, start: packet.crcInit)
      let megahertz = RadioOperation.frequency(ofChannel: packet.channel)
      let bytes = (packet.pdu + check).map { String(format: "%02x", $0) }.joined()
      text += "\(packet.start / 1000),\(packet.end / 1000),\(packet.device),\(megahertz),"
      text += String(format: "0x%08x,", packet.accessAddress) + bytes + "\n"
    }
    try? text.write(toFile: "\(folder)/\(UUID().uuidString).csv", atomically: true, encoding: .utf8)
  }
}
