import HeraldHostLink
import HeraldImages
import HeraldText

/// A line that carries bytes to a boot loader and back.
protocol SerialLine: AnyObject {
  /// Writes all of `bytes`; throws `.link` if the line is closed or does not accept them before `deadline`.
  func write(_ bytes: [UInt8], by deadline: Deadline) throws(HostLinkError)
  /// Up to `limit` bytes, as soon as there is one; empty if none arrives before `deadline`. Throws `.link`
  /// when the other end has closed.
  func read(upTo limit: Int, by deadline: Deadline) throws(HostLinkError) -> [UInt8]
  /// Closes the line. Safe to call twice.
  func close()
}

extension ByteStream: SerialLine {}

/// Why a request to a boot loader failed.
enum DFUError: Error, Equatable {
  /// The line failed, or a response is invalid.
  case link(HostLinkError)
  /// The boot loader's response: a result other than 1, and the further one that goes with 0x0B.
  case refused(request: UInt8, result: UInt8, extended: UInt8?)
}

/// Requests to Nordic's boot loader over a serial line, and its responses (nRF5 SDK 17, "DFU protocol",
/// "Serial transport"). Numbers are little-endian.
final class DFULink {
  /// The two kinds of objects: an init packet, and a piece of the application.
  enum Object: UInt8 {
    case command = 1
    case data = 2
  }

  /// The received part of an object.
  struct Progress: Equatable {
    let offset: UInt32
    let checksum: UInt32
  }

  private enum Request {
    static let create: UInt8 = 0x01
    static let notifications: UInt8 = 0x02
    static let checksum: UInt8 = 0x03
    static let execute: UInt8 = 0x04
    static let select: UInt8 = 0x06
    static let unit: UInt8 = 0x07
    static let write: UInt8 = 0x08
    static let hardware: UInt8 = 0x0A
    static let firmware: UInt8 = 0x0B
    static let response: UInt8 = 0x60
  }

  private let line: any SerialLine
  private let name: String
  private let timeout: Duration
  private var decoder = SLIPDecoder()
  private var unread: ArraySlice<UInt8> = []
  /// The most bytes of a write.
  private(set) var writeSize = 32

  /// Over an open line; `timeout`: how long a response may take.
  init(_ line: any SerialLine, name: String, timeout: Duration) {
    self.line = line
    self.name = name
    self.timeout = timeout
  }

  /// Turns off receipts, which are not required over USB, and requests the maximum frame length.
  func begin() throws(DFUError) {
    _ = try ask(Request.notifications, [0, 0])
    let answer = try ask(Request.unit)
    guard answer.count >= 2 else { throw violation(answer) }
    // In the worst case every byte is escaped; one is the request's number.
    writeSize = max(1, (number(answer, 0, 2) - 1) / 2 - 1)
  }

  /// The chip, as FICR's INFO.PART has it; `nil` if the boot loader does not report it.
  func hardwarePart() throws(DFUError) -> UInt32? {
    guard let answer = try optional(Request.hardware), answer.count >= 4 else { return nil }
    return UInt32(number(answer, 0, 4))
  }

  /// What is on the chip: kind (0 SoftDevice, 1 application, 2 boot loader) and version; empty if the boot
  /// loader does not report it.
  func firmwares() throws(DFUError) -> [(kind: UInt8, version: UInt32)] {
    var found: [(kind: UInt8, version: UInt32)] = []
    for index in 0..<3 as Range<UInt8> {
      guard let answer = try optional(Request.firmware, [index]), answer.count >= 13 else { break }
      found.append((answer[0], UInt32(number(answer, 1, 4))))
    }
    return found
  }

  private func optional(_ request: UInt8, _ body: [UInt8] = []) throws(DFUError) -> [UInt8]? {
    do {
      return try ask(request, body)
    } catch .refused {
      return nil
    }
  }

  /// Selects an object: its maximum size, and its received part.
  func select(_ object: Object) throws(DFUError) -> (most: Int, Progress) {
    let answer = try ask(Request.select, [object.rawValue])
    guard answer.count >= 12, number(answer, 0, 4) > 0 else { throw violation(answer) }
    return (number(answer, 0, 4), progress(answer, 4))
  }

  /// Begins an object of `size` bytes.
  func create(_ object: Object, size: Int) throws(DFUError) {
    var body = [object.rawValue]
    body.append(littleEndian: UInt32(clamping: size))
    _ = try ask(Request.create, body)
  }

  /// Appends to the object; there is no response.
  func write(_ bytes: ArraySlice<UInt8>) throws(DFUError) { try send([Request.write] + bytes) }

  /// The length and checksum of the received part.
  func checksum() throws(DFUError) -> Progress {
    let answer = try ask(Request.checksum)
    guard answer.count >= 8 else { throw violation(answer) }
    return progress(answer, 0)
  }

  /// Executes the object: the init packet is checked, or the piece written.
  func execute() throws(DFUError) { _ = try ask(Request.execute) }

  /// Closes the line.
  func close() { line.close() }

  // MARK: Frames

  private func send(_ frame: [UInt8]) throws(DFUError) {
    do throws(HostLinkError) {
      try line.write(SLIP.encode(frame), by: .after(timeout))
    } catch {
      throw .link(error)
    }
  }

  /// Sends a request and returns what its response holds. Responses to other requests are late ones, and are
  /// skipped.
  private func ask(_ request: UInt8, _ body: [UInt8] = []) throws(DFUError) -> [UInt8] {
    try send([request] + body)
    let deadline = Deadline.after(timeout)
    while true {
      let frame = try nextFrame(by: deadline)
      guard frame.count >= 3, frame[0] == Request.response, frame[1] == request else { continue }
      guard frame[2] == 1 else {
        throw .refused(request: request, result: frame[2], extended: frame.count > 3 ? frame[3] : nil)
      }
      return Array(frame[3...])
    }
  }

  private func nextFrame(by deadline: Deadline) throws(DFUError) -> [UInt8] {
    do throws(HostLinkError) {
      while true {
        while let byte = unread.popFirst() {
          if let frame = decoder.take(byte) { return frame }
        }
        unread = try line.read(upTo: 4096, by: deadline)[...]
        if unread.isEmpty {
          throw HostLinkError(
            .noAnswer, "\(name) does not answer as Nordic's boot loader",
            advice: "press the board's reset button, so that the boot loader runs, then run the command again"
          )
        }
      }
    } catch {
      throw .link(error)
    }
  }

  private func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int {
    (0..<count).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
  }

  private func progress(_ bytes: [UInt8], _ offset: Int) -> Progress {
    Progress(offset: UInt32(number(bytes, offset, 4)), checksum: UInt32(number(bytes, offset + 4, 4)))
  }

  private func violation(_ answer: [UInt8]) -> DFUError {
    .link(
      HostLinkError(
        .protocolViolation, "\(name) sent an answer that is none (\(answer.prefix(16).hexadecimal))",
        advice: "unplug the board, plug it in and run the command again"))
  }
}
