import HeraldHAL

extension ATTRequest {
  /// Prepare Write (Vol 3, Part F, 3.4.6.1): queued, and echoed. Handle and permission are checked now,
  /// offset and length when it is executed.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func prepareWrite<Values: AttributeValues & ~Copyable, let queues: Int>(
    _ prepared: inout [queues of PreparedWriteQueue], _ now: Instant, _ values: inout Values
  ) -> ATTErrorCode {
    guard count >= 5 else { return malformed() }
    let handle = subject
    guard let record = database.record(handle) else { return .invalidHandle }
    guard record.flags.contains(.write) else { return .writeNotPermitted }
    var queues = prepared.mutableSpan
    let isNew = !state.isPreparing
    let index = isNew ? queues.vacantQueue(at: now, for: connection, &values) : queues.queue(of: connection)
    guard index < queues.count else { return .prepareQueueFull }
    if isNew {
      if let former = queues[unchecked: index].owner { values.cancelPrepared(on: former) }
      queues[unchecked: index] = PreparedWriteQueue(of: connection, for: handle, at: now)
    }
    // Locals, because the bytes borrow the whole request.
    let (connection, offset) = (connection, buffer.u16(at: 3))
    let isQueued = queues[unchecked: index].append(
      buffer.span.extracting(unchecked: Range(uncheckedBounds: (5, count))), of: handle, at: offset, now,
      connection,
      &values)
    if isQueued {
      state.isPreparing = true
      length = count
      return .none
    }
    if isNew { queues[unchecked: index] = PreparedWriteQueue() }
    return .prepareQueueFull
  }

  /// Execute Write (3.4.6.3): the value that is queued, which has to start at offset 0 and whose parts follow
  /// without gap; or drops it.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func executeWrite<Values: AttributeValues & ~Copyable, let queues: Int>(
    _ prepared: inout [queues of PreparedWriteQueue], _ values: inout Values
  ) -> ATTErrorCode {
    guard count == 2, buffer[unchecked: 1] <= 1 else { return malformed() }
    subject = 0
    let isWanted = buffer[unchecked: 1] == 1
    let wasPreparing = state.isPreparing
    state.isPreparing = false
    var queues = prepared.mutableSpan
    let index = queues.queue(of: connection)
    if index < queues.count {
      let queue = queues[unchecked: index]
      queues[unchecked: index] = PreparedWriteQueue()
      let code = isWanted ? execute(queue, &values) : nil
      values.cancelPrepared(on: connection)
      if let code {
        subject = queue.handle
        return code
      }
    } else if wasPreparing, isWanted {
      // It took so long that the queue was assigned to another connection.
      return .unlikelyError
    }
    return .none
  }

  @inline(__always)
  @_lifetime(self: copy self)
  mutating func execute<Values: AttributeValues & ~Copyable>(
    _ queue: PreparedWriteQueue, _ values: inout Values
  ) -> ATTErrorCode? {
    guard let record = database.record(queue.handle) else { return .invalidHandle }
    if queue.hasGap { return .invalidOffset }
    let refusal = record.refusal(count: Int(queue.count), first: queue.first)
    if refusal != .none { return refusal }
    if record.flags.contains(.configuration) {
      state.configure(slot: Int(record.tag), ClientConfiguration(rawValue: queue.first & 3))
      return nil
    }
    return values.writePrepared(record.attributeTag, on: connection)
  }
}
