import Glibc
import HeraldHAL

/// The device side of the packet interface, version 1, of a 2.4 GHz phy (Tests/Air/README.md): messages over
/// two FIFOs. A message is a 32-bit header, a packed little-endian structure, and bytes.
final class PhyInterface {
  /// The headers of requests.
  enum Request: UInt32 {
    case wait = 0x01
    case transmit = 0x02
    case receive = 0x11
    case receiveOn = 0x12
    case stopReceiving = 0x13
    case newAbort = 0x15
    case leave = 0xFFFF
  }

  /// The headers of responses.
  enum Response: UInt32 {
    case waited = 0x81
    case transmitted = 0x100
    case recheck = 0x101
    case addressFound = 0x102
    case received = 0x103
    case ended = 0xFFFF
  }

  /// The result of a reception, or its state when the access address has been received.
  struct Reception {
    /// 1 received, 2 and 3 damaged, 4 no access address, 5 in progress.
    let status: UInt16
    /// The number of bytes of the packet.
    let count: Int
    /// The time of the last bit of the access address.
    let stamp: Int
    /// The current time.
    let now: Int
    /// RSSI in dBm.
    let rssi: Int8
  }

  /// Why no response was received.
  enum Failure: Error {
    /// The simulation has ended.
    case ended
    /// The phy sent another response than the requested one.
    case unexpected(Response)
  }

  /// A time that is never reached.
  static let never = UInt64.max

  private let address: PhyAddress
  private let folder: String
  private let paths: [String]
  private let source: FileDescriptor
  private let sink: FileDescriptor
  private var output: [UInt8] = []
  private var input = [UInt8](repeating: 0, count: 4096)
  private var inputStart = 0
  private var inputEnd = 0

  /// Creates the FIFOs if they are missing, and blocks until the phy has opened them. SIGPIPE is ignored from
  /// then on: it would end the process when the phy ends.
  init(_ address: PhyAddress) throws(SystemFailure) {
    let folder = try Self.folder(address)
    self.folder = folder
    paths = ["ptd", "dtp"].map { "\(folder)/2G4.d\(address.device).\($0)" }
    for path in paths where mkfifo(path, 0o770) != 0 && errno != EEXIST {
      throw SystemFailure("make", path, code: errno)
    }
    signal(SIGPIPE, SIG_IGN)
    // The phy opens them in the same order.
    source = FileDescriptor(open(paths[0], O_RDONLY | O_CLOEXEC))
    guard source.isOpen else { throw SystemFailure("open", paths[0], code: errno) }
    sink = FileDescriptor(open(paths[1], O_WRONLY | O_CLOEXEC))
    guard sink.isOpen else { throw SystemFailure("open", paths[1], code: errno) }
    self.address = address
  }

  /// The folder of a simulation, which is created if it is missing.
  static func folder(_ address: PhyAddress) throws(SystemFailure) -> String {
    guard let entry = getpwuid(geteuid()), let name = entry.pointee.pw_name else {
      throw SystemFailure("find", "the name of the user", reason: "the system has none for this process")
    }
    let parent = "/tmp/bs_\(String(cString: name))"
    let folder = "\(parent)/\(address.simulation)"
    for path in [parent, folder] where mkdir(path, 0o770) != 0 && errno != EEXIST {
      throw SystemFailure("make", path, code: errno)
    }
    return folder
  }

  /// Removes the FIFOs, and their folder if no other device uses it.
  func remove() {
    for path in paths { unlink(path) }
    rmdir(folder)
  }

  // Requests.

  /// Waits until a time.
  func wait(until time: Int) throws(Failure) {
    begin(.wait)
    put(UInt64(time))
    try send()
  }

  /// Transmits a PDU with its CRC.
  func transmit(
    _ packet: [UInt8], from start: Int, to end: Int, recheck: Int, accessAddress: UInt32, channel: UInt8
  ) throws(Failure) {
    begin(.transmit)
    put(UInt64(start))
    put(UInt64(end))
    put(Self.never)
    put(UInt64(recheck))
    put(accessAddress)
    put(Self.oneMegabit)
    put(Self.frequency(channel))
    // 0 dBm.
    put(Int16(0))
    put(UInt16(packet.count))
    output += packet
    try send()
  }

  /// Receives the first packet whose access address is complete `window` microseconds after `start`.
  func receive(
    from start: Int, window: UInt32, recheck: Int, accessAddress: UInt32, channel: UInt8
  ) throws(Failure) {
    begin(.receive)
    put(UInt64(start))
    put(window)
    put(accessAddress)
    put(Self.oneMegabit)
    put(Self.frequency(channel))
    // Antenna gain in dB · 256; permitted bit errors in the access address and in the header; duration of
    // preamble and access address, and of the header, in microseconds; bit rate.
    put(Int16(0))
    put(UInt16(2))
    put(UInt16(0))
    put(UInt16(40))
    put(UInt16(16))
    put(UInt32(1_000_000))
    put(Self.never)
    put(UInt64(recheck))
    try send()
  }

  /// Answers `addressFound`: the packet is to be received to its end, or not.
  func goOn(_ isWanted: Bool) throws(Failure) {
    begin(isWanted ? .receiveOn : .stopReceiving)
    try send()
  }

  /// Answers `recheck`: the operation is aborted at `abort`, and asked for again at `recheck`.
  func recheck(abort: UInt64, next recheck: UInt64) throws(Failure) {
    begin(.newAbort)
    put(abort)
    put(recheck)
    try send()
  }

  /// Leaves the simulation.
  func leave() {
    begin(.leave)
    _ = try? send()
  }

  // Responses.

  /// The header of the next response.
  func response() throws(Failure) -> Response {
    guard let response = Response(rawValue: try take(UInt32.self)), response != .ended else { throw .ended }
    return response
  }

  /// Reads the header of the next response, which has to be `expected`.
  func expect(_ expected: Response) throws(Failure) {
    let response = try response()
    guard response == expected else { throw .unexpected(response) }
  }

  /// The time at which a transmission has ended.
  func transmissionEnd() throws(Failure) -> Int { try Int(clamping: take(UInt64.self)) }

  /// The structure of `addressFound` and `received`.
  func reception() throws(Failure) -> Reception {
    let status = try take(UInt16.self)
    let count = try Int(take(UInt16.self))
    let stamp = try Int(clamping: take(UInt64.self))
    let now = try Int(clamping: take(UInt64.self))
    let rssi = try Int8(clamping: take(Int32.self) >> 16)
    return Reception(status: status, count: count, stamp: stamp, now: now, rssi: rssi)
  }

  /// The next bytes.
  func bytes(_ count: Int) throws(Failure) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(count)
    while result.count < count { try result.append(byte()) }
    return result
  }
}

// Bytes of messages.
extension PhyInterface {
  /// The modulation: 1 Mbit/s.
  private static let oneMegabit: UInt16 = 0x10

  /// The frequency of a channel index: MHz over 2400 · 256.
  private static func frequency(_ channel: UInt8) -> Int16 {
    Int16(truncatingIfNeeded: RadioOperation.frequency(ofChannel: channel) << 8)
  }

  private func begin(_ request: Request) {
    output.removeAll(keepingCapacity: true)
    put(request.rawValue)
  }

  private func put<Value: FixedWidthInteger>(_ value: Value) {
    withUnsafeBytes(of: value.littleEndian) { output += $0 }
  }

  private func send() throws(Failure) {
    var sent = 0
    while sent < output.count {
      let count = sink.write(output.span.extracting(sent...))
      guard count > 0 else { throw .ended }
      sent += count
    }
  }

  private func byte() throws(Failure) -> UInt8 {
    if inputStart == inputEnd {
      var buffer = input.mutableSpan
      let count = source.read(into: &buffer)
      guard count > 0 else { throw .ended }
      inputStart = 0
      inputEnd = count
    }
    inputStart += 1
    return input[inputStart - 1]
  }

  private func take<Value: FixedWidthInteger>(_: Value.Type) throws(Failure) -> Value {
    var value: Value = 0
    for index in 0..<MemoryLayout<Value>.size {
      value |= try Value(truncatingIfNeeded: byte()) << (8 * index)
    }
    return value
  }
}
