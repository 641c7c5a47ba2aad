import HeraldHAL

extension GATTClient {
  /// Writes the request to send now into `buffer`, sets the deadline, and returns its length; 0 if there is
  /// none to send. `mtu` is the connection's ATT_MTU (`ATTServer.mtu`), and `buffer` has room for it; `value`
  /// is the whole value of a `write`, the same bytes at each call and as many as announced, and is ignored by
  /// the other procedures.
  public mutating func nextRequest(
    into buffer: inout MutableSpan<UInt8>, mtu: Int, value: Span<UInt8>, at now: Instant
  ) -> Int {
    let limit = min(mtu, buffer.count)
    guard step != .idle, !isWaiting, limit >= ATTLimits.defaultMTU else { return 0 }
    if step == .write || step == .prepare, value.count != Int(length) { return 0 }
    if step == .write, value.count > limit &- 3 { step = .prepare }
    isWaiting = true
    waitingUntil = now + Interval(milliseconds: stepTimeout)
    switch step {
    case .idle: return 0
    case .exchangeMTU:
      buffer.start(.exchangeMTURequest, length, 0, 0)
      return 3
    case .findService:
      buffer.start(.findByTypeValueRequest, handle, last, AttributeType.primaryService)
      if isShort {
        buffer.setU16(UInt16(truncatingIfNeeded: uuid.low.low32), at: 7)
        return 9
      }
      buffer.set(uuid, at: 7)
      return 23
    case .readCharacteristics:
      buffer.start(.readByTypeRequest, handle, last, AttributeType.characteristic)
      return 7
    case .read:
      buffer.start(.readRequest, handle, 0, 0)
      return 3
    case .readBlob:
      buffer.start(.readBlobRequest, handle, offset, 0)
      return 5
    case .write:
      buffer.start(.writeRequest, handle, 0, 0)
      buffer.set(value, at: 3)
      return 3 &+ value.count
    case .prepare:
      let start = Int(offset)
      let end = min(start &+ limit &- 5, value.count)
      buffer.start(.prepareWriteRequest, handle, offset, 0)
      // `offset` is inside: behind the last part the queue is executed.
      let bytes = value.extracting(unchecked: Range(uncheckedBounds: (start, end)))
      buffer.set(bytes, at: 5)
      part = UInt16(truncatingIfNeeded: bytes.count)
      digest = bytes.digest
      return 5 &+ end &- start
    case .execute, .cancelPrepared:
      buffer[unchecked: 0] = ATTOpcode.executeWriteRequest.rawValue
      buffer[unchecked: 1] = step == .execute ? 1 : 0
      return 2
    case .findConfiguration:
      buffer.start(.findInformationRequest, handle, last, 0)
      return 5
    case .configure:
      buffer.start(.writeRequest, handle, UInt16(configuration), 0)
      return 5
    }
  }
}

extension MutableSpan where Element == UInt8 {
  /// Writes an opcode and three fields of two bytes; the caller's length says how many of them count. There
  /// must be room.
  @inline(never)
  @_lifetime(self: copy self)
  fileprivate mutating func start(
    _ opcode: ATTOpcode, _ first: UInt16, _ second: UInt16, _ third: UInt16
  ) {
    self[unchecked: 0] = opcode.rawValue
    setU16(first, at: 1)
    setU16(second, at: 3)
    setU16(third, at: 5)
  }

  /// Sixteen bytes in on-air order. There must be room.
  @_lifetime(self: copy self)
  fileprivate mutating func set(_ uuid: UUID128, at offset: Int) {
    var low = uuid.low
    var high = uuid.high
    var index = 0
    while index < 8 {
      self[unchecked: offset &+ index] = UInt8(truncatingIfNeeded: low.low32)
      self[unchecked: offset &+ 8 &+ index] = UInt8(truncatingIfNeeded: high.low32)
      low = low &>> 8
      high = high &>> 8
      index &+= 1
    }
  }
}

extension Span where Element == UInt8 {
  /// A hash of 32 bits (FNV-1a), to compare bytes: different bytes have the same hash in one case in four
  /// thousand million.
  var digest: UInt32 {
    var digest: UInt32 = 0x811C_9DC5
    for index in 0..<count { digest = (digest ^ UInt32(self[unchecked: index])) &* 0x0100_0193 }
    return digest
  }
}
