import Foundation
import HeraldEmbedded
import HeraldHAL
import HeraldHostLink
import TestInputs
import Testing

@testable import HeraldArchive

/// 2026-09-14T00:00:00Z, day 0 of the schedule of these tests.
private let epoch = KeyScheduleEpoch(unixSeconds: 1_789_344_000)

/// The payloads that a badge with a secret of one repeated byte sends, from the device's own supplier.
private struct SimpleSender: ~Copyable {
  private var supplier: SimplePayloadSupplier<InlineMatchingKeys<4>>

  init(secretOf byte: UInt8) throws {
    let secret = [UInt8](repeating: byte, count: 2048)
    var keys = [UInt8](repeating: 0, count: 32 * 4)
    var span = keys.mutableSpan
    try SimpleKeySchedule.deriveMatchingKeys(from: secret.span, first: 0, last: 3, into: &span)
    var store = InlineMatchingKeys<4>()
    try store.provide(firstDay: 0, keys: keys.span)
    supplier = SimplePayloadSupplier(store: store)
    supplier.configure(country: 826, state: 4, epoch: epoch)
  }

  /// The payload at a date.
  mutating func payload(at date: UInt64) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 21)
    var span = bytes.mutableSpan
    let count = supplier.payload(at: date / 1000, now: .start, into: &span)
    return Array(bytes.prefix(count))
  }
}

@Suite("Who is who: identifiers of the simple family")
struct PeopleSecretsTests {
  /// A folder with a secret of one repeated byte for each serial number.
  private func secrets(_ files: [String: UInt8], in folder: borrowing ContactsFolder, mode: mode_t = 0o600)
    throws -> String
  {
    let path = folder.path + "/secrets"
    try? FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    for (name, byte) in files {
      try Data(repeating: byte, count: 2048).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
      #expect(chmod("\(path)/\(name)", mode) == 0)
    }
    return path
  }

  /// A badge that receives another one for two hours, which has another identifier every six minutes and
  /// another address every twelve, and whose payload is read at each change.
  private func observer(_ serial: String, hears byte: UInt8, late: Double = 0) throws -> LoggingBadge {
    var sender = try SimpleSender(secretOf: byte)
    var badge = try LoggingBadge(serial, payload: fixedPayload(1))
    for period in 0..<20 {
      let begin = Double(period) * 360
      let address = UInt32(100 + period / 2)
      try badge.read(address, sender.payload(at: after(begin + 5)), at: after(begin + 5 + late))
      for window in 0..<12 {
        try badge.measure(address, -60, at: after(begin + Double(window) * 30 + 10 + late))
      }
    }
    return badge
  }

  @Test("All identifiers of a day in one pass are those of the published vectors")
  func identifiers() throws {
    let folder = try ContactsFolder()
    let secret = try SimpleSecret.read(try folder.write([UInt8](repeating: 0, count: 2048), to: "zero"))
    let days = try ContactIdentifiers(of: secret, days: 0...2000)
    var found: [Int: [UInt64]] = [:]
    days.forEach(day: 0) { period, high, low in found[period] = [high, low] }
    #expect(found.count == 240)
    #expect(found[0] == [0xE2CF_BEB3_2DE9_32C9, 0x171C_658B_5F57_A337])
    #expect(found[1] == [0xD7F8_EF99_2E35_091F, 0xED00_B9C4_7DCF_E398])
    #expect(found[239] == [0x8C9A_2275_9B2A_87FF, 0x41A9_391E_8D39_0F35])
    days.forEach(day: 2000) { period, high, low in
      if period == 239 { #expect([high, low] == [0xB9EE_C54C_D6B0_655D, 0xEDBE_B5D0_D778_B161]) }
    }
    days.forEach(day: 2001) { _, _, _ in Issue.record("there is no day 2001") }
    #expect(throws: HostLinkError.self) { _ = try ContactIdentifiers(of: secret, days: 0...2001) }
    #expect(throws: HostLinkError.self) { _ = try ContactIdentifiers(of: secret, days: -1...5) }
  }

  @Test("A payload of the simple family as numbers, and back")
  func payloadFields() throws {
    let bytes = [0x10, 0x3A, 0x03, 0x04, 0x00] + hexBytes("e2cfbeb32de932c9171c658b5f57a337")
    let identifier = try #require(SimpleIdentifier(payload: bytes))
    #expect(identifier.high == 0xE2CF_BEB3_2DE9_32C9 && identifier.low == 0x171C_658B_5F57_A337)
    #expect(identifier.payload == bytes)
    #expect(SimpleIdentifier(payload: bytes + [0]) == nil)
    #expect(SimpleIdentifier(payload: [0x11] + bytes.dropFirst()) == nil)
    #expect(SimpleIdentifier(payload: []) == nil)
    let table = SimpleIdentifierTable([identifier])
    #expect(table.payloads(identifier.high, identifier.low).count == 1)
    #expect(table.payloads(identifier.high, identifier.low &+ 1).isEmpty)
    #expect(table.payloads(0, 0).isEmpty && table.payloads(.max, .max).isEmpty)
  }

  @Test("Twenty identifiers of a badge without a log are one device, and with people.csv one person")
  func lostBadge() throws {
    let folder = try ContactsFolder()
    var one = try observer("A1", hears: 7)
    let archive = try Archive.of([try one.pull(into: folder)])
    // Without the secret: the two payloads of each address are joined, 12 minutes each.
    #expect(try archive.told().count == 10)
    let path = try secrets(["LOST7.secret": 7, "OTHER": 8], in: folder)
    let resolution = try archive.resolve(try SecretFolder(path: path), epochs: [epoch])
    #expect(resolution == Archive.Resolution(read: 20, resolved: 20, devices: 1, openToOthers: []))
    try archive.update()
    #expect(try archive.told() == ["device A1 + device LOST7: 7200 s, 7200/0"])
    #expect(try archive.unknownSerials() == [])
    try archive.label(
      try PeopleFile(Array("serial,name,role\nLOST7,Lea,patient\nA1,Anna,nurse\n".utf8), days: .utc))
    try archive.update()
    #expect(try archive.told() == ["person Anna + person Lea: 7200 s, 7200/0"])
    // A secret is needed once.
    #expect(try archive.unknownSerials() == [])
    let again = try archive.resolve(try SecretFolder(path: path), epochs: [epoch])
    #expect(again.resolved == 20)
    #expect(try archive.update().devices == 0)
  }

  @Test("The archive has neither secrets nor keys in it")
  func nothingKept() throws {
    let folder = try ContactsFolder()
    var one = try observer("A1", hears: 7)
    let file = folder.path + "/archive.sqlite"
    let archive = try Archive.open(file, create: true)
    _ = try archive.add(folders: [try one.pull(into: folder)])
    _ = try archive.resolve(try SecretFolder(path: try secrets(["S7": 7], in: folder)), epochs: [epoch])
    try archive.update()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    #expect(bytes.range(of: Data(repeating: 7, count: 16)) == nil)
    let secret = [UInt8](repeating: 7, count: 2048)
    var keys = [UInt8](repeating: 0, count: 64)
    var span = keys.mutableSpan
    try SimpleKeySchedule.deriveMatchingKeys(from: secret.span, first: 0, last: 1, into: &span)
    #expect(bytes.range(of: Data(keys[..<32])) == nil && bytes.range(of: Data(keys[32...])) == nil)
    // The identifiers of the two hours are there, as they were read, and no others.
    let rows = try archive.connection.rows(
      "SELECT serial, from_ms, to_ms FROM resolved_payload ORDER BY from_ms")
    #expect(rows.count == 20)
    #expect(
      rows[0].integer(1) == Int64(mondayMorning) && rows[0].integer(2) == Int64(mondayMorning) + 359_999)
  }

  @Test("Identifiers that are repeated hours later are nobody's; clocks may be wrong by two hours")
  func replay() throws {
    let folder = try ContactsFolder()
    let path = try secrets(["S7": 7], in: folder)
    // The identifiers of period p are sent until p + 360 s, and read 5 s after its begin plus the error.
    for (late, expected) in [(7200.0, 1), (7600.0, 20)] {
      let pulls = try ContactsFolder()
      var one = try observer("A1", hears: 7, late: late)
      let archive = try Archive.of([try one.pull(into: pulls)])
      _ = try archive.resolve(try SecretFolder(path: path), epochs: [epoch])
      try archive.update()
      #expect(try archive.told().count == expected, "\(late) s late")
    }
  }

  @Test("A log that claims an identifier of somebody else loses against the secret")
  func forgedClaim() throws {
    let folder = try ContactsFolder()
    var sender = try SimpleSender(secretOf: 7)
    var one = try observer("A1", hears: 7)
    var hostile = try LoggingBadge("X9", payload: sender.payload(at: after(5)))
    let folders = [try one.pull(into: folder), try hostile.pull(into: folder)]
    let archive = try Archive.of(folders)
    let before = try archive.told()
    #expect(before.contains("device A1 + device X9: 360 s, 360/0"), "\(before)")
    _ = try archive.resolve(try SecretFolder(path: try secrets(["S7": 7], in: folder)), epochs: [epoch])
    try archive.update()
    #expect(try archive.told() == ["device A1 + device S7: 7200 s, 7200/0"])
  }

  @Test("Another epoch, or the secret of another device, explains nothing")
  func otherSecrets() throws {
    let folder = try ContactsFolder()
    var one = try observer("A1", hears: 7)
    let archive = try Archive.of([try one.pull(into: folder)])
    let wrong = try archive.resolve(
      try SecretFolder(path: try secrets(["S8": 8], in: folder)), epochs: [epoch])
    #expect(wrong.read == 20 && wrong.resolved == 0 && wrong.devices == 0)
    let right = try SecretFolder(path: try secrets(["S7": 7], in: folder))
    #expect(try archive.resolve(right, epochs: [.phones]).resolved == 0)
    #expect(try archive.resolve(right, epochs: [.phones, epoch]).resolved == 20)
  }

  @Test("A secret that was stored with the name of another device moves with it")
  func renamed() throws {
    let folder = try ContactsFolder()
    var one = try observer("A1", hears: 7)
    let archive = try Archive.of([try one.pull(into: folder)])
    for name in ["WRONG", "RIGHT"] {
      _ = try archive.resolve(try SecretFolder(path: try secrets([name: 7], in: folder)), epochs: [epoch])
      try archive.update()
      #expect(try archive.told() == ["device A1 + device \(name): 7200 s, 7200/0"])
    }
  }

  @Test("A serial number with characters that no file name has")
  func escapedSerial() throws {
    let folder = try ContactsFolder()
    var one = try observer("A1", hears: 7)
    let archive = try Archive.of([try one.pull(into: folder)], people: "serial,name\nW/7,Wim\n")
    _ = try archive.resolve(
      try SecretFolder(path: try secrets(["W%2f7.secret": 7], in: folder)), epochs: [epoch])
    try archive.update()
    #expect(try archive.told() == ["person Wim + device A1: 7200 s, 0/7200"])
  }

  @Test("Folders of secrets that cannot be")
  func badFolders() throws {
    let folder = try ContactsFolder()
    var one = try observer("A1", hears: 7)
    let archive = try Archive.of([try one.pull(into: folder)])
    func what(_ path: String) -> String {
      do throws(HostLinkError) {
        _ = try archive.resolve(try SecretFolder(path: path), epochs: [epoch])
        return ""
      } catch { return error.what }
    }
    #expect(what(folder.path + "/none").hasSuffix("cannot be read"))
    let path = try secrets(["S7": 7, "S8": 7], in: folder)
    #expect(what(path) == "S7 and S8 have the same secret: nobody can say whose an identifier is")
    _ = try secrets(["S7": 7, "S7.secret": 8], in: folder)
    #expect(what(path).hasSuffix("has two secrets of S7"))
    _ = try secrets([:], in: folder)
    #expect(what(path).hasSuffix("has 0 secrets"))
    for size in [0, 2047, 2049, 4096] {
      _ = try secrets([:], in: folder)
      try Data(repeating: 1, count: size).write(to: URL(fileURLWithPath: path + "/S7"))
      #expect(what(path).hasSuffix("S7 is no secret: it has not exactly 2048 bytes"))
    }
    // Hidden files and folders are none; a file for everybody is used, and named.
    let open = try secrets(["S7": 7, ".hidden": 1], in: folder, mode: 0o644)
    try FileManager.default.createDirectory(atPath: open + "/old", withIntermediateDirectories: false)
    #expect(try archive.resolve(try SecretFolder(path: open), epochs: [epoch]).openToOthers == [open + "/S7"])
  }
}

@Suite("Distances by a calibration that the operator names")
struct ContactsCalibrationTests {
  private func calibration(_ text: String) -> DistanceCalibration? {
    try? DistanceCalibration(text, file: "calibration.yaml")
  }

  @Test("Log-distance and linear models")
  func models() throws {
    let log = try #require(calibration("name: ward\nmodel: log\noffset: 40\nslope: 2\nerror: 0.9\n"))
    // 10^((60 − 40) / 20) = 10 m; 40 dB: 1 m; 20 dB: 0.1 m.
    #expect(log.distance(attenuation: 60) == 10 && log.distance(attenuation: 40) == 1)
    #expect(abs(log.distance(attenuation: 20) - 0.1) < 1e-12)
    #expect(log.distance(attenuation: 126) == 1000)
    let linear = try #require(calibration("name: lab\nmodel: linear\noffset: -2\nslope: 0.05\nerror: 0.8\n"))
    #expect(linear.distance(attenuation: 60) == 1 && linear.distance(attenuation: 20) == 0)
  }

  @Test(
    "A calibration without its error, or with another field missing or wrong, is refused",
    arguments: [
      "name: x\nmodel: log\noffset: 40\nslope: 2\n", "name: x\nmodel: log\noffset: 40\nslope: 2\nerror: 0\n",
      "name: x\nmodel: cubic\noffset: 40\nslope: 2\nerror: 1\n",
      "model: log\noffset: 40\nslope: 2\nerror: 1\n",
      "name: x\nmodel: log\noffset: 40\nslope: 0\nerror: 1\n",
      "name: x\nmodel: log\noffset: nan\nslope: 2\nerror: 1\n",
      "name: x\nmodel: log\noffset: 40\nslope: 2\nerror: 1\nunit: feet\n", "", "- 1\n", "name: [",
    ])
  func refused(text: String) { #expect(calibration(text) == nil) }
}
