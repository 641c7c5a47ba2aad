/// A mistake in a table, with the handle of the attribute that has it.
public enum GATTFault: Equatable, BitwiseCopyable, Sendable {
  /// The table has no attributes, or more than there are handles.
  case count
  /// The first attribute is not a service.
  case noService(UInt16)
  /// A value or a 128-bit type is outside the blob, or a value is longer than 512 bytes.
  case outside(UInt16)
  /// A service's UUID does not have 2 or 16 bytes, or a characteristic's declaration does not have 5 or 19.
  case declaration(UInt16)
  /// A characteristic is not followed by its value: the handle it names is another, or the value's type is
  /// not the one it names.
  case value(UInt16)
  /// A characteristic's value does not permit what the declared properties offer, or permits more.
  case properties(UInt16)
  /// A client characteristic configuration has a slot above 7 or the slot of another, or its characteristic's
  /// properties differ.
  case configuration(UInt16)
}

extension GATTDatabase {
  /// The first mistake in the table, for the test of a table: at run time a faulty table is safe, but serves
  /// wrong values.
  public func firstFault() -> GATTFault? {
    guard attributes.count > 0, attributes.count < 0xFFFF else { return .count }
    guard isService(attributes[0]) else { return .noService(1) }
    var slots: UInt8 = 0
    var offered = ClientConfiguration.none
    for index in 0..<attributes.count {
      let record = attributes[index]
      let handle = UInt16(truncatingIfNeeded: index &+ 1)
      guard isInside(record) else { return .outside(handle) }
      if isService(record) {
        guard record.valueLength == 2 || record.valueLength == 16 else { return .declaration(handle) }
        offered = .none
      } else if record.type == AttributeType.characteristic, !record.flags.contains(.longType) {
        if let fault = characteristicFault(record, handle) { return fault }
        offered = ClientConfiguration(rawValue: constant(record)[0] &>> 4 & 3)
      } else if record.flags.contains(.configuration) {
        guard record.tag < 8, slots & (1 &<< record.tag) == 0, UInt16(offered.rawValue) == record.valueOffset
        else { return .configuration(handle) }
        slots |= 1 &<< record.tag
      }
    }
    return nil
  }

  private func isService(_ record: AttributeRecord) -> Bool {
    !record.flags.contains(.longType)
      && (record.type == AttributeType.primaryService || record.type == AttributeType.secondaryService)
  }

  private func isInside(_ record: AttributeRecord) -> Bool {
    if record.flags.contains(.longType), longType(record).isEmpty { return false }
    guard Int(record.valueLength) <= ATTLimits.longestValue else { return false }
    return record.flags.rawValue & 0x30 != 0 || constant(record).count == Int(record.valueLength)
  }

  private func characteristicFault(_ record: AttributeRecord, _ handle: UInt16) -> GATTFault? {
    let declaration = constant(record)
    guard declaration.count == 5 || declaration.count == 19 else { return .declaration(handle) }
    guard let value = self.record(handle &+ 1), declaration.u16(at: 1) == handle &+ 1 else {
      return .value(handle)
    }
    let uuid = declaration.extracting(3..<declaration.count)
    if uuid.count == 2 {
      guard !value.flags.contains(.longType), value.type == uuid.u16(at: 0) else { return .value(handle) }
    } else {
      guard value.flags.contains(.longType), UUID128(onAir: longType(value)) == UUID128(onAir: uuid) else {
        return .value(handle)
      }
    }
    let properties = declaration[0]
    let isTrue =
      value.flags.contains(.read) == (properties & 0x02 != 0)
      && value.flags.contains(.writeCommand) == (properties & 0x04 != 0)
      && value.flags.contains(.write) == (properties & 0x08 != 0)
    return isTrue ? nil : .properties(handle)
  }
}
