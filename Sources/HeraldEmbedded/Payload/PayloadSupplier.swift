import HeraldHAL

/// The source of own payloads, called at each exchange with the time (HP-41).
///
/// The caller supplies the time. Address and rotating payload change in one step: the call gets the time of
/// the last change of address, so that a payload does not change before the next one.
public protocol PayloadSupplier: ~Copyable {
  /// Writes the payload of this moment to the front of `buffer` and returns its length, 1…510. 0 if there is
  /// none to offer now, for example without the date, or if `buffer` is too small for it.
  ///
  /// - Parameters:
  ///   - unixSeconds: seconds since 1970-01-01T00:00:00Z, or `nil` before the date is set
  ///   - now: the same moment on the device's own clock
  ///   - buffer: the destination; bytes after it are unchanged
  mutating func payload(at unixSeconds: UInt64?, now: Instant, into buffer: inout MutableSpan<UInt8>) -> Int

  /// The same in the format of an earlier system, for peers that read the legacy characteristic of a table
  /// that has one (HP-38). By default the payload itself.
  mutating func legacyPayload(at unixSeconds: UInt64?, now: Instant, into buffer: inout MutableSpan<UInt8>)
    -> Int

  /// Whether the date is certain from now on; called at each change of address, before the payload is
  /// requested. It is if a host set it and it has held for six hours since (`CoreContext.isDateCertain`). An
  /// uncertain date must not cause irreversible actions such as the erasure of keys.
  mutating func dateIs(certain: Bool)

  /// When the payload will change, to the second and never too early; `.never` if it does not change with
  /// time.
  func nextChange(after unixSeconds: UInt64?, now: Instant) -> Instant

  /// The length of every payload of this family, 1…510, or 0 if it varies.
  var fixedLength: Int { get }

  /// How many of the bytes at the front of `shared`, the payloads that a peer has shared in one message
  /// (HP-42), are the first payload. 0 if there is no whole payload; the rest is then ignored.
  func lengthOfFirstPayload(inShared shared: Span<UInt8>) -> Int

  /// The status of the payload for the management link, as the payload storage and this supplier have it.
  mutating func payloadStatus<Storage: PayloadStorage & ~Copyable>(
    at unixSeconds: UInt64?, in storage: inout Storage
  ) -> PayloadStatus

  /// The maximum length of a constant payload that a host sends to the device: 1…510. 0 if this supplier uses
  /// no storage.
  var storedCapacity: Int { get }

  /// Loads the required data from the payload storage, and erases expired data there. To be called in each
  /// round of the loop, before the payload is requested. Returns whether the payload has changed.
  mutating func load<Storage: PayloadStorage & ~Copyable>(
    from storage: inout Storage, at unixSeconds: UInt64?
  )
    -> Bool
}

extension PayloadSupplier where Self: ~Copyable {
  /// By default the payload.
  public mutating func legacyPayload(
    at unixSeconds: UInt64?, now: Instant, into buffer: inout MutableSpan<UInt8>
  ) -> Int { payload(at: unixSeconds, now: now, into: &buffer) }

  /// By default no effect.
  @inline(__always)
  public mutating func dateIs(certain: Bool) {}

  /// By default a payload does not change.
  public func nextChange(after unixSeconds: UInt64?, now: Instant) -> Instant { .never }

  /// By default payloads have the length of our own. If that varies, all bytes are one payload.
  public func lengthOfFirstPayload(inShared shared: Span<UInt8>) -> Int {
    guard fixedLength > 0 else { return shared.count }
    return shared.count >= fixedLength ? fixedLength : 0
  }
}

extension PayloadSupplier where Self: ~Copyable {
  /// By default the status is empty.
  public mutating func payloadStatus<Storage: PayloadStorage & ~Copyable>(
    at unixSeconds: UInt64?, in storage: inout Storage
  ) -> PayloadStatus { PayloadStatus() }
  /// By default the payload is not stored.
  public var storedCapacity: Int { 0 }
  /// By default no data is loaded.
  public mutating func load<Storage: PayloadStorage & ~Copyable>(
    from storage: inout Storage, at unixSeconds: UInt64?
  ) -> Bool { false }
}

/// Constants of every payload.
public enum Payload {
  /// The most bytes a payload may have (HP-41).
  public static var maximumLength: Int { 510 }
}

/// The family of a payload by its type-and-version byte (HP-40): the upper five bits are the type, the lower
/// three the version. Payloads of every family are passed on, including unknown ones.
public enum PayloadFamily: UInt8, BitwiseCopyable, Sendable {
  /// 00…07: private use of a provider, with a 4-byte routing code.
  case custom = 0x00
  /// 08…0F: private use of a provider, with country and state. The fixed payload is one.
  case customWithCountry = 0x08
  /// 10…17: Herald simple.
  case simple = 0x10
  /// 20…27: Herald secured.
  case secured = 0x20
  /// 30…37: a venue beacon.
  case venueBeacon = 0x30
  /// 80…87: Exposure Notification.
  case exposureNotification = 0x80
  /// 88…8F: ROBERT.
  case robert = 0x88
  /// 90…97: BlueTrace and OpenTrace.
  case blueTrace = 0x90
  /// 98…9F: DP-3T.
  case dp3t = 0x98
  /// A0…A7: PACT.
  case pact = 0xA0
  /// All other values.
  case unknown = 0xFF

  /// The family of a payload whose first byte this is.
  public init(typeAndVersion: UInt8) {
    self = PayloadFamily(rawValue: typeAndVersion & 0xF8) ?? .unknown
  }
}
