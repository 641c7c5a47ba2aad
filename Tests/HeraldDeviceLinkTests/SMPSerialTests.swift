import HeraldHAL
import Testing

@testable import HeraldDeviceLink

@Suite("SMP over serial lines")
struct SMPSerialTests {
  /// What a decoder with room for `room` bytes makes of `bytes`, handed over `step` at a time.
  private func decoded(_ bytes: [UInt8], step: Int = 1000, room: Int = 512) -> [[UInt8]] {
    var decoder = SMPSerialDecoder()
    var packet = [UInt8](repeating: 0, count: room)
    var packets: [[UInt8]] = []
    var position = 0
    while position < bytes.count {
      let end = min(position + step, bytes.count)
      var span = packet.mutableSpan
      position += decoder.receive(bytes.span.extracting(position..<end), into: &span, at: .start)
      if decoder.packetCount > 0 {
        packets.append(Array(packet[..<decoder.packetCount]))
        decoder.release()
      }
    }
    return packets
  }

  private func encoded(_ packet: [UInt8], step: Int = 1000) -> [UInt8] {
    var encoder = SMPSerialEncoder(packet.span)
    var line: [UInt8] = []
    while !encoder.isFinished {
      var output = [UInt8](repeating: 0, count: step)
      var span = output.mutableSpan
      let count = encoder.write(packet.span, into: &span)
      guard count > 0 else { break }
      line += output[..<count]
    }
    return line
  }

  private static let echo = hex("0A000006 0000 0100 A1 61 64 62 68 69")

  @Test("checks as XMODEM does: 123456789 gives 31C3")
  func crc() {
    let digits = Array("123456789".utf8)
    #expect(CRC16(digits.span).value == 0x31C3)
    let whole = digits + [0x31, 0xC3]
    #expect(CRC16(whole.span).value == 0)
  }

  /// The line is what the Python package smp 4.0 makes of the packet.
  @Test("frames an echo request in one line")
  func oneLine() {
    #expect(String(decoding: encoded(Self.echo), as: UTF8.self) == "\u{06}\u{09}ABAKAAAGAAABAKFhZGJoaaWv\n")
    #expect(decoded(encoded(Self.echo)) == [Self.echo])
  }

  /// The lines are what the Python package smp 4.0 makes of the bytes 0…39 with a line length of 24.
  @Test("takes lines as short as another encoder makes them")
  func shortLines() {
    let lines =
      "\u{06}\u{09}ACoAAQIDBAUGBwgJCgsM\n\u{04}\u{14}DQ4PEBESExQVFhcYGRob\n\u{04}\u{14}HB0eHyAhIiMkJSYnga8=\n"
    for step in [1, 7, 1000] { #expect(decoded(Array(lines.utf8), step: step) == [Array(0..<40)]) }
  }

  @Test("gives back every length it frames, in lines of at most 127 bytes, through any room")
  func lengths() {
    for count in [8, 9, 10, 87, 88, 89, 90, 91, 92, 93, 94, 180, 181, 182, 183, 300, 512] {
      let packet = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      let line = encoded(packet)
      for step in [1, 2, 3, 64, 127] { #expect(encoded(packet, step: step) == line) }
      let lines = line.split(separator: 0x0A, omittingEmptySubsequences: false)
      #expect(lines.last?.isEmpty == true)
      for (index, text) in lines.dropLast().enumerated() {
        #expect(text.count <= 126)
        #expect(Array(text.prefix(2)) == (index == 0 ? [0x06, 0x09] : [0x04, 0x14]))
      }
      #expect(decoded(line) == [packet])
      #expect(decoded(line, step: 1) == [packet])
    }
  }

  @Test("skips console text before, between and inside packets")
  func garbage() {
    let line = encoded((0..<200).map { UInt8($0) })
    let newLine = line.firstIndex(of: 0x0A) ?? 0
    let console = Array("boot: ok\r\n\u{06}x\u{04}y".utf8)
    let bytes =
      console + line[...newLine] + console + line[(newLine + 1)...] + console + encoded(Self.echo)
    #expect(decoded(bytes) == [(0..<200).map { UInt8($0) }, Self.echo])
  }

  @Test("drops a packet with any one bit wrong, and takes the next")
  func bitErrors() {
    let line = encoded(Self.echo)
    for index in line.indices {
      for bit in 0..<8 {
        var bytes = line
        bytes[index] ^= 1 << UInt8(bit)
        let packets = decoded(bytes + line)
        #expect(packets.allSatisfy { $0 == Self.echo })
        #expect(packets.count >= 1 || bytes[index] != line[index])
        #expect(decoded(bytes + [0x0A] + line).last == Self.echo)
      }
    }
  }

  @Test("drops what is too long, too short, misses its first line, or has bytes behind its padding")
  func bad() {
    let long = encoded([UInt8](repeating: 1, count: 513))
    #expect(decoded(long + encoded(Self.echo)) == [Self.echo])
    #expect(decoded(encoded([1, 2, 3, 4, 5, 6, 7]) + encoded(Self.echo)) == [Self.echo])
    var next = encoded(Self.echo)
    next[0] = 0x04
    next[1] = 0x14
    #expect(decoded(next).isEmpty)
    #expect(decoded(Array("\u{06}\u{09}AA==AA==\n".utf8)).isEmpty)
    #expect(decoded(Array("\u{06}\u{09}AAA\n".utf8)).isEmpty)
    #expect(decoded(Array("\u{06}\u{09}=AAA\n".utf8)).isEmpty)
  }

  @Test("discards a packet whose next line does not come within two seconds")
  func timeout() {
    let bytes = encoded((0..<200).map { UInt8($0) })
    let half = 127
    for (silence, isTaken) in [(2000, true), (2001, false)] as [(UInt64, Bool)] {
      var decoder = SMPSerialDecoder()
      var packet = [UInt8](repeating: 0, count: 256)
      var span = packet.mutableSpan
      _ = decoder.receive(bytes.span.extracting(0..<half), into: &span, at: Instant(milliseconds: 500))
      let later = Instant(milliseconds: 500 + silence)
      _ = decoder.receive(bytes.span.extracting(half..<bytes.count), into: &span, at: later)
      #expect((decoder.packetCount == 200) == isTaken)
      #expect(decoder.dropped == (isTaken ? 0 : 1))
    }
  }

  @Test("answers in the buffer of the request, and takes the next request when the response is out")
  func link() {
    var link = SMPSerialLink<256>()
    var server = SMPServer()
    var device = TestDevice()
    let second = hex("0A000006 0000 0200 A1 61 64 62 79 6F")
    let bytes = encoded(Self.echo) + encoded(second)
    var taken = link.receive(bytes.span, at: .start, server: &server, device: &device)
    check(link.isSending)
    check(taken == encoded(Self.echo).count)
    check(
      link.receive(bytes.span.extracting(taken..<bytes.count), at: .start, server: &server, device: &device)
        == 0)
    var sent: [UInt8] = []
    while link.isSending {
      var output: [UInt8] = [0, 0, 0, 0, 0]
      var span = output.mutableSpan
      let count = link.send(into: &span, from: 1)
      sent += output[1...count]
    }
    taken += link.receive(
      bytes.span.extracting(taken..<bytes.count), at: .start, server: &server, device: &device)
    check(taken == bytes.count)
    while link.isSending {
      var output: [UInt8] = [0]
      var span = output.mutableSpan
      _ = link.send(into: &span)
      sent += output
    }
    check(
      decoded(sent) == [
        hex("0B000006 0000 0100 A1 61 72 62 68 69"), hex("0B000006 0000 0200 A1 61 72 62 79 6F"),
      ])
  }
}
