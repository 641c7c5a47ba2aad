import Testing

@testable import HeraldFlash

/// The bytes are written from "CMSIS-DAP Commands" of CMSIS-DAP 2.1.
@Suite("CMSIS-DAP packets")
struct DAPPacketTests {
  private static func packets(size: Int, isAtomic: Bool, _ build: (inout DAPPacketWriter) -> Void)
    -> [[UInt8]]
  {
    var writer = DAPPacketWriter(size: size, isAtomic: isAtomic)
    build(&writer)
    return writer.packets.map(\.bytes)
  }

  private static func answer(_ commands: [DAPCommand], _ bytes: [UInt8]) throws -> DAPResponses {
    var packet = DAPPacket()
    for command in commands { packet.append(command) }
    var answers = DAPResponses()
    try packet.read(bytes, into: &answers)
    return answers
  }

  @Test("A transfer: reads have one byte, writes and waits five")
  func transfer() {
    let bytes = Self.packets(size: 64, isAtomic: false) {
      $0.append(DAPAccess(request: 0x02, value: nil))
      $0.append(DAPAccess(request: 0x08, value: 0x0100_00F0))
      $0.append(DAPAccess(request: 0x20, value: 0xFFFF_0000))
      $0.append(DAPAccess(request: 0x1F, value: 0x1234_5678))
    }
    #expect(
      bytes == [
        [
          0x05, 0x00, 0x04, 0x02, 0x08, 0xF0, 0x00, 0x00, 0x01, 0x20, 0x00, 0x00, 0xFF, 0xFF, 0x1F, 0x78,
          0x56,
          0x34, 0x12,
        ]
      ])
  }

  @Test("A block, its number of words and its register")
  func block() {
    let write = Self.packets(size: 64, isAtomic: false) { $0.write([0x0403_0201, 0x0807_0605], to: 0x0D) }
    #expect(write == [[0x06, 0x00, 0x02, 0x00, 0x0D, 1, 2, 3, 4, 5, 6, 7, 8]])
    let read = Self.packets(size: 1024, isAtomic: false) { $0.read(255, from: 0x0F) }
    #expect(read == [[0x06, 0x00, 0xFF, 0x00, 0x0F]])
  }

  @Test(
    "Several commands share a packet where the probe takes them together, and have one each where it does not"
  )
  func atomic() {
    let build = { (writer: inout DAPPacketWriter) in
      writer.append(.connect)
      writer.append(DAPAccess(request: 0x05, value: 0x2000_0000))
      writer.write([7], to: 0x0D)
      writer.read(1, from: 0x0F)
    }
    #expect(
      Self.packets(size: 64, isAtomic: true, build) == [
        [
          0x7F, 0x04, 0x02, 0x01, 0x05, 0x00, 0x01, 0x05, 0x00, 0x00, 0x00, 0x20, 0x06, 0x00, 0x01, 0x00,
          0x0D, 7, 0, 0,
          0, 0x06, 0x00, 0x01, 0x00, 0x0F,
        ]
      ])
    // The one word rides along with the address before it.
    #expect(
      Self.packets(size: 64, isAtomic: false, build) == [
        [0x02, 0x01], [0x05, 0x00, 0x02, 0x05, 0x00, 0x00, 0x00, 0x20, 0x0D, 7, 0, 0, 0],
        [0x06, 0x00, 0x01, 0x00, 0x0F],
      ])
  }

  @Test(
    "No packet and no response is longer than the probe's packets", arguments: [64, 512, 1024], [true, false])
  func limits(size: Int, isAtomic: Bool) {
    var writer = DAPPacketWriter(size: size, isAtomic: isAtomic)
    for count in [1, 7, 100, 256, 300] {
      writer.append(DAPAccess(request: 0x05, value: 0))
      writer.write([UInt32](repeating: 5, count: count), to: 0x0D)
      for _ in 0..<count { writer.append(DAPAccess(request: 0x03, value: nil)) }
      writer.read(count, from: 0x0F)
      for _ in 0..<count { writer.append(.plain([0x13, 0x00])) }
    }
    let packets = writer.packets
    var written = 0
    var read = 0
    for packet in packets {
      #expect(packet.bytes.count <= size)
      let wrapping = packet.commands.count > 1 ? 2 : 0
      #expect(packet.answerSize + wrapping <= size)
      #expect(isAtomic || packet.commands.count == 1)
      for command in packet.commands {
        switch command {
        case .transfer(let accesses):
          #expect((1...255).contains(accesses.count))
          written += accesses.filter { $0.request == 0x0D }.count
          read += accesses.filter(\.answersWord).count
        case .writeBlock(_, let words): written += words.count
        case .readBlock(_, let count): read += count
        default: break
        }
      }
    }
    #expect(written == 664)
    #expect(read == 2 * 664)
  }

  @Test("Words come lowest byte first, and what is behind the response is padding")
  func words() throws {
    let read = DAPCommand.transfer([DAPAccess(request: 0x02, value: nil)])
    #expect(try Self.answer([read], [0x05, 0x01, 0x01, 0x77, 0x14, 0xA0, 0x2B, 0, 0]).words == [0x2BA0_1477])
    let both = try Self.answer(
      [.info(0xFE, most: 1), .info(0xFF, most: 2), .connect, .readBlock(request: 0x0F, count: 2)],
      [
        0x7F, 0x04, 0x00, 0x01, 0x04, 0x00, 0x02, 0x00, 0x02, 0x02, 0x01, 0x06, 0x02, 0x00, 0x01, 1, 0, 0, 0,
        2, 0, 0, 0,
      ])
    #expect(both == DAPResponses(words: [1, 2], infos: [[4], [0x00, 0x02]]))
  }

  @Test(
    "What the chip answers: WAIT, FAULT, nothing, a damaged word, a value that does not come",
    arguments: [
      ([0x05, 0x00, 0x02], ProbeError.wait), ([0x05, 0x00, 0x04], .fault), ([0x05, 0x00, 0x07], .silent),
      ([0x05, 0x00, 0x08], .silent), ([0x05, 0x00, 0x11], .mismatch),
    ] as [([UInt8], ProbeError)])
  func acknowledgements(bytes: [UInt8], error: ProbeError) {
    let write = DAPCommand.transfer([DAPAccess(request: 0x08, value: 0)])
    #expect(throws: error) { try Self.answer([write], bytes) }
    let block = DAPCommand.writeBlock(request: 0x0D, [0])
    #expect(throws: error) { try Self.answer([block], [0x06, 0x00, 0x00, bytes[2]]) }
  }

  @Test(
    "A response that is too short, or not to this request, is the probe's fault",
    arguments: [
      [], [0x05], [0x05, 0x01], [0x05, 0x01, 0x01], [0x05, 0x01, 0x01, 1, 2, 3],
      [0x06, 0x01, 0x01, 1, 2, 3, 4],
      [0x05, 0x02, 0x01, 1, 2, 3, 4], [0xFF], [0x7F, 0x01, 0x05],
    ] as [[UInt8]])
  func violations(bytes: [UInt8]) {
    let read = DAPCommand.transfer([DAPAccess(request: 0x02, value: nil)])
    let error = #expect(throws: ProbeError.self) { try Self.answer([read], bytes) }
    guard case .link(let reason)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.cause == .protocolViolation)
  }

  @Test("A command the probe does not carry out is named")
  func refused() {
    let error = #expect(throws: ProbeError.self) { try Self.answer([.plain([0x13, 0x00])], [0x13, 0xFF]) }
    #expect(error?.reported(at: "x").what == "the probe refused command 0x13")
  }
}
