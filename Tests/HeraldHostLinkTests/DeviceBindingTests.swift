import Foundation
import Testing

@testable import HeraldHostLink

@Suite("The device that a folder is bound to")
struct DeviceBindingTests {
  private func record(_ serial: String, _ id: String?) -> DeviceRecord {
    var record = DeviceRecord()
    record.serial = serial
    record.id = id
    return record
  }

  private func complaint(_ record: DeviceRecord, _ serial: String, _ id: String?, rebinds: Bool = false)
    -> HostLinkError?
  {
    record.complaint(serial: serial, id: id, folder: "logs", rebinds: rebinds, isInSession: true)
  }

  @Test("a folder whose log came in sessions takes none from a device that shows its log without a key")
  func session() {
    var bound = record("A1", "230c01cfc95e0b2b")
    func complaint(_ isInSession: Bool, rebinds: Bool = false) -> HostLinkError? {
      bound.complaint(
        serial: "A1", id: "230c01cfc95e0b2b", folder: "logs", rebinds: rebinds, isInSession: isInSession)
    }
    #expect(complaint(false) == nil)
    bound.note(proved: [1], epoch: 7)
    #expect(complaint(true) == nil && complaint(false, rebinds: true) == nil)
    #expect(complaint(false)?.cause == .notProved)
    #expect(
      complaint(false)?.what
        == "logs holds a log that came from device A1 with its access key, and now it shows its log without one"
    )
    #expect(complaint(false)?.advice?.contains("--key-file") == true)
  }

  @Test("two devices with the same serial number do not share a folder")
  func identifier() {
    let bound = record("A1", "230c01cfc95e0b2b")
    #expect(complaint(bound, "A1", "230c01cfc95e0b2b") == nil)
    let other = complaint(bound, "A1", "ffffffffffffffff")
    #expect(
      other?.what
        == "logs holds the log of another device with the same serial number: its identifier is 230c01cfc95e0b2b, that of device A1 is ffffffffffffffff"
    )
    #expect(other?.advice?.contains("--output") == true && other?.advice?.contains("--rebind") == true)
    #expect(other?.cause == .usage)
    #expect(complaint(bound, "A1", "ffffffffffffffff", rebinds: true) == nil)
    // Who keeps silent about the identifier is no way around it.
    #expect(complaint(bound, "A1", nil)?.what.contains("tells none") == true)
    #expect(complaint(bound, "", "ffffffffffffffff") != nil)
    // Another serial number is another device whatever is said.
    #expect(complaint(bound, "B2", "230c01cfc95e0b2b", rebinds: true) != nil)
  }

  @Test("a folder without an identifier takes the next one, and one of before is read")
  func older() throws {
    #expect(complaint(record("A1", nil), "A1", "230c01cfc95e0b2b") == nil)
    #expect(complaint(record("", nil), "A1", nil) == nil)
    let text = """
      {"clocks": [], "epochs": [7], "format": 1, "name": "n", "serial": "A1", "system": "s", "version": "v"}
      """
    let read = try JSONDecoder().decode(DeviceRecord.self, from: Data(text.utf8))
    #expect(read.id == nil && read.serial == "A1" && read.epochs == [7])
  }

  @Test("the identifier of a log status has 8 bytes, not all zero")
  func status() {
    func identifier(_ value: CBORValue?) -> [UInt8]? {
      var fields: [CBORValue.Entry] = [
        "epoch", "first", "last", "open", "page", "boot", "now",
      ].map { CBORValue.Entry(key: $0, value: .unsigned(1)) }
      if let value { fields.append(CBORValue.Entry(key: "id", value: value)) }
      return DeviceLogStatus(.map(fields))?.identifier
    }
    #expect(identifier(.bytes([1, 2, 3, 4, 5, 6, 7, 8])) == [1, 2, 3, 4, 5, 6, 7, 8])
    #expect(identifier(nil) == nil)
    #expect(identifier(.bytes([UInt8](repeating: 0, count: 8))) == nil)
    #expect(identifier(.bytes([1, 2, 3])) == nil)
    #expect(identifier(.unsigned(5)) == nil)
  }
}
