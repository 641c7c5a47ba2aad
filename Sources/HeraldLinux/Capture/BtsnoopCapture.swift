import Glibc

/// A live capture of the HCI traffic with a controller in `btsnoop` format: that of RFC 1761 with Bluetooth's
/// data link types. `btmon -r` and Wireshark read it.
///
/// The header is `btsnoop` and a zero byte, version 1, data link 1002 (H4). Each record has: the length,
/// twice; flags (bit 0: from the controller, bit 1: command or event); the number of packets dropped;
/// microseconds since the year 0; the packet with its H4 type byte. Numbers are big-endian.
///
/// Files and sockets have mode 0600, as a capture contains personal data.
package final class BtsnoopCapture {
  /// The file header: 16 bytes.
  static let header: [UInt8] = Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 0x03, 0xEA]
  /// Microseconds from the epoch of the format, the year 0, to 1970-01-01.
  static let yearZero: UInt64 = 0x00DC_DDB3_0F2F_8000
  /// The maximum number of concurrent readers of a socket.
  private static let mostReaders = 4

  private final class Reader {
    let file: FileDescriptor
    init(_ number: Int32) { file = FileDescriptor(number) }

    /// Whether the program has closed its end. Readers send nothing: their end is found by a read.
    var hasLeft: Bool {
      var byte: UInt8 = 0
      return recv(file.number, &byte, 1, Int32(MSG_DONTWAIT | MSG_PEEK)) == 0
    }
  }

  /// The file; `nil` for a socket, and when writing has failed.
  private var file: BtsnoopFile?
  /// The listening socket, if it is the destination.
  private let listener: FileDescriptor
  private var readers: [Reader] = []
  private let microseconds: () -> UInt64
  private let onFailure: (SystemFailure) -> Void

  /// Opens the destination. Records are appended to an existing capture, after its last complete record; a
  /// file in another format is not changed. When writing fails, the capture ends with a complete record, and
  /// `onFailure` is called with the reason.
  package convenience init(
    _ destination: CaptureDestination, onFailure: @escaping (SystemFailure) -> Void
  ) throws(SystemFailure) {
    try self.init(destination, onFailure: onFailure, microseconds: Self.now)
  }

  init(
    _ destination: CaptureDestination, onFailure: @escaping (SystemFailure) -> Void,
    microseconds: @escaping () -> UInt64
  ) throws(SystemFailure) {
    self.microseconds = microseconds
    self.onFailure = onFailure
    switch destination {
    case .file(let path):
      listener = .none
      file = try BtsnoopFile(path)
    case .socket(let path): listener = try Self.listen(path)
    }
  }

  /// The descriptor to wait for, until it is readable, before `acceptReaders` is called; -1 if there is none.
  package var descriptor: Int32 { listener.number }

  /// Records a packet that was sent or received, beginning with its H4 type byte.
  package func add(_ packet: Span<UInt8>, isReceived: Bool) {
    acceptReaders()
    guard !packet.isEmpty, file != nil || !readers.isEmpty else { return }
    let record = Self.record(packet, isReceived: isReceived, at: microseconds())
    // A client that does not keep up is disconnected, as a partial record would corrupt the rest.
    readers.removeAll { $0.file.write(record.span) != record.count }
    do throws(SystemFailure) { try file?.append(record) } catch {
      file = nil
      onFailure(error)
    }
  }

  /// A record as stored in the file.
  static func record(_ packet: Span<UInt8>, isReceived: Bool, at unixMicroseconds: UInt64) -> [UInt8] {
    var record: [UInt8] = []
    record.reserveCapacity(24 + packet.count)
    func append(_ number: UInt64, bytes: Int) {
      for shift in (0..<bytes).reversed() {
        record.append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(shift))))
      }
    }
    let isCommandOrEvent = packet[0] == 0x01 || packet[0] == 0x04
    append(UInt64(packet.count), bytes: 4)
    append(UInt64(packet.count), bytes: 4)
    append((isReceived ? 1 : 0) | (isCommandOrEvent ? 2 : 0), bytes: 4)
    append(0, bytes: 4)
    append(unixMicroseconds &+ yearZero, bytes: 8)
    for index in 0..<packet.count { record.append(packet[index]) }
    return record
  }

  /// Accepts the programs that connect to the socket, and sends each the header at once. A fifth one is
  /// disconnected without it.
  package func acceptReaders() {
    guard listener.isOpen else { return }
    while true {
      let number = accept(listener.number, nil, nil)
      guard number >= 0 else { return }
      _ = fcntl(number, F_SETFD, FD_CLOEXEC)
      let reader = Reader(number)
      reader.file.makeNonBlocking()
      readers.removeAll { $0.hasLeft }
      guard readers.count < Self.mostReaders, reader.file.write(Self.header.span) == Self.header.count else {
        continue
      }
      readers.append(reader)
    }
  }

  private static func listen(_ path: String) throws(SystemFailure) -> FileDescriptor {
    var state = stat()
    // A socket left by an earlier process.
    if lstat(path, &state) == 0, state.st_mode & S_IFMT == S_IFSOCK { unlink(path) }
    // Other users must not connect, from the socket's creation on.
    let mask = umask(0o177)
    defer { umask(mask) }
    return try StreamSocket.listen(on: StreamSocket.unix(path), called: "unix:\(path)")
  }

  private static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UInt64(clamping: time.tv_sec) &* 1_000_000 &+ UInt64(clamping: time.tv_nsec) / 1000
  }
}
