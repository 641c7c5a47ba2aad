import HeraldEmbedded
import HeraldHAL
import HeraldSimulation

let extendedDataSeeds: [[UInt8]] = [
  // A venue and its name
  [0x30, 0x3A, 0x03, 0x04, 0x00, 0xF3, 0xE0, 0x01, 0x00, 0x10, 0x04, 0x45, 0x72, 0x69, 0x6E],
  // Metres in both lengths, a position, RSSI and TxPower, times
  [
    0x30, 0x3A, 0x03, 0x04, 0x00, 0xF3, 0xE0, 0x01, 0x00, 0x03, 0x04, 0x00, 0x00, 0xC0, 0x3F, 0x04, 0x08, 0,
    0,
    0, 0, 0, 0, 0xD0, 0x3F, 0x06, 0x04, 0x12, 0x0C, 0xF8, 0xFF, 0x40, 0x01, 0xC3, 0x41, 0x01, 0x0C, 0x20,
    0x04,
    0x80, 0xE1, 0x6B, 0x5F,
  ],
  // Fixed, and a custom payload with a routing code
  [0x08, 0x3A, 0x03, 0x00, 0x00, 0xD2, 0x02, 0x96, 0x49, 0, 0, 0, 0], [0x00, 1, 2, 3, 4, 5, 6, 7],
]

/// A payload from its header to its last segment, and the same bytes as extended data alone. What was read
/// and is written again must read the same.
func fuzzExtendedData(_ bytes: Span<UInt8>) {
  rewrite(bytes)
  let header = PayloadHeader(bytes)
  if header == nil, bytes.count > 0 { broken("bytes without a header") }
  guard let venue = VenuePayload(bytes) else {
    if bytes.count >= 9, bytes[0] == 0x30 { broken("a venue's payload was not read") }
    return
  }
  if header?.origin != .country(venue.country, state: venue.state) { broken("two countries") }
  if let name = venue.premisesName, name.isEmpty || name.count > 255 { broken("a name of no length") }
  rewrite(venue.extendedData.data)
}

private func rewrite(_ bytes: Span<UInt8>) {
  var segments = ExtendedData(bytes)
  var copy: [4096 of UInt8] = .init(repeating: 0)
  var writer = ByteWriter(copy.mutableSpan)
  var total = 0
  while segments.next() {
    if segments.range.upperBound > bytes.count { broken("a segment runs past the data") }
    if segments.bytes.isEmpty || segments.bytes.count > 255 { broken("a segment of no length") }
    if segments.u32 == nil, segments.float32 != nil || segments.position != nil {
      broken("a number without bytes")
    }
    if segments.metres == nil, segments.float64 != nil { broken("a distance was not read") }
    total += 2 + segments.bytes.count
    writer.extendedSegment(segments.code, segments.bytes)
  }
  if total > bytes.count { broken("segments overlap") }
  if total > 4096 { return }
  if writer.overflowed || writer.count != total { broken("segments changed their length") }
  let written = copy.span.extracting(first: total)
  var before = ExtendedData(bytes)
  var after = ExtendedData(written)
  while before.next() {
    guard after.next(), after.code == before.code, after.bytes.count == before.bytes.count else {
      broken("a segment was lost")
    }
    for index in 0..<after.bytes.count where after.bytes[index] != before.bytes[index] {
      broken("a segment changed")
    }
  }
  if after.next() { broken("a segment from nowhere") }
}

let storedPayloadSeeds: [[UInt8]] = [
  // The fixed payload 826, 0, 1234567890.
  [
    0x48, 0x50, 0x61, 0x79, 1, 1, 13, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xA5, 0x82, 0xF0,
    0x7F, 0x0C,
    0xAD, 0x6F, 0xCE, 0x08, 0x3A, 0x03, 0, 0, 0xD2, 0x02, 0x96, 0x49, 0, 0, 0, 0,
  ],
  // No payload.
  [UInt8]("HPay".utf8) + [1] + [UInt8](repeating: 0, count: 23) + [0xD1, 0x3D, 0xD4, 0xEB],
]

/// A payload blob as it comes from a host, and the same bytes where a device finds them in its flash: what is
/// taken is offered, and what is not taken changes nothing.
func fuzzStoredPayload(_ bytes: Span<UInt8>) {
  var store = SettingsStore(flash: MemoryFlash(pageSize: 256, pageCount: 2, wordSize: 8))
  var supplier = StoredPayloadSupplier<129>(
    otherwise: FixedPayloadSupplier(country: 1, state: 0, clientIdentifier: 1))
  var room: [510 of UInt8] = .init(repeating: 0)
  var buffer = room.mutableSpan
  let outcome = store.stagePayload(offset: 0, total: bytes.count, bytes, longest: 129)
  if case .wants = outcome { broken("all bytes were given, and more are wanted") }
  for unixSeconds in [nil, 0, 1_600_905_600, 1_773_700_000, .max] as [UInt64?] {
    _ = supplier.load(from: &store, at: unixSeconds)
    let count = supplier.payload(at: unixSeconds, now: .start, into: &buffer)
    if count < 0 || count > 129 { broken("a payload longer than there is room for") }
    if outcome != .taken(UInt32(bytes.count)), count != 13 { broken("what was refused is offered") }
    let status = supplier.payloadStatus(at: unixSeconds, in: &store)
    if let keys = status.keyCount, !(0...90).contains(keys) { broken("more keys than fit") }
  }
  // Behind a record that says it is there.
  let image = FlashImage(pageSize: 256, pageCount: 2, wordSize: 8)
  for index in 0..<min(bytes.count, 256) { image.bytes[index] = bytes[index] }
  var found = SettingsStore(flash: MemoryFlash(image))
  found.load()
  _ = found.takeNewPayload()
  _ = found.keep(.keepDays, value: 3)
}
