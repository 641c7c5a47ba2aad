import HeraldEmbedded

// Group 72: the log on its way to a host's disk, and off the device then.

extension HeraldManagement {
  /// `{"seq", "off"?, "len"?}` → `{"data"}`: the log from that byte on as if its pages were one, as much as was asked for, is there, and
  /// fits. It ends where the newest page ends, and before a page that cannot be read.
  ///
  /// Of a packet of 1,024 bytes 1,007 are the log's: a host that asks for several at a time needs no more than one byte in thirty for asking.
  static func stream<Device: ManagedDevice & ~Copyable>(
    _ request: SMPRequest, in buffer: inout MutableSpan<UInt8>, device: inout Device
  ) -> SMPOutcome {
    guard let place = LogPlace(request, in: buffer), var sequence = place.sequence else {
      return .failure(SMPFailure(.invalid))
    }
    guard var readable = device.logReadableBytes(sequence: sequence), readable >= 0 else {
      return .failure(.pageGone)
    }
    guard place.offset <= readable else { return .failure(.beyondPage) }
    var writer = CBORWriter(buffer._mutatingExtracting(0...), from: SMPHeader.size)
    writer.map(1)
    writer.text(SMPKey.data)
    let headStart = writer.count
    let room = min(writer.remaining, 0xFFFF &- headStart)
    let headSize = CBORWriter.headSize(UInt32(clamping: room))
    let isFull = writer.overflowed
    guard !isFull, room >= headSize else { return .failure(SMPFailure(.tooLong)) }
    // How much there is, and so how long its head is, is not known before it has been read: it is read behind a head for all there is room for.
    let start = headStart &+ headSize
    let wanted = min(place.length, room &- headSize)
    var offset = place.offset
    var count = 0
    while count < wanted {
      let piece = min(wanted &- count, readable &- offset)
      if piece > 0 {
        var data = buffer._mutatingExtracting((start &+ count)..<(start &+ count &+ piece))
        guard device.readLog(sequence: sequence, offset: offset, into: &data) == piece else {
          guard count > 0 else { return .failure(.logUnreadable) }
          break
        }
        count &+= piece
        offset &+= piece
      }
      guard count < wanted, sequence < UInt32.max,
        let next = device.logReadableBytes(sequence: sequence &+ 1), next >= 0
      else { break }
      // A page that is not the newest is as long as all of them are.
      sequence &+= 1
      readable = next
      offset = 0
    }
    var head = CBORWriter(buffer._mutatingExtracting(0...), from: headStart)
    head.byteStringHead(count)
    let end = head.count
    guard end < start else { return .success(end &+ count) }
    var moved = 0
    while moved < count {
      buffer[end &+ moved] = buffer[start &+ moved]
      moved &+= 1
    }
    return .success(end &+ count)
  }

  /// `{"epoch", "seq"}` → `{"first", "to"}`: a host has every page up to and including `seq` on its disk; they are erased by and by.
  static func acknowledge<Device: ManagedDevice & ~Copyable>(
    _ request: SMPRequest, in buffer: inout MutableSpan<UInt8>, device: inout Device
  ) -> SMPOutcome {
    guard let place = LogPlace(request, in: buffer), let sequence = place.sequence, let epoch = place.epoch
    else { return .failure(SMPFailure(.invalid)) }
    let status = device.logStatus()
    guard epoch == status.epoch else { return .failure(.otherEpoch) }
    guard device.acknowledgeLog(through: sequence) else { return .failure(.beyondPage) }
    var writer = CBORWriter(buffer._mutatingExtracting(0...), from: SMPHeader.size)
    writer.map(2)
    writer.text(SMPKey.first)
    writer.unsigned(status.oldest)
    writer.text(SMPKey.through)
    writer.unsigned(sequence)
    return writer.outcome
  }
}
