import HeraldBluetooth
import HeraldEmbedded
import Testing

@Suite("GATT tables")
struct GATTTableTests {
  @Test("The tables in use have no faults")
  func sound() {
    #expect(SmallTable.database.firstFault() == nil)
    #expect(LargeTable.database.firstFault() == nil)
    #expect(HeraldGATTTable.database.firstFault() == nil)
  }

  @Test("A record is eight bytes")
  func size() { #expect(MemoryLayout<AttributeRecord>.stride == 8) }

  /// The fault of a table over eight bytes: a characteristic (properties 1A, value at handle 3, type 2A00)
  /// behind A00B.
  private func fault(_ attributes: [AttributeRecord]) -> GATTFault? {
    let bytes: [UInt8] = [0x0B, 0xA0, 0x1A, 0x03, 0x00, 0x00, 0x2A, 0x00]
    return GATTDatabase(attributes: attributes.span, bytes: bytes.span).firstFault()
  }

  @Test("Each mistake is named, with its handle")
  func faults() {
    let service = AttributeRecord.primaryService(at: 0, 2)
    let characteristic = AttributeRecord.characteristic(at: 2, 5)
    let value = AttributeRecord.value(0x2A00, AttributeRecord.Flags.read.union(.write), tag: .name)
    let configuration = AttributeRecord.configuration(slot: 0, allowing: .notifications)
    #expect(fault([service, characteristic, value, configuration]) == nil)

    #expect(fault([]) == .count)
    #expect(fault([characteristic]) == .noService(1))
    #expect(fault([service, .constant(0x2901, at: 7, 2)]) == .outside(2))
    #expect(fault([service, .value(typeAt: 0, .read, tag: .name)]) == .outside(2))
    #expect(fault([service, .value(0x2A00, .write, longest: 513, tag: .name)]) == .outside(2))
    #expect(fault([.primaryService(at: 0, 3)]) == .declaration(1))
    #expect(fault([service, .characteristic(at: 2, 4)]) == .declaration(2))
    #expect(fault([service, characteristic]) == .value(2))
    #expect(fault([service, service, characteristic, value]) == .value(3))
    #expect(fault([service, characteristic, .value(0x2A01, .read, tag: .name)]) == .value(2))
    #expect(fault([service, characteristic, .value(0x2A00, .read, tag: .name)]) == .properties(2))
    #expect(fault([service, characteristic, value, configuration, configuration]) == .configuration(5))
    #expect(
      fault([service, characteristic, value, .configuration(slot: 8, allowing: .notifications)])
        == .configuration(4))
    #expect(
      fault([service, characteristic, value, .configuration(slot: 0, allowing: .both)]) == .configuration(4))
    #expect(fault([service, configuration]) == .configuration(2))
  }
}
