import HeraldEmbedded
import HeraldHAL

/// Group 8, upload of a file, of which the device takes one: the payload it is to offer
/// (docs/wire-formats.md). It is staged, checked when all of it has come, and takes the place of the former
/// one then.
enum PayloadUpload {
  /// `{"off", "data", "name", "len" with off 0}` → `{"off": the next byte wanted}`. Clients name the file,
  /// and say how long it is, with its first piece.
  @inline(never)
  static func respond<Device: ManagedDevice & ~Copyable>(
    to request: inout SMPRequest, device: inout Device
  ) -> SMPOutcome {
    guard device.storedPayloadCapacity > 0 else { return .failure(.unsupported) }
    let isRead = request.read(needed: SMPKeys(.offset) | .data, optional: SMPKeys(.name) | .length)
    let offset = request.said.offset
    guard isRead, offset > 0 || (request.said.has(.name) && request.said.has(.length)) else {
      return .failure(.invalid)
    }
    guard !request.said.has(.name) || request.span(request.said.text).equals(FileName.payload) else {
      return .failure(.noSuchFile)
    }
    let total = Int(clamping: request.said.length)
    let place = request.said.bytes.range
    let outcome: PayloadStagingOutcome
    do {
      var bytes = request.answer.writer.part(place)
      outcome = device.stagePayload(offset: Int(clamping: offset), total: total, bytes.span)
      // There may be keys in it.
      bytes.wipe()
    }
    let next: UInt32
    switch outcome {
    case .wants(let offset), .taken(let offset): next = offset
    // MCUmgr's files have no code of their own for a content that cannot be.
    case .refused: return .failure(.invalid)
    case .failed: return .failure(.fileNotWritten)
    }
    request.answer.map(1)
    request.answer.field(.offset, next)
    return .answered
  }
}
