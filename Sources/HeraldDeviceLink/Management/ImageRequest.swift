/// The fields of an image request. Byte strings stay in the packet.
struct ImageRequest: BitwiseCopyable {
  var slot: UInt32?
  var image: UInt32?
  var offset: UInt32?
  var length: UInt32?
  var hash: SMPBytes?
  var sha: SMPBytes?
  var data = SMPBytes()
  var confirm = false
  var upgrade = false

  /// From a request's map; `nil` if that is malformed, or a value is of another type. Other keys are skipped.
  @inline(never)
  init?(_ request: borrowing SMPRequest) {
    var reader = CBORReader(request.body)
    guard var entries = reader.map() else { return nil }
    while reader.next(in: &entries) {
      guard let key = reader.text() else { return nil }
      guard take(key, &reader) else { return nil }
    }
  }

  /// Reads the value that belongs to a key; `false` if it is malformed or of another type.
  private mutating func take(_ key: Span<UInt8>, _ reader: inout CBORReader) -> Bool {
    if SMPKey(key) == .data { return bytes(&reader, into: &data) }
    if key.equals(ImageKey.hash) { return optionalBytes(&reader, into: &hash) }
    if key.equals(ImageKey.sha) { return optionalBytes(&reader, into: &sha) }
    if key.equals(ImageKey.confirm) { return flag(&reader, into: &confirm) }
    if key.equals(ImageKey.upgrade) { return flag(&reader, into: &upgrade) }
    if SMPKey(key) == .offset { return number(&reader, into: &offset) }
    if SMPKey(key) == .length { return number(&reader, into: &length) }
    if key.equals(ImageKey.slot) { return number(&reader, into: &slot) }
    if key.equals(ImageKey.image) { return number(&reader, into: &image) }
    return reader.skip()
  }

  private func number(_ reader: inout CBORReader, into number: inout UInt32?) -> Bool {
    if isNull(&reader) { return true }
    number = reader.unsigned32()
    return number != nil
  }

  private func flag(_ reader: inout CBORReader, into flag: inout Bool) -> Bool {
    if isNull(&reader) { return true }
    guard let value = reader.boolean() else { return false }
    flag = value
    return true
  }

  private func optionalBytes(_ reader: inout CBORReader, into value: inout SMPBytes?) -> Bool {
    if isNull(&reader) { return true }
    var found = SMPBytes()
    guard bytes(&reader, into: &found) else { return false }
    value = found
    return true
  }

  private func bytes(_ reader: inout CBORReader, into bytes: inout SMPBytes) -> Bool {
    guard let value = reader.byteString() else { return false }
    let count = value.count
    bytes = SMPBytes(start: SMPHeader.size &+ reader.offset &- count, count: count)
    return true
  }

  /// Whether the value is null, which some clients send for a key that they do not use; skips it then.
  private func isNull(_ reader: inout CBORReader) -> Bool {
    guard let head = reader.head, head.kind == .simple, head.size == 1, head.argument == 22 else {
      return false
    }
    return reader.skip()
  }
}
