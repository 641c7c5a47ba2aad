import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import Testing

func storedBlob(_ family: StoredPayloadFamily, _ payload: [UInt8]) -> [UInt8] {
  var bytes = [UInt8](repeating: 0, count: 1024)
  var writer = ByteWriter(bytes.mutableSpan)
  let isWritten = StoredPayloadBlob.write(family, payload: payload.span, to: &writer)
  let count = writer.count
  return isWritten ? Array(bytes[..<count]) : []
}

func storedBlob(first: Int, keys: [UInt8], epoch: KeyScheduleEpoch = .phones) -> [UInt8] {
  var bytes = [UInt8](repeating: 0, count: 4096)
  var writer = ByteWriter(bytes.mutableSpan)
  let isWritten = StoredPayloadBlob.write(
    country: 826, state: 4, epoch: epoch, firstDay: first, keys: keys.span, to: &writer)
  let count = writer.count
  return isWritten ? Array(bytes[..<count]) : []
}

func noStoredBlob() -> [UInt8] {
  var bytes = [UInt8](repeating: 0, count: 32)
  var writer = ByteWriter(bytes.mutableSpan)
  _ = StoredPayloadBlob.writeNone(to: &writer)
  return bytes
}

/// A device's storage and its supplier, as its loop keeps them together.
struct StoredBadge: ~Copyable {
  let image: FlashImage
  var store: SettingsStore<MemoryFlash>
  var supplier = StoredPayloadSupplier<129>(
    otherwise: FixedPayloadSupplier(country: 1, state: 0, clientIdentifier: 1))

  init(_ image: FlashImage) {
    self.image = image
    store = SettingsStore(flash: MemoryFlash(image))
  }

  mutating func push(_ blob: [UInt8], pieces: Int = 100) -> PayloadStagingOutcome {
    var outcome = PayloadStagingOutcome.wants(0)
    var offset = 0
    while offset < blob.count {
      let piece = Array(blob[offset...].prefix(pieces))
      outcome = stage(offset, offset == 0 ? blob.count : 0, piece)
      offset += piece.count
      guard outcome == .wants(UInt32(offset)) else { break }
    }
    return outcome
  }

  mutating func stage(_ offset: Int, _ total: Int, _ piece: [UInt8]) -> PayloadStagingOutcome {
    store.stagePayload(offset: offset, total: total, piece.span, longest: 129)
  }

  mutating func offered(at unixSeconds: UInt64?) -> [UInt8] {
    store.load()
    _ = supplier.load(from: &store, at: unixSeconds)
    var bytes = [UInt8](repeating: 0, count: 510)
    var room = bytes.mutableSpan
    let count = supplier.payload(at: unixSeconds, now: .start, into: &room)
    return Array(bytes[..<count])
  }

  mutating func status(at unixSeconds: UInt64?) -> PayloadStatus {
    supplier.payloadStatus(at: unixSeconds, in: &store)
  }

  /// The days from `first` on whose keys are in flash.
  mutating func days(_ count: Int) -> [Int] { (0..<count).filter { store.hasDayKey($0, day: $0) } }
}
