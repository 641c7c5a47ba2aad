import HeraldEmbedded

/// Group 8, upload of a file, of which the device takes one: the payload it is to offer (docs/wire-formats.md). It is staged, checked when all of it has
/// come, and takes the place of the former one then.
enum PayloadUpload {
  /// What a request brings, and where its bytes are in the body.
  private struct Piece: BitwiseCopyable {
    var offset: UInt32?
    var total: UInt32?
    var isNamed = false
    /// Whether it names something else than the payload.
    var isOther = false
    var start = 0
    var count = -1

    /// Whether all is there that has to be: clients name the file, and say how long it is, with its first piece.
    var isWhole: Bool {
      guard let offset, count >= 0 else { return false }
      return offset > 0 || (isNamed && total != nil)
    }
  }

  /// `{"off", "data", "name", "len" with off 0}` → `{"off": the next byte wanted}`
  @inline(never)
  static func respond<Device: ManagedDevice & ~Copyable>(
    to request: SMPRequest, in buffer: inout MutableSpan<UInt8>, device: inout Device
  ) -> SMPOutcome {
    guard device.storedPayloadCapacity > 0 else { return .failure(SMPFailure(.unsupported)) }
    guard let piece = piece(buffer.span.extracting(SMPHeader.size..<request.end)), piece.isWhole else {
      return .failure(SMPFailure(.invalid))
    }
    guard !piece.isOther else { return .failure(.noSuchFile) }
    let start = SMPHeader.size &+ piece.start
    var bytes = buffer._mutatingExtracting(start..<(start &+ piece.count))
    let outcome = device.stagePayload(
      offset: Int(clamping: piece.offset ?? 0), total: Int(clamping: piece.total ?? 0), bytes.span)
    // There may be keys in it.
    bytes.wipe()
    let next: UInt32
    switch outcome {
    case .wants(let offset), .taken(let offset): next = offset
    case .refused: return .failure(.payloadRefused)
    case .failed: return .failure(.fileNotWritten)
    }
    var writer = CBORWriter(buffer._mutatingExtracting(0...), from: SMPHeader.size)
    writer.map(1)
    writer.text(SMPKey.offset)
    writer.unsigned(next)
    return writer.outcome
  }

  private static func piece(_ body: Span<UInt8>) -> Piece? {
    var reader = CBORReader(body)
    guard var entries = reader.map() else { return nil }
    var piece = Piece()
    while reader.next(in: &entries) {
      guard let key = reader.text() else { return nil }
      if key.equals(SMPKey.offset) {
        guard let value = reader.unsigned32() else { return nil }
        piece.offset = value
      } else if key.equals(SMPKey.length) {
        guard let value = reader.unsigned32() else { return nil }
        piece.total = value
      } else if key.equals(SMPKey.data) {
        guard let value = reader.byteString() else { return nil }
        piece.start = reader.offset &- value.count
        piece.count = value.count
      } else if key.equals(SMPKey.name) {
        guard let value = reader.text() else { return nil }
        piece.isNamed = true
        piece.isOther = !value.equals(FileName.payload)
      } else {
        guard reader.skip() else { return nil }
      }
    }
    return piece
  }
}
