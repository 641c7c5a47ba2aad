import HeraldEmbedded

/// What a request about the log names. Offset and length are bounded by 2³¹ − 1: no page is as long.
struct LogPlace: BitwiseCopyable {
  /// The epoch; `nil` if the request names none.
  var epoch: UInt32?
  /// The page; `nil` if the request names none.
  var sequence: UInt32?
  /// The first byte; 0 unless named.
  var offset = 0
  /// How many bytes; as many as there are unless named.
  var length = Int.max

  /// From a request's map; `nil` if that is malformed. Other keys are passed over.
  @inline(never)
  init?(_ request: SMPRequest, in buffer: borrowing MutableSpan<UInt8>) {
    var reader = CBORReader(buffer.span.extracting(SMPHeader.size..<request.end))
    guard var entries = reader.map() else { return nil }
    while reader.next(in: &entries) {
      guard let key = reader.text() else { return nil }
      let isEpoch = key.equals(SMPKey.epoch)
      let isSequence = key.equals(SMPKey.sequence)
      let isOffset = key.equals(SMPKey.offset)
      guard isEpoch || isSequence || isOffset || key.equals(SMPKey.length) else {
        guard reader.skip() else { return nil }
        continue
      }
      guard let value = reader.unsigned32() else { return nil }
      if isEpoch {
        epoch = value
      } else if isSequence {
        sequence = value
      } else if isOffset {
        offset = Int(clamping: value)
      } else {
        length = Int(clamping: value)
      }
    }
  }
}
