import HeraldEmbedded
import HeraldHAL

/// Group 8, upload of a file, of which the device accepts one: the payload to offer (docs/wire-formats.md).
/// It is staged, checked when complete, and then replaces the former one.
enum PayloadUpload {
  /// `{"off", "data", "name", "len" with off 0}` → `{"off": the next byte expected}`. Clients name the file,
  /// and state its length, with its first part.
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
    let range = request.said.bytes.range
    let outcome: PayloadStagingOutcome
    do {
      var bytes = request.answer.writer.part(range)
      outcome = device.stagePayload(offset: Int(clamping: offset), total: total, bytes.span)
      // It may contain keys.
      bytes.wipe()
    }
    let next: UInt32
    switch outcome {
    case .wants(let offset), .taken(let offset): next = offset
    // MCUmgr's file group has no code for invalid contents.
    case .refused: return .failure(.invalid)
    case .failed: return .failure(.fileNotWritten)
    }
    request.answer.map(1)
    request.answer.field(.offset, next)
    return .answered
  }
}
