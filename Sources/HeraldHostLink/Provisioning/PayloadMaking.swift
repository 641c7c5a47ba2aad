import Foundation
import HeraldEmbedded
import HeraldHAL

extension PayloadFile {
  /// A remark on the files of secrets for the user.
  public enum Remark: Hashable, Sendable {
    /// A secret was made in this file.
    case made(String)
    /// Users other than its owner have access to this file.
    case openToOthers(String)
  }

  /// Whether all devices provisioned with it would offer the same payload and could not be distinguished.
  public var isSameForAll: Bool {
    switch content {
    case .fixed(_, _, .number), .test, .venue, .bytes: true
    case .simple(_, _, let secret, _, _, _): !SecretPath.isPerDevice(secret)
    case .fixed(_, _, .random), .none: false
    }
  }

  /// Whether the payload depends on the day on which it is made.
  public var dependsOnToday: Bool {
    if case .simple(_, _, _, .today, _, _) = content { return true }
    return false
  }

  /// Throws if persons would wear devices with the same payload; `isForSeveral` if there are several devices,
  /// or the file is meant for several.
  public func refuseSameForAll(isForSeveral: Bool) throws(HostLinkError) {
    guard isForSeveral, isSameForAll, !isShared else { return }
    var advice = "`family: fixed` with `identifier: random` gives each device a payload of its own"
    switch content {
    case .simple: advice = "put {serial} into the path of the secret"
    case .venue: advice += "; `shared: true` says that beacons of one venue are meant"
    default: advice += "; `shared: true` says that one payload for all is meant"
    }
    throw HostLinkError(
      .usage, "every device would offer the same payload, and nobody could tell who was met", advice: advice)
  }

  /// Whether the pushed blob contains secrets.
  public var hasSecret: Bool {
    if case .simple = content { return true }
    return false
  }

  /// Creates the blob that is pushed to the device with this serial number.
  /// - Parameters:
  ///   - serial: the serial number; the path of a secret may contain it.
  ///   - now: seconds since 1970-01-01T00:00:00Z; days count from it.
  ///   - generate: whether a missing secret is generated.
  ///   - remark: called with remarks on the files.
  public func blob(
    serial: String, now: UInt64, generate: Bool, remark: (Remark) -> Void = { _ in }
  ) throws(HostLinkError) -> PayloadBlob {
    switch content {
    case .none: return PayloadBlob.none()
    case .fixed(let country, let state, let identifier):
      let number =
        switch identifier {
        case .number(let number): number
        case .random: UInt64.random(in: 1...UInt64.max)
        }
      var supplier = FixedPayloadSupplier(country: country, state: state, clientIdentifier: number)
      return try PayloadBlob(
        .fixed, payload: Self.bytes { supplier.payload(at: nil, now: .start, into: &$0) })
    case .venue(let country, let state, let code, let name):
      var supplier = VenuePayloadSupplier<257>(country: country, state: state, code: code)
      if !name.isEmpty {
        let segment = Self.bytes { buffer in
          var writer = ByteWriter(buffer._mutatingExtracting(0..<buffer.count))
          writer.extendedSegment(.premisesName, Array(name.utf8).span)
          return writer.overflowed ? 0 : writer.count
        }
        supplier.setExtendedData(segment.span)
      }
      return try PayloadBlob(
        .venue, payload: Self.bytes { supplier.payload(at: nil, now: .start, into: &$0) })
    case .test(let identifier, let length):
      guard var supplier = TestPayloadSupplier(identifier: identifier, length: length) else {
        throw HostLinkError(.usage, "a test payload of \(length) bytes")
      }
      return try PayloadBlob(.test, payload: Self.bytes { supplier.payload(at: nil, now: .start, into: &$0) })
    case .bytes(let bytes): return try PayloadBlob(.bytes, payload: bytes)
    case .simple(let country, let state, let path, let from, let days, let epoch):
      let file = try SecretPath.of(path, serial: serial)
      let secret = try Self.secret(file, generate: generate, remark)
      let first =
        switch from {
        case .today: now
        case .on(let date): date
        }
      let window = try MatchingKeyWindow(
        of: secret, country: country, state: state, from: first, days: days, epoch: epoch)
      return try PayloadBlob(window)
    }
  }

  private static func secret(
    _ path: String, generate: Bool, _ remark: (Remark) -> Void
  ) throws(HostLinkError) -> SimpleSecret {
    guard generate, try !LocalFile.exists(path) else {
      let secret = try SimpleSecret.read(path)
      if secret.isOpenToOthers { remark(.openToOthers(path)) }
      return secret
    }
    let secret = SimpleSecret.generate()
    try PrivateFile.makeFolder(for: path)
    try secret.write(to: path)
    remark(.made(path))
    return secret
  }

  private static func bytes(_ write: (inout MutableSpan<UInt8>) -> Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Payload.maximumLength)
    var span = bytes.mutableSpan
    let count = write(&span)
    return Array(bytes.prefix(count))
  }
}
