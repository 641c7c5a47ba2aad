extension GATTDatabase {
  /// Copies an attribute's value from `offset` on to `start` of `buffer`, `room` bytes at most, which must be inside; the
  /// length of the whole value, 0…512, or why it cannot be read. Permission is the caller's to check.
  @inlinable
  func value<Values: AttributeValues & ~Copyable>(
    _ record: AttributeRecord, from offset: Int, to start: Int, room: Int,
    of buffer: inout MutableSpan<UInt8>,
    _ state: ATTConnectionState, _ connection: ConnectionID, _ values: inout Values
  ) -> AttributeRead {
    guard record.flags.contains(.dynamic) else {
      return .length(fixedValue(record, from: offset, to: start, room: room, of: &buffer, state))
    }
    var slot = buffer._mutatingExtracting(Range(uncheckedBounds: (start, start &+ room)))
    switch values.read(record.attributeTag, offset: offset, into: &slot, on: connection) {
    case .length(let length): return .length(max(0, min(length, ATTLimits.longestValue)))
    case .failed(let code): return .failed(code)
    }
  }

  /// The same for constants and configurations.
  @usableFromInline
  func fixedValue(
    _ record: AttributeRecord, from offset: Int, to start: Int, room: Int,
    of buffer: inout MutableSpan<UInt8>,
    _ state: ATTConnectionState
  ) -> Int {
    if record.flags.contains(.configuration) {
      let configuration = state.configuration(slot: Int(record.tag)).rawValue
      if offset < 1, room > 0 { buffer[unchecked: start] = configuration }
      if offset < 2, room > 1 &- offset { buffer[unchecked: start &+ 1 &- offset] = 0 }
      return 2
    }
    let value = constant(record)
    if offset < value.count {
      let end = min(value.count, offset &+ room)
      buffer.set(value.extracting(unchecked: Range(uncheckedBounds: (offset, end))), at: start)
    }
    return value.count
  }
}

extension AttributeRecord {
  /// What a dynamic attribute means.
  @inlinable var attributeTag: AttributeTag { AttributeTag(rawValue: tag) }
}
