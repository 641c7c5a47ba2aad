extension ATTRequest {
  /// Copies an attribute's value from `offset` on to `start` of the response, `room` bytes at most, which
  /// must be inside; the length of the whole value, 0…512, or the error.
  @inline(never)
  @_lifetime(self: copy self)
  mutating func value<Values: AttributeValues & ~Copyable>(
    of handle: UInt16, from offset: Int, to start: Int, room: Int, _ values: inout Values
  ) -> AttributeRead {
    guard let record = database.record(handle) else { return .failed(.invalidHandle) }
    guard record.flags.contains(.read) else { return .failed(.readNotPermitted) }
    guard record.flags.contains(.dynamic) else {
      return .length(fixedValue(record, from: offset, to: start, room: room))
    }
    let connection = connection
    var slot = buffer._mutatingExtracting(Range(uncheckedBounds: (start, start &+ room)))
    switch values.read(record.attributeTag, offset: offset, into: &slot, on: connection) {
    case .length(let length): return .length(max(0, min(length, ATTLimits.longestValue)))
    case .failed(let code): return .failed(code)
    }
  }

  /// The same for constants and configurations.
  @_lifetime(self: copy self)
  mutating func fixedValue(_ record: AttributeRecord, from offset: Int, to start: Int, room: Int) -> Int {
    if record.flags.contains(.configuration) {
      let configuration = state.configuration(slot: Int(record.tag)).rawValue
      if offset < 1, room > 0 { buffer[unchecked: start] = configuration }
      if offset < 2, room > 1 &- offset { buffer[unchecked: start &+ 1 &- offset] = 0 }
      return 2
    }
    let value = database.constant(record)
    if offset < value.count {
      let end = min(value.count, offset &+ room)
      buffer.set(value.extracting(unchecked: Range(uncheckedBounds: (offset, end))), at: start)
    }
    return value.count
  }
}

extension AttributeRecord {
  /// The meaning of a dynamic attribute.
  var attributeTag: AttributeTag { AttributeTag(rawValue: tag) }

  /// The error if a value of `count` bytes, of which `first` is the first, is invalid for this attribute
  /// whatever its meaning; `none` if it is not.
  func refusal(count: Int, first: UInt8) -> ATTErrorCode {
    if flags.contains(.configuration) {
      guard count == 2 else { return .invalidAttributeValueLength }
      // Bits beyond the two are reserved and ignored.
      let asked = UInt16(first & 3)
      return asked & ~valueOffset == 0 ? .none : .improperlyConfigured
    }
    guard flags.contains(.dynamic) else { return .writeNotPermitted }
    return count <= Int(valueLength) ? .none : .invalidAttributeValueLength
  }
}
