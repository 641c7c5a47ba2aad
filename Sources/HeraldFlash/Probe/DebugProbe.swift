import HeraldHostLink
import HeraldText

/// A CMSIS-DAP probe: its capabilities, and its outstanding packets.
final class DebugProbe {
  /// The minimum packet size of a probe: a full-speed HID report.
  private static let leastPacket = 64
  /// The timeout of one packet, which may wait for a page erasure, or for a loader that programs many pages.
  private static let timeout = Duration.seconds(15)

  private let pipe: any ProbePipe
  /// Bytes of a packet.
  private(set) var packetSize = DebugProbe.leastPacket
  /// The maximum number of outstanding packets.
  private(set) var packetCount = 1
  /// Whether it takes several commands in one packet.
  private(set) var isAtomic = false
  /// The version it reports; empty if none.
  private(set) var version = ""
  /// Packets sent so far, each with its response.
  private(set) var roundTrips = 0

  /// Over `pipe`; nothing is sent yet.
  init(_ pipe: any ProbePipe) { self.pipe = pipe }

  /// The location of the probe.
  var location: String { pipe.location }
  /// The probe's texts.
  var identity: USBIdentity { pipe.identity }

  /// Queries the capabilities of the probe (DAP_Info: capabilities, then packet count, packet size and
  /// version) and sends `commands` in the same packets.
  func begin(_ commands: [DAPCommand]) throws(ProbeError) {
    packetSize = Self.leastPacket
    packetCount = 1
    isAtomic = false
    let capabilities = try run([.info(0xF0, most: 62)]).infos
    guard let flags = capabilities.first?.first, flags & 1 != 0 else {
      throw .link(
        HostLinkError(.refused, "the probe \(location) has no SWD", advice: "use a probe that speaks SWD"))
    }
    isAtomic = flags & 0x10 != 0
    let infos = try run([.info(0xFE, most: 1), .info(0xFF, most: 2)] + commands).infos
    guard infos.count == 2, infos[0].count == 1, infos[1].count == 2 else {
      throw .link(
        HostLinkError(
          .protocolViolation, "the probe \(location) does not tell its packet size",
          advice: "update the probe's firmware"))
    }
    let size = Int(infos[1][0]) | Int(infos[1][1]) << 8
    packetSize = max(Self.leastPacket, min(size, 16384))
    packetCount = max(1, min(Int(infos[0][0]), 64))
  }

  /// Queries the version of the probe's firmware.
  func askVersion() throws(ProbeError) {
    let text = try run([.info(0x04, most: packetSize - 2)]).infos.first ?? []
    version = PrintableText.of(String(decoding: text.prefix { $0 != 0 }, as: UTF8.self))
  }

  /// Sends `commands` in as few packets as they need.
  func run(_ commands: [DAPCommand]) throws(ProbeError) -> DAPResponses {
    var writer = newWriter()
    for command in commands { writer.append(command) }
    return try exchange(writer.packets)
  }

  /// A writer for this probe's packets.
  func newWriter() -> DAPPacketWriter { DAPPacketWriter(size: packetSize, isAtomic: isAtomic) }

  /// Sends `packets`, several ahead of their responses. After the first failure no further packet is sent;
  /// outstanding responses are awaited, so that packets and responses stay synchronised.
  func exchange(_ packets: [DAPPacket]) throws(ProbeError) -> DAPResponses {
    var answers = DAPResponses()
    var failure: ProbeError?
    var sent = 0
    var answered = 0
    while failure == nil ? answered < packets.count : answered < sent {
      do throws(HostLinkError) {
        while failure == nil, sent < packets.count, sent - answered < packetCount {
          try pipe.send(packets[sent].bytes, packetSize: packetSize)
          sent += 1
          roundTrips += 1
        }
        let bytes = try pipe.receive(by: .after(Self.timeout))
        if failure == nil {
          do throws(ProbeError) { try packets[answered].read(bytes, into: &answers) } catch {
            failure = error
          }
        }
        answered += 1
      } catch {
        throw .link(error)
      }
    }
    if let failure { throw failure }
    return answers
  }

  /// Releases the probe.
  func close() { pipe.close() }
}
