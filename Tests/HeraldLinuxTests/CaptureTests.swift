import Foundation
import HeraldHCI
import Testing

@testable import HeraldLinux

/// Captures as the bytes they are; Tests/Interop has them read by programs that are not ours.
@Suite("Capture")
struct CaptureTests {
  /// 2026-11-22T06:00:00Z in microseconds.
  static let moment: UInt64 = 1_795_327_200_000_000
  /// HCI Reset, and that it is complete.
  static let reset: [UInt8] = [0x01, 0x03, 0x0C, 0x00]
  static let complete: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]
  static let header: [UInt8] = [
    0x62, 0x74, 0x73, 0x6E, 0x6F, 0x6F, 0x70, 0x00, 0, 0, 0, 1, 0, 0, 0x03, 0xEA,
  ]
  /// The moment, counted from the year 0.
  static let stamp: [UInt8] = [0x00, 0xE3, 0x3E, 0x8A, 0x3F, 0x32, 0x78, 0x00]

  private final class Folder {
    let path = NSTemporaryDirectory() + "herald-capture-" + UUID().uuidString
    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  private func capture(_ text: String) throws -> BtsnoopCapture {
    try BtsnoopCapture(try CapturePlace(text), onFailure: { Issue.record("\($0)") }) { Self.moment }
  }

  @Test(
    "A record has the packet's length twice, its direction and kind, the time since the year 0, and the packet"
  )
  func records() {
    #expect(Self.moment + BtsnoopCapture.yearZero == 0x00E3_3E8A_3F32_7800)
    #expect(
      BtsnoopCapture.record(Self.reset.span, isReceived: false, at: Self.moment)
        == [0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0, 0] + Self.stamp + Self.reset)
    #expect(
      BtsnoopCapture.record(Self.complete.span, isReceived: true, at: Self.moment)
        == [0, 0, 0, 7, 0, 0, 0, 7, 0, 0, 0, 3, 0, 0, 0, 0] + Self.stamp + Self.complete)
    let data: [UInt8] = [0x02, 0x40, 0x20, 0x01, 0x00, 0xAA]
    #expect(
      BtsnoopCapture.record(data.span, isReceived: true, at: Self.moment).prefix(12)
        == [0, 0, 0, 6, 0, 0, 0, 6, 0, 0, 0, 1])
  }

  @Test(
    "A file begins with the header, is its owner's alone, and continues where it was; others are left alone")
  func files() throws {
    let folder = try Folder()
    let path = folder.path + "/a.btsnoop"
    try capture(path).add(Self.reset.span, isReceived: false)
    try capture(path).add(Self.complete.span, isReceived: true)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(Array(bytes.prefix(16)) == Self.header)
    #expect(bytes.count == 16 + 24 + 4 + 24 + 7)
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    let other = folder.path + "/b"
    try Data("something else, and long enough".utf8).write(to: URL(fileURLWithPath: other))
    #expect(throws: SystemFailure.self) { try capture(other) }
    #expect(try Data(contentsOf: URL(fileURLWithPath: other)).count == 31)
    #expect(throws: SystemFailure.self) { try capture(folder.path + "/no/such/folder") }
    #expect(throws: SystemFailure.self) { try CapturePlace("") }
    #expect(throws: SystemFailure.self) { try CapturePlace("unix:" + String(repeating: "x", count: 108)) }
  }

  /// A controller whose bytes come in the pieces that a test says.
  private struct Scripted: PollableTransport, ~Copyable {
    var pieces: [[UInt8]?]
    var descriptor: Int32 { -1 }
    var wantsToWrite: Bool { false }

    mutating func read(into buffer: inout MutableSpan<UInt8>) -> Int {
      guard !pieces.isEmpty else { return 0 }
      guard let piece = pieces.removeFirst() else { return -1 }
      for (index, byte) in piece.enumerated() { buffer[index] = byte }
      return piece.count
    }

    mutating func write(_ packet: Span<UInt8>) -> Bool { packet.count < 100 }
  }

  @Test(
    "Packets are whole in it however they came, without what was cut off, what is no packet, and what was not taken"
  )
  func stream() throws {
    let folder = try Folder()
    let path = folder.path + "/a.btsnoop"
    let acl: [UInt8] = [0x02, 0x40, 0x20, 0x02, 0x00, 0xAA, 0xBB]
    let iso: [UInt8] = [0x05, 0x40, 0x20, 0x01, 0x40, 0xCC]
    var transport = CapturedTransport(
      Scripted(pieces: [
        [0x04], [0x0E, 0x04, 0x01, 0x03], [0x0C, 0x00] + acl + [0xFF] + iso, [0x04, 0x0E], nil, Self.complete,
      ]), capture: try capture(path))
    var room = [UInt8](repeating: 0, count: 64)
    for _ in 0..<7 {
      var span = room.mutableSpan
      _ = transport.read(into: &span)
    }
    #expect(transport.write(Self.reset.span) == true)
    #expect(transport.write([UInt8](repeating: 1, count: 100).span) == false)
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let expected = [
      (Self.complete, true), (acl, true), (iso, true), (Self.complete, true), (Self.reset, false),
    ]
    #expect(
      bytes
        == expected.reduce(Self.header) {
          $0 + BtsnoopCapture.record($1.0.span, isReceived: $1.1, at: Self.moment)
        })
  }
}
