import HeraldDeviceLink
import HeraldEmbedded
import HeraldHAL
import HeraldText

/// The status of the payload that a device offers.
public struct DevicePayload: Equatable, Sendable {
  /// The name of the family (`StoredPayloadFamily`): `none` if nothing is offered.
  public let family: String
  /// The end of the last day of its keys, in seconds since 1970-01-01T00:00:00Z; `nil` for families without
  /// keys.
  public let until: UInt64?
  /// The number of keys that the device has for today and later days, of all if it does not know the date;
  /// `nil` for families without keys, and if the firmware does not report it.
  public let keyCount: UInt32?
  /// The number of days for which it is offered, including today; `nil` if it is not offered, and for
  /// families without keys.
  public let daysLeft: UInt32?
  /// The reason why it is not offered; `nil` if it is, for families without keys, and if the firmware does
  /// not report it.
  public let reason: SimplePayloadStatus?
  /// The bytes offered; `nil` for families that derive changing bytes from a secret.
  public let bytes: [UInt8]?
}

extension DevicePayload {
  /// The payload of a device; `nil` if it is locked and does not report it without a session.
  public static func served(by device: DeviceClient) throws(HostLinkError) -> DevicePayload? {
    do { return try device.payload() } catch  where error.cause == .refused { return nil }
  }

  /// The sentence on what is advertised. `date` is the device's, in milliseconds since 1970, `nil` if it has
  /// none; `now` is this computer's.
  public func words(date: UInt64?, now: UInt64 = PlausibleDate.now) -> String {
    guard family != "none" else { return "it advertises nothing: it has no payload" }
    guard let until else { return "it offers a payload of the family \(family)" }
    let end = UTCTimestamp.seconds(min(until, UTCTimestamp.latest / 1000) * 1000)
    if let daysLeft, daysLeft > 0 {
      let days = "for \(daysLeft) more \(daysLeft == 1 ? "day" : "days")"
      let gap = missingDays(date: date)
      return "it offers a payload of the family \(family), \(days)"
        + (gap > 0 ? "; of the days until \(end) UTC \(gap) have no key" : "")
    }
    let others = keyCount.map { "\($0) \($0 == 1 ? "key" : "keys") of later days, until \(end) UTC" }
    let why =
      switch reason {
      case .noKeys: "it has no keys"
      case .noDate: "it has keys for certain days, and does not know the date"
      case .beforeWindow:
        "the first day of its keys is still to come by its clock; the last ends at \(end) UTC"
      case .keyMissing: "its key of today is erased or damaged; it has \(others ?? "other keys")"
      case .pastEnd: "its key schedule ended 2001 days after its epoch"
      case .windowEnded: "its keys ended at \(end) UTC"
      case nil, .offered:
        if date == nil {
          "it has keys for certain days, and does not know the date"
        } else if until <= now / 1000 {
          "its keys ended at \(end) UTC"
        } else {
          "it has no key for today; the last one is for the day before \(end) UTC"
        }
      }
    return "it advertises nothing: \(why)"
  }

  /// How many days from the device's date until the last key have none.
  func missingDays(date: UInt64?) -> UInt64 {
    guard let until, let keyCount, let date, until > date / 1000 else { return 0 }
    let end = min(until, UTCTimestamp.latest / 1000)
    let days = end > date / 1000 ? (end - date / 1000 + 86_399) / 86_400 : 0
    return days > UInt64(keyCount) ? days - UInt64(keyCount) : 0
  }
}

extension DeviceClient {
  /// The payload that the device offers, and the date until which it is offered.
  public func payload() throws(HostLinkError) -> DevicePayload {
    let request = ManagementRequest("its payload", .read, .herald, HeraldCommand.payload)
    let body = try client.ask(request)
    guard let family = body[SMPKey.family]?.string else {
      throw ManagementFailure.malformed("what is no payload's status").error(request, at: client.location)
    }
    var bytes: [UInt8]?
    if case .bytes(let data) = body[SMPKey.data] { bytes = data }
    let why = UInt8(truncatingIfNeeded: min(body[SMPKey.why]?.number32 ?? 0, 255))
    return DevicePayload(
      family: PrintableText.of(family, limit: 32), until: body[SMPKey.until]?.number,
      keyCount: body[SMPKey.keys]?.number32, daysLeft: body[SMPKey.days]?.number32,
      reason: why == 0 ? nil : SimplePayloadStatus(rawValue: why), bytes: bytes)
  }

  /// Replaces the payload of the device, which takes effect when the blob is complete. The blob is one made
  /// by `PayloadBlob`.
  public func pushPayload(
    _ blob: borrowing PayloadBlob, progress: (Int, Int) -> Void = { _, _ in }
  ) throws(HostLinkError) {
    let total = blob.bytes.count
    var offset = 0
    var standstills = 0
    while offset < total {
      var piece = Array(blob.bytes[offset..<min(total, offset + 128)])
      defer { piece.wipe() }
      let request = ManagementRequest("to take a payload", .write, .file, FileCommand.transfer) { writer in
        writer.map(offset == 0 ? 4 : 2)
        if offset == 0 {
          writer.key(.name)
          writer.text(FileName.payload)
          writer.key(.length)
          writer.unsigned(UInt32(total))
        }
        writer.key(.offset)
        writer.unsigned(UInt32(offset))
        writer.key(.data)
        writer.byteString(piece.span)
      }
      let next: UInt32
      switch try client.outcome(of: request) {
      case .failure(let failure) where failure.is(SMPFailure(.unsupported)):
        throw HostLinkError(
          .refused, "\(client.location) takes no payload: its own is fixed",
          advice: "a herald-node takes one with `--payload stored`; other devices with another firmware")
      case .failure(let failure): throw failure.error(request, at: client.location)
      case .success(let body):
        guard let wanted = body[SMPKey.offset]?.number32, wanted <= total else {
          throw ManagementFailure.malformed("an invalid offset").error(request, at: client.location)
        }
        next = wanted
      }
      // A device that requests other bytes than the next ones has restarted, which may occur once or twice;
      // one that accepts only a few bytes of each part would never finish.
      let isProgress = Int(next) >= offset + min(16, piece.count)
      standstills = isProgress ? standstills : standstills + 1
      guard standstills < 8 else {
        throw ManagementFailure.malformed("offsets without progress").error(
          request, at: client.location)
      }
      offset = Int(next)
      progress(offset, total)
    }
  }
}

/// The data pushed to a device to set its payload. It may contain keys: its memory is overwritten at the end
/// of its lifetime.
public struct PayloadBlob: ~Copyable {
  private let memory: SecretMemory
  var bytes: UnsafeBufferPointer<UInt8> { memory.used }

  /// Creates the blob of a constant payload, from the bytes to be offered.
  /// - Throws: `.usage` unless there are 1…510.
  public init(_ family: StoredPayloadFamily, payload: [UInt8]) throws(HostLinkError) {
    var memory = SecretMemory(capacity: StoredPayloadHeader.size + Payload.maximumLength)
    let isWritten = Self.fill(&memory) { StoredPayloadBlob.write(family, payload: payload.span, to: &$0) }
    guard isWritten else {
      throw HostLinkError(.usage, "a payload of \(payload.count) bytes", advice: "a payload has 1 to 510")
    }
    self.memory = memory
  }

  /// Creates the blob of the simple family, with the keys of a window.
  public init(_ window: borrowing MatchingKeyWindow) throws(HostLinkError) {
    var memory = SecretMemory(
      capacity: StoredPayloadHeader.size + window.dayCount * StoredPayloadHeader.daySize)
    let (country, state, epoch, firstDay) = (window.country, window.state, window.epoch, window.firstDay)
    let keys = window.keyBytes
    let isWritten = Self.fill(&memory) {
      StoredPayloadBlob.write(
        country: country, state: state, epoch: epoch, firstDay: firstDay, keys: keys.span, to: &$0)
    }
    guard isWritten else { throw HostLinkError(.usage, "a window of keys that is none") }
    self.memory = memory
  }

  /// The blob that removes the stored payload: the device then offers the payload built into its image.
  public static func none() -> PayloadBlob {
    var memory = SecretMemory(capacity: StoredPayloadHeader.size)
    _ = fill(&memory) { StoredPayloadBlob.writeNone(to: &$0) }
    return PayloadBlob(memory)
  }

  private static func fill(_ memory: inout SecretMemory, _ write: (inout ByteWriter) -> Bool) -> Bool {
    let room = memory.bytes
    var writer = ByteWriter(room.mutableSpan)
    let isWritten = write(&writer)
    memory.count = writer.count
    return isWritten
  }

  private init(_ memory: consuming SecretMemory) { self.memory = memory }
}
