import HeraldCrypto
import HeraldDeviceLink
import HeraldEmbedded

@testable import HeraldHostLink

/// A device that answers SMP packets from a list of pages, and can misbehave in each way a test names.
/// Written for the tests alone: it shares no code with the firmware's server.
final class FakeDevice {
  enum Fault: Equatable {
    case none
    /// Never answers log reads.
    case silent
    /// Answers everything twice.
    case twice
    /// Leaves the first attempt at every log read unanswered.
    case deafOnce
    /// Answers with data that goes beyond what was asked for.
    case tooMuch
    /// Answers with the bytes of another place.
    case wrongOffset
    /// Answers with no data.
    case noData
    /// Page 2 is damaged, in another way each time.
    case changingPage
    /// Page 2 is damaged, and always was.
    case damagedPage
    /// Does not know the stream.
    case oldFirmware
    /// Answers for another page.
    case wrongSequence
    /// Bodies are not CBOR.
    case garbage
    /// A bit of page 2 is wrong.
    case corruptPage
    /// Page 2 is refused with an error of version 1.
    case refusePage
    /// Answers carry a sequence number nobody asked with.
    case foreignSequence
  }

  static let epoch: UInt32 = 0xE90C_0001
  /// The epoch of its log: one of 256, as each erasure begins another.
  private(set) var epoch = FakeDevice.epoch
  static let pageSize = 256

  var fault = Fault.none
  /// Most bytes of data in a response.
  var chunk = 100
  /// What it says its packets' size is; 0 for nothing.
  var buffer = 0
  var first: UInt32 = 1
  /// How many pages it says there is room for; 0 for nothing.
  var capacity = 0
  /// How many pages it says it has overwritten; `nil` for nothing.
  var overwrittenPages: Int?
  /// The last one is open.
  var pages: [UInt32: [UInt8]] = [:]
  var unix: UInt64?
  /// Whether a debugger reads its memory; `nil`: it does not say.
  var isDebugPortOpen: Bool?
  /// Log reads asked for, in order.
  private(set) var reads: [(sequence: UInt32, offset: Int)] = []
  /// How many bytes of the log were answered.
  private(set) var bytesRead = 0
  /// The pages that a host showed to have.
  private(set) var acknowledged: [UInt32] = []
  /// The newest page that it has overwritten since it told where its log stands.
  var overwritten: UInt32 = 0
  /// How often it was asked to commit its log.
  private(set) var commits = 0
  /// Whether it has the digests of pages.
  var tellsDigests = false
  /// The pages of which it told them.
  private(set) var digests: [UInt32] = []
  private var heard: Set<String> = []
  private var answers = 0

  init(pages count: UInt32, openBytes: Int = 60) {
    for sequence in 1...count {
      pages[sequence] = Self.page(sequence, count: sequence == count ? openBytes : Self.pageSize)
    }
  }

  /// A page of the tests: its number, a pattern, and behind every three bytes their sum, so that each
  /// beginning can be checked, too. A page that ends in EE is damaged.
  static func page(_ sequence: UInt32, count: Int, salt: UInt32 = 0) -> [UInt8] {
    var bytes = (0..<count).map { UInt8(truncatingIfNeeded: UInt32($0) &* 7 &+ sequence &+ salt) }
    bytes[0] = UInt8(truncatingIfNeeded: sequence)
    for end in stride(from: 3, to: count, by: 4) { bytes[end] = bytes[end - 3..<end].reduce(0, &+) }
    return bytes
  }

  static func inspect(_ bytes: [UInt8], epoch: UInt32, sequence: UInt32) -> PageInspection {
    if bytes.last == 0xEE { return .damaged("ends in EE") }
    let isGood =
      epoch &>> 8 == Self.epoch &>> 8 && bytes[0] == UInt8(truncatingIfNeeded: sequence)
      && stride(from: 3, to: bytes.count, by: 4).allSatisfy { bytes[$0] == bytes[$0 - 3..<$0].reduce(0, &+) }
    return isGood ? .good : .wrong("has a wrong sum")
  }

  var last: UInt32 { pages.keys.max() ?? 0 }

  /// Its last page has `count` bytes, more than before; with `pages`, is full, and that many follow it.
  func grow(pages further: UInt32, openBytes count: Int) {
    let (old, new) = (last, last + further)
    for sequence in old...new {
      pages[sequence] = Self.page(
        sequence, count: sequence == new ? count : Self.pageSize, salt: epoch &- Self.epoch)
    }
  }

  /// Its log is erased, and begins anew with a page of `count` bytes.
  func erase(openBytes count: Int) {
    epoch += 1
    pages = [1: Self.page(1, count: count, salt: epoch &- Self.epoch)]
  }

  /// The responses to one packet, in order.
  func answer(_ packet: [UInt8]) -> [[UInt8]] {
    let content = Array(packet.dropFirst(8))
    guard packet.count >= 8, let body = CBORValue.decode(content.span) else { return [] }
    let group = UInt16(packet[4]) << 8 | UInt16(packet[5])
    var reply: [UInt8]?
    switch (group, packet[7]) {
    case (72, 0):
      if packet[0] & 7 == 2 { commits += 1 }
      reply = status()
    case (72, 8) where fault != .oldFirmware: reply = stream(body)
    case (72, 4): reply = acknowledge(body)
    case (8, 2) where tellsDigests: reply = digest(body)
    case (0, 6) where buffer > 0:
      reply = Self.map([("buf_size", UInt64(buffer)), ("buf_count", 2)], data: nil)
    case (2, 0) where capacity > 0:
      var fields = [("capacity", UInt64(capacity))]
      if let overwrittenPages { fields.append(("overwritten_pages", UInt64(overwrittenPages))) }
      let counters = Self.map(fields, data: nil)
      reply = [0xA1, 0x66] + Array("fields".utf8) + counters
    case (0, 7): reply = [0xA1, 0x66] + Array("output".utf8) + [0x64] + Array("fake".utf8)
    default: reply = [0xA1, 0x62] + Array("rc".utf8) + [0x08]
    }
    guard var reply else { return [] }
    answers += 1
    if fault == .garbage, group == 72, packet[7] == 8 { reply = [0xFF, 0x00, 0x9F] }
    var header = Array(packet[..<8])
    header[0] = packet[0] + 1
    header[2] = UInt8(reply.count >> 8)
    header[3] = UInt8(reply.count & 0xFF)
    if fault == .foreignSequence { header[6] &+= 100 }
    return fault == .twice ? [header + reply, header + reply] : [header + reply]
  }

  private func status() -> [UInt8] {
    var fields: [(String, UInt64)] = [
      ("epoch", UInt64(epoch)), ("first", UInt64(first)), ("last", UInt64(last)),
      ("open", UInt64(pages[last]?.count ?? 0)), ("page", UInt64(Self.pageSize)), ("boot", 3), ("now", 5000),
    ]
    if let unix { fields.append(("unix", unix)) }
    var bytes = Self.map(fields, data: nil)
    guard let isDebugPortOpen else { return bytes }
    bytes[0] += 1
    return bytes + [0x64] + Array("port".utf8) + [isDebugPortOpen ? 0xF5 : 0xF4]
  }

  private func stream(_ body: CBORValue) -> [UInt8]? {
    guard var sequence = body["seq"]?.number32, let start = body["off"]?.number32 else {
      return [0xA1, 0x62] + Array("rc".utf8) + [0x03]
    }
    reads.append((sequence, Int(start)))
    if fault == .silent { return nil }
    if fault == .deafOnce, heard.insert("\(sequence) \(start)").inserted { return nil }
    if fault == .refusePage, sequence == 2 { return [0xA1, 0x62] + Array("rc".utf8) + [0x01] }
    guard let page = pages[sequence], sequence >= first else { return Self.failure(2) }
    var offset = Int(start)
    guard offset <= page.count else { return Self.failure(3) }
    let wanted = min(body["len"]?.number32.map(Int.init) ?? Int.max, chunk)
    if fault == .wrongOffset, offset > 0 { offset -= 1 }
    if fault == .wrongSequence { sequence = sequence == 1 ? 2 : sequence - 1 }
    var data: [UInt8] = []
    while data.count < wanted, let page = pages[sequence], sequence >= first {
      data += content(sequence, page)[min(offset, page.count)...].prefix(wanted - data.count)
      sequence += 1
      offset = 0
    }
    answers += 1
    if fault == .tooMuch { data += [UInt8](repeating: 1, count: 300) }
    if fault == .noData { data = [] }
    bytesRead += data.count
    return Self.map([], data: data)
  }

  private func content(_ sequence: UInt32, _ page: [UInt8]) -> [UInt8] {
    guard sequence == 2 else { return page }
    var page = page
    if fault == .corruptPage { page[40] ^= 0x10 }
    if fault == .changingPage { page[41] = UInt8(truncatingIfNeeded: answers) }
    if fault == .changingPage || fault == .damagedPage { page[page.count - 1] = 0xEE }
    return page
  }

  /// Pages one by one, the oldest first, with their digests.
  private func acknowledge(_ body: CBORValue) -> [UInt8] {
    guard let sequence = body["seq"]?.number32, let named = body["epoch"]?.number32,
      let digest = body["digest"]?.byteString, digest.count == 32
    else { return [0xA1, 0x62] + Array("rc".utf8) + [0x03] }
    guard named == epoch else { return Self.failure(4) }
    let done = max(first - 1, overwritten, acknowledged.max() ?? 0)
    if sequence > done {
      guard sequence == done + 1, sequence < last, let page = pages[sequence] else { return Self.failure(3) }
      guard digest.span.equalsInConstantTime(SHA256.digest(of: content(sequence, page).span).span) else {
        return Self.failure(13)
      }
    }
    acknowledged.append(sequence)
    return Self.map([("first", UInt64(first)), ("to", UInt64(sequence))], data: nil)
  }

  private func digest(_ body: CBORValue) -> [UInt8]? {
    guard let name = body["name"]?.string, body["type"]?.string == "sha256",
      let page = PageName(fileName: String(name.dropFirst(5))), let bytes = pages[page.sequence]
    else { return [0xA1, 0x62] + Array("rc".utf8) + [0x05] }
    digests.append(page.sequence)
    let digest = SHA256.digest(of: content(page.sequence, bytes).span)
    return [0xA1, 0x66] + Array("output".utf8) + [0x58, 32] + digest.indices.map { digest[$0] }
  }

  private static func failure(_ code: UInt8) -> [UInt8] {
    [0xA1, 0x63] + Array("err".utf8) + [0xA2, 0x65] + Array("group".utf8) + [0x18, 72, 0x62]
      + Array("rc".utf8) + [code]
  }

  private static func map(_ fields: [(String, UInt64)], data: [UInt8]?) -> [UInt8] {
    var bytes = [0xA0 + UInt8(fields.count + (data == nil ? 0 : 1))]
    for (key, value) in fields {
      bytes += [0x60 + UInt8(key.utf8.count)] + Array(key.utf8)
      // Always the longest form, which a reader has to take too.
      bytes += [0x1B] + (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * UInt64($0))) }
    }
    if let data {
      bytes += [0x64] + Array("data".utf8) + [0x59, UInt8(data.count >> 8), UInt8(data.count & 0xFF)] + data
    }
    return bytes
  }
}

/// Leads straight to a function, without a line; can be cut after so many packets.
final class DirectTransport: SMPTransport {
  let location = "test"
  let window: Int
  let damagedPackets = 0
  private(set) var sent: [[UInt8]] = []
  private(set) var mostWaiting = 0
  var cutAfter = Int.max
  private let answer: ([UInt8]) -> [[UInt8]]
  private var waiting: [[UInt8]] = []

  init(window: Int = 4, _ answer: @escaping ([UInt8]) -> [[UInt8]]) {
    self.window = window
    self.answer = answer
  }

  func send(_ packet: [UInt8], by deadline: Deadline) throws(HostLinkError) {
    guard sent.count < cutAfter else { throw HostLinkError(.link, "cut") }
    sent.append(packet)
    waiting += answer(packet)
    mostWaiting = max(mostWaiting, waiting.count)
  }

  func receive(by deadline: Deadline) throws(HostLinkError) -> [UInt8]? {
    waiting.isEmpty ? nil : waiting.removeFirst()
  }

  func close() {}
}
