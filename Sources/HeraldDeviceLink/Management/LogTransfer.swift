import HeraldEmbedded
import HeraldHAL

// Group 72: transfer of the log to a host, and its acknowledgement.

extension HeraldManagement {
  /// The range of the log that a request reads, and the available length. Offset and length are bounded by
  /// 2³¹ − 1: no page is as long.
  private struct Position: BitwiseCopyable {
    var sequence: UInt32
    var offset: Int
    /// How many bytes are requested; by default all that are available.
    var length: Int
    /// How many bytes of the page can be read.
    var readable: Int
  }

  @inline(never)
  private static func position<Device: ManagedDevice & ~Copyable>(
    _ request: inout SMPRequest, device: inout Device
  ) -> Result<Position, SMPFailure> {
    guard request.read(needed: SMPKeys(.sequence), optional: .logPosition) else {
      return .failure(SMPFailure(.invalid))
    }
    let sequence = request.said.sequence
    guard let readable = device.logReadableBytes(sequence: sequence), readable >= 0 else {
      return .failure(.pageGone)
    }
    let offset = Int(clamping: request.said.offset)
    guard offset <= readable else { return .failure(.beyondPage) }
    let length = request.said.has(.length) ? Int(clamping: request.said.length) : Int.max
    return .success(Position(sequence: sequence, offset: offset, length: length, readable: readable))
  }

  /// `{"seq", "off"?, "len"?}` → `{"seq", "off", "len", "data"}`. The data is read from the flash into its
  /// position in the packet.
  static func read<Device: ManagedDevice & ~Copyable>(
    _ request: inout SMPRequest, device: inout Device
  ) -> SMPOutcome {
    let position: Position
    switch Self.position(&request, device: &device) {
    case .success(let found): position = found
    case .failure(let failure): return .failure(failure)
    }
    request.answer.map(4)
    request.answer.field(.sequence, position.sequence)
    request.answer.field(.offset, UInt32(clamping: position.offset))
    request.answer.field(.length, UInt32(clamping: position.readable))
    request.answer.key(.data)
    let room = request.answer.stringRoom
    guard room >= 0 else { return .failure(.tooLong) }
    let count = min(position.length, min(position.readable &- position.offset, room))
    request.answer.byteStringHead(count)
    var data = request.answer.space(count)
    guard device.readLog(sequence: position.sequence, offset: position.offset, into: &data) == count else {
      return .failure(.logUnreadable)
    }
    return .answered
  }

  /// `{"seq", "off"?, "len"?}` → `{"data"}`: the log from that byte on as if its pages were one, as much as
  /// was requested, is available, and fits. It ends where the newest page ends, and before a page that cannot
  /// be read.
  ///
  /// Of a packet of 1,024 bytes 1,007 are the log's: for a host that requests several at a time requests take
  /// at most one byte in thirty.
  static func stream<Device: ManagedDevice & ~Copyable>(
    _ request: inout SMPRequest, device: inout Device
  ) -> SMPOutcome {
    var position: Position
    switch Self.position(&request, device: &device) {
    case .success(let found): position = found
    case .failure(let failure): return .failure(failure)
    }
    request.answer.map(of: .data)
    let room = min(request.answer.remaining, 0xFFFF &- request.answer.count)
    let headSize = CBORWriter.headSize(UInt32(clamping: room))
    guard room >= headSize else { return .failure(.tooLong) }
    // How much there is, and so how long its head is, is not known before it has been read: it is read behind
    // a head for all there is room for.
    let start = request.answer.count &+ headSize
    let wanted = min(position.length, room &- headSize)
    var count = 0
    while count < wanted {
      let piece = min(wanted &- count, position.readable &- position.offset)
      if piece > 0 {
        var data = request.answer.writer.part((start &+ count)..<(start &+ count &+ piece))
        guard device.readLog(sequence: position.sequence, offset: position.offset, into: &data) == piece
        else {
          guard count > 0 else { return .failure(.logUnreadable) }
          break
        }
        count &+= piece
        position.offset &+= piece
      }
      guard count < wanted, position.sequence < UInt32.max,
        let next = device.logReadableBytes(sequence: position.sequence &+ 1), next >= 0
      else { break }
      // A page that is not the newest is as long as all of them are.
      position.sequence &+= 1
      position.readable = next
      position.offset = 0
    }
    request.answer.byteString(from: start, count: count)
    return .answered
  }

  /// `{"epoch", "seq", "digest"}` → `{"first", "to"}`: a host has page `seq`, whose bytes have this SHA-256,
  /// on its disk; it is erased later.
  static func acknowledge<Device: ManagedDevice & ~Copyable>(
    _ request: inout SMPRequest, device: inout Device
  ) -> SMPOutcome {
    guard request.read(needed: SMPKeys(.sequence) | .epoch | .digest) else { return .failure(.invalid) }
    let sequence = request.said.sequence
    let status = device.logStatus()
    guard request.said.epoch == status.epoch else { return .failure(.otherEpoch) }
    switch device.acknowledgeLog(sequence, digest: request.span(request.said.bytes)) {
    case .taken: break
    case .outOfOrder: return .failure(.beyondPage)
    case .otherDigest: return .failure(.otherDigest)
    case .unreadable: return .failure(.logUnreadable)
    }
    request.answer.map(2)
    request.answer.field(.first, status.oldest)
    request.answer.field(.through, sequence)
    return .answered
  }
}
