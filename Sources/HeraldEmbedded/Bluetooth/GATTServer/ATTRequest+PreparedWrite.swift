extension ATTRequest {
  /// Prepare Write (Vol 3, Part F, 3.4.6.1): queued, and echoed. Handle and permission are looked at now, offset and length
  /// when it is executed.
  @usableFromInline
  @_lifetime(self: copy self)
  mutating func prepareWrite(_ queues: inout MutableSpan<PreparedWriteQueue>, _ now: Instant) -> Int {
    guard count >= 5 else { return refuse(0, .invalidPDU) }
    let handle = buffer.u16(at: 1)
    if let code = refusal(handle, .write) { return refuse(handle, code) }
    let index = queues.queue(of: connection, isNew: !state.isPreparing, at: now)
    guard index < queues.count else { return refuse(handle, .prepareQueueFull) }
    state.isPreparing = true
    let offset = buffer.u16(at: 3)
    let isQueued = queues[unchecked: index].append(
      buffer.span.extracting(unchecked: Range(uncheckedBounds: (5, count))), handle: handle, offset: offset,
      at: now)
    return isQueued ? answer(count) : refuse(handle, .prepareQueueFull)
  }

  /// Execute Write (3.4.6.3): all that is queued, in order, or none of it if the table can tell that one cannot be; or
  /// drops it. A value starts at offset 0 and its parts follow without gap.
  @inlinable
  @_lifetime(self: copy self)
  mutating func executeWrite<Values: AttributeValues & ~Copyable>(
    _ queues: inout MutableSpan<PreparedWriteQueue>, _ values: inout Values
  ) -> Int {
    guard count == 2, buffer[unchecked: 1] <= 1 else { return refuse(0, .invalidPDU) }
    let isWanted = buffer[unchecked: 1] == 1
    let wasPreparing = state.isPreparing
    state.isPreparing = false
    let index = queues.queue(of: connection)
    if index < queues.count {
      let failure = isWanted ? execute(&queues[unchecked: index], &values) : nil
      queues[unchecked: index].release()
      if let failure { return refuse(failure.handle, failure.code) }
    } else if wasPreparing, isWanted {
      // It took so long that another connection got the queue.
      return refuse(0, .unlikelyError)
    }
    return answer(1)
  }

  @inlinable
  @_lifetime(self: copy self)
  mutating func execute<Values: AttributeValues & ~Copyable>(
    _ queue: inout PreparedWriteQueue, _ values: inout Values
  ) -> PreparedWriteFailure? {
    if let failure = check(&queue) { return failure }
    var place = 0
    while let write = queue.write(at: place) {
      place = write.end
      let refusal = database.accept(
        write.handle, queue.value(of: write), withResponse: true, &state, connection, &values)
      if let refusal { return PreparedWriteFailure(handle: write.handle, code: refusal) }
    }
    return nil
  }

  /// The first write in the queue that cannot be executed.
  @usableFromInline
  @_lifetime(self: copy self)
  mutating func check(_ queue: inout PreparedWriteQueue) -> PreparedWriteFailure? {
    var place = 0
    while let write = queue.write(at: place) {
      place = write.end
      guard let record = database.record(write.handle) else { continue }
      if write.offset != 0 { return PreparedWriteFailure(handle: write.handle, code: .invalidOffset) }
      if let refusal = record.refusal(queue.value(of: write)) {
        return PreparedWriteFailure(handle: write.handle, code: refusal)
      }
    }
    return nil
  }
}

/// Which prepared write could not be executed, and why.
@usableFromInline
struct PreparedWriteFailure: BitwiseCopyable {
  /// The attribute.
  @usableFromInline let handle: UInt16
  /// The reason.
  @usableFromInline let code: ATTErrorCode

  @usableFromInline
  init(handle: UInt16, code: ATTErrorCode) {
    self.handle = handle
    self.code = code
  }
}
