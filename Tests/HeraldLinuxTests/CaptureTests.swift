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
    try BtsnoopCapture(try CaptureDestination(text), onFailure: { Issue.record("\($0)") }) { Self.moment }
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
    #expect(throws: SystemFailure.self) { try CaptureDestination("") }
    #expect(throws: SystemFailure.self) {
      try CaptureDestination("unix:" + String(repeating: "x", count: 108))
    }
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

  /// The bytes of a file with the header and two records.
  private func twoRecords(in folder: Folder) throws -> (path: String, bytes: [UInt8]) {
    let path = folder.path + "/a.btsnoop"
    do {
      let capture = try capture(path)
      capture.add(Self.reset.span, isReceived: false)
      capture.add(Self.complete.span, isReceived: true)
    }
    return (path, [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))))
  }

  @Test(
    "A file that ends anywhere, as a full disk or a loss of power leaves it, is continued after its last complete record"
  )
  func incompleteFile() throws {
    let folder = try Folder()
    let (path, bytes) = try twoRecords(in: folder)
    let ends = [0, 16, 44, 75]
    for length in 0...bytes.count {
      for padding in [0, 1, 24, 70_000] {
        // Zeros follow whole records, or nothing.
        if padding > 0, !ends.contains(length) { continue }
        try Data(bytes[..<length] + [UInt8](repeating: 0, count: padding)).write(
          to: URL(fileURLWithPath: path))
        // Zeros at the start are no capture.
        if length == 0, padding > 0 { continue }
        let kept = ends.last { $0 <= length } ?? 0
        try capture(path).add(Self.reset.span, isReceived: false)
        let expected =
          (kept == 0 ? Self.header : Array(bytes[..<kept]))
          + BtsnoopCapture.record(Self.reset.span, isReceived: false, at: Self.moment)
        #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) == expected, "\(length) \(padding)")
      }
    }
  }

  @Test("A file with something else behind its records is not changed")
  func damagedFile() throws {
    let folder = try Folder()
    let (path, bytes) = try twoRecords(in: folder)
    for damage in [[0xFF] + [UInt8](repeating: 7, count: 40), [UInt8](repeating: 0, count: 30) + [1]] {
      let whole = bytes + damage
      try Data(whole).write(to: URL(fileURLWithPath: path))
      #expect(throws: SystemFailure.self) { try capture(path) }
      #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) == whole)
    }
  }

  @Test("A named pipe is refused, and the advice is a socket; a file has one writer")
  func notAFile() throws {
    let folder = try Folder()
    #expect(mkfifo(folder.path + "/pipe", 0o600) == 0)
    #expect {
      try capture(folder.path + "/pipe")
    } throws: {
      "\($0)".contains("named pipe") && "\($0)".contains("unix:PATH")
    }
    let first = try capture(folder.path + "/a")
    #expect {
      try capture(folder.path + "/a")
    } throws: {
      "\($0)".contains("another process")
    }
    first.add(Self.reset.span, isReceived: false)
    #expect(throws: SystemFailure.self) { try capture("/dev/full") }
  }

  @Test("A capture that cannot be written ends with its last complete record, and the reason is the system's")
  func fullDisk() throws {
    let folder = try Folder()
    let (path, bytes) = try twoRecords(in: folder)
    // A file size limit stands for a full disk: a write is cut at it.
    var former = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &former)
    signal(SIGXFSZ, SIG_IGN)
    var failures: [SystemFailure] = []
    let capture = try BtsnoopCapture(try CaptureDestination(path), onFailure: { failures.append($0) }) {
      Self.moment
    }
    var limit = rlimit(rlim_cur: rlim_t(bytes.count + 20), rlim_max: former.rlim_max)
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    capture.add(Self.reset.span, isReceived: false)
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &former)
    capture.add(Self.reset.span, isReceived: false)
    #expect(failures.map(\.code) == [EFBIG])
    #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) == bytes)
  }

  @Test("A reader has the header before any packet, also when another has left; a fifth one is refused")
  func readers() throws {
    let folder = try Folder()
    let capture = try capture("unix:\(folder.path)/s")
    func connect() throws -> Int32 {
      let host = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: "\(folder.path)/s".utf8) }
      let outcome = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          Glibc.connect(host, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      try #require(outcome == 0)
      return host
    }
    func received(_ host: Int32) -> [UInt8] {
      var buffer = [UInt8](repeating: 0, count: 256)
      let count = recv(host, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      return Array(buffer[..<max(0, count)])
    }
    var hosts: [Int32] = []
    for _ in 0..<4 {
      hosts.append(try connect())
      capture.acceptReaders()
      #expect(received(hosts.last ?? -1) == Self.header)
    }
    let fifth = try connect()
    capture.acceptReaders()
    #expect(received(fifth) == [])
    close(hosts.removeFirst())
    let next = try connect()
    capture.acceptReaders()
    #expect(received(next) == Self.header)
    capture.add(Self.reset.span, isReceived: false)
    #expect(received(next) == BtsnoopCapture.record(Self.reset.span, isReceived: false, at: Self.moment))
    for host in hosts + [fifth, next] { close(host) }
  }
}
