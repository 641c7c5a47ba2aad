import HeraldBluetooth
import HeraldEmbedded
import TestInputs
import Testing

/// One line per attribute: handle, type and value or tag, as a person would list the table.
private func listing<Table: GATTTable>(_ table: Table.Type) -> [String] { listing(Table.database) }

private func listing(_ database: GATTDatabase) -> [String] {
  var lines: [String] = []
  for index in 0..<database.attributes.count {
    let record = database.attributes[index]
    let isLong = record.flags.contains(.longType)
    let type =
      isLong ? text(database.bytes, Int(record.type), 16) : String(record.type, radix: 16).uppercased()
    let access =
      (record.flags.contains(.read) ? "r" : "") + (record.flags.contains(.write) ? "w" : "")
      + (record.flags.contains(.writeCommand) ? "c" : "")
    let value =
      record.flags.contains(.dynamic)
      ? "tag \(record.tag) longest \(record.valueLength)"
      : record.flags.contains(.configuration)
        ? "configuration \(record.tag) allowing \(record.valueOffset)"
        : text(database.bytes, Int(record.valueOffset), Int(record.valueLength))
    lines.append("\(index + 1) \(type) \(access) \(value)")
  }
  return lines
}

private func text(_ bytes: Span<UInt8>, _ start: Int, _ count: Int) -> String {
  (start..<start + count).map { index in
    let digits = String(bytes[index], radix: 16).uppercased()
    return digits.count == 1 ? "0" + digits : digits
  }.joined()
}

private let service = "9BFD5BD672451E80D3424647AF328142"
private let payload = "E733898FE34321A12948058FF8C0983E"
private let signal = "111A82809AE024837A432E0913B817F6"
private let otherSignal = "63432DB0ADA4F38A9A4AE4EAF2D5B00E"

private let legacy = "B25B7D1781F4A3BCF2421EB1104703D1"
private let openTrace = "A8310BEF679488A8944750C58642BAA6"

private let standard = [
  "1 2800 r 0018", "2 2803 r 020300002A", "3 2A00 r tag 4 longest 0", "4 2803 r 020500012A", "5 2A01 r 0000",
  "6 2800 r 0118", "7 2800 r 0A18", "8 2803 r 020900292A", "9 2A29 r tag 7 longest 0",
  "10 2803 r 020B00242A", "11 2A24 r tag 5 longest 0",
]
private let longService = [
  "12 2800 r \(service)", "13 2803 r 080E00\(signal)", "14 \(signal) w tag 2 longest 512",
  "15 2803 r 021000\(payload)", "16 \(payload) r tag 1 longest 0",
]

@Suite("Herald GATT table")
struct HeraldGATTTableTests {
  @Test(
    "HP-33 HP-34 HP-35 Both services as primary services, each with signal and payload, beside the standard ones"
  )
  func both() {
    #expect(
      listing(HeraldGATTTable.self)
        == standard + longService + [
          "17 2800 r F6FC", "18 2803 r 081300\(signal)", "19 \(signal) w tag 2 longest 512",
          "20 2803 r 021500\(payload)", "21 \(payload) r tag 1 longest 0",
        ])
  }

  @Test("HP-36 With both signal characteristics the other one is written and notified")
  func bothSignals() {
    #expect(
      listing(HeraldBothSignalsGATTTable.self)
        == standard + [
          "12 2800 r \(service)", "13 2803 r 080E00\(signal)", "14 \(signal) w tag 2 longest 512",
          "15 2803 r 181000\(otherSignal)", "16 \(otherSignal) w tag 3 longest 512",
          "17 2902 rw configuration 0 allowing 1", "18 2803 r 021300\(payload)",
          "19 \(payload) r tag 1 longest 0",
        ])
  }

  @Test("HP-08 The payload that is notified has a client configuration behind it")
  func notifying() {
    #expect(
      listing(HeraldNotifyingGATTTable.self)
        == standard + [
          "12 2800 r \(service)", "13 2803 r 080E00\(signal)", "14 \(signal) w tag 2 longest 512",
          "15 2803 r 121000\(payload)", "16 \(payload) r tag 1 longest 0",
          "17 2902 rw configuration 0 allowing 1",
        ])
  }

  @Test("HP-38 HP-39 A legacy payload stands in the Herald service, and in a legacy service beside it")
  func legacyService() {
    #expect(
      listing(HeraldLegacyGATTTable.self)
        == standard + [
          "12 2800 r \(service)", "13 2803 r 080E00\(signal)", "14 \(signal) w tag 2 longest 512",
          "15 2803 r 0A1000\(legacy)", "16 \(legacy) rw tag 15 longest 512",
          "17 2803 r 021200\(payload)", "18 \(payload) r tag 1 longest 0",
          "19 2800 r \(openTrace)", "20 2803 r 0A1500\(legacy)", "21 \(legacy) rw tag 15 longest 512",
        ])
  }

  @Test("The table with the management link is Herald's, handle for handle, with SMP behind it")
  func managed() {
    let lines = listing(HeraldGATTTable.managed)
    #expect(Array(lines.prefix(21)) == listing(HeraldGATTTable.self))
    #expect(
      Array(lines.dropFirst(21)) == [
        "22 2800 r 84AA6074528A8B86D34CB71D1DDC538D",
        "23 2803 r 141800487C997411269EAE014ECEFB28782EDA",
        "24 487C997411269EAE014ECEFB28782EDA c tag 8 longest 512",
        "25 2902 rw configuration 6 allowing 1",
      ])
  }

  @Test("None of the tables has a fault")
  func faults() {
    let faults = [
      HeraldGATTTable.database.firstFault(), HeraldBothSignalsGATTTable.database.firstFault(),
      HeraldNotifyingGATTTable.database.firstFault(), HeraldLegacyGATTTable.database.firstFault(),
    ]
    #expect(faults == [nil, nil, nil, nil])
  }

  @Test("HP-33 HP-34 HP-35 HP-36 The UUIDs in text order")
  func uuids() {
    #expect(HeraldUUIDs.service == UUID128.onAir(service))
    #expect(HeraldUUIDs.payload == UUID128.onAir(payload))
    #expect(HeraldUUIDs.compliantSignal == UUID128.onAir(signal))
    #expect(HeraldUUIDs.otherSignal == UUID128.onAir(otherSignal))
    // 428132af-4746-42d3-801e-4572d65bfd9b and the others, read from the most significant end
    #expect(HeraldUUIDs.service.high == 0x428132af474642d3)
    #expect(HeraldUUIDs.service.low == 0x801e4572d65bfd9b)
    #expect(HeraldUUIDs.payload.high == 0x3e98c0f88f054829)
    #expect(HeraldUUIDs.payload.low == 0xa12143e38f8933e7)
    #expect(HeraldUUIDs.compliantSignal.high == 0xf617b813092e437a)
    #expect(HeraldUUIDs.compliantSignal.low == 0x8324e09a80821a11)
    #expect(HeraldUUIDs.otherSignal.high == 0x0eb0d5f2eae44a9a)
    #expect(HeraldUUIDs.otherSignal.low == 0x8af3a4adb02d4363)
    #expect(HeraldUUIDs.shortService.rawValue == 0xFCF6)
  }
}
