import HeraldEmbedded
import HeraldHAL

/// The configured payload: one supplier for all families that a node supports.
public struct ConfiguredPayload: PayloadSupplier, ~Copyable {
  private enum Kind {
    case fixed, simple, venue, test, opaque, stored
  }

  private let kind: Kind
  private var fixed = FixedPayloadSupplier(country: 0, state: 0, clientIdentifier: 0)
  private var simple = SimplePayloadSupplier(store: InlineMatchingKeys<90>())
  private var venue = VenuePayloadSupplier<501>(country: 0, state: 0, code: 0)
  private var test: TestPayloadSupplier?
  private var opaque = OpaquePayloadSupplier<510>()
  private var stored = StoredPayloadSupplier<510>(
    otherwise: FixedPayloadSupplier(country: 0, state: 0, clientIdentifier: 0))
  /// What a person should know about where the payload comes from; `nil` if all is well.
  public private(set) var warning: String?

  /// The supplier of a choice; fails if its key file cannot be used, or if it makes no payload.
  public init(_ choice: PayloadChoice) throws(SystemFailure) {
    switch choice {
    case .fixed(let country, let state, let identifier):
      kind = .fixed
      fixed = FixedPayloadSupplier(country: country, state: state, clientIdentifier: identifier)
    case .simple(let path):
      kind = .simple
      let file = try MatchingKeyFile.read(path)
      simple = SimplePayloadSupplier(store: try file.makeStore())
      simple.configure(country: file.country, state: file.state, epoch: file.epoch)
      if file.isOpenToOthers {
        warning = "others than its owner may use the keys in \(path); `chmod 600` it"
      }
    case .venue(let country, let state, let code, let name):
      kind = .venue
      venue = VenuePayloadSupplier(country: country, state: state, code: code)
      try Self.say(name, at: &venue)
    case .test(let identifier, let length):
      kind = .test
      test = TestPayloadSupplier(identifier: identifier, length: length)
      guard test != nil else {
        throw SystemFailure(
          "offer", "test:\(identifier),\(length)", reason: "its length is not from 7 to 510")
      }
    case .opaque(let bytes):
      kind = .opaque
      guard !bytes.isEmpty, opaque.set(bytes.span) else {
        throw SystemFailure(
          "offer", "these bytes", reason: "a payload has 1 to 510, and these are \(bytes.count)")
      }
    case .stored: kind = .stored
    }
  }

  private static func say(_ name: String, at venue: inout VenuePayloadSupplier<501>) throws(SystemFailure) {
    var segments = [UInt8](repeating: 0, count: 2 + 255)
    var writer = ByteWriter(segments.mutableSpan)
    writer.extendedSegment(.premisesName, Array(name.utf8).span)
    let isWhole = !writer.overflowed
    let count = writer.count
    guard isWhole, venue.setExtendedData(segments.span.extracting(0..<count)) else {
      throw SystemFailure("offer", name, reason: "the name of a venue has at most 255 bytes")
    }
  }

  /// What a person should know about the payload at this date; `nil` if it is offered.
  public func complaint(at unixSeconds: UInt64?) -> String? {
    if kind == .stored, stored.header.family == .none {
      return
        "no payload: none is stored; push one with `herald-host payload push`, or name one with --payload"
    }
    let status = kind == .simple ? simple.status(at: unixSeconds) : stored.simpleStatus(at: unixSeconds)
    switch status {
    case nil, .offered: return nil
    case .noKeys: return "no payload: there are no keys"
    case .noDate: return "no payload yet: the date is not known; a host sets it over the management link"
    case .beforeWindow: return "no payload yet: the first day of the keys is still to come"
    case .windowEnded: return "no payload: the last day of the keys is over, new keys are needed"
    case .pastEnd:
      return
        "no payload: the key schedule ended 2001 days after its epoch; agree on a new epoch with whoever "
        + "verifies the identifiers, and "
        + (kind == .simple
          ? "write it into the key file as `epoch UNIXSECONDS`" : "push a payload that has it")
    }
  }

  /// Writes the payload of this moment.
  public mutating func payload(at unixSeconds: UInt64?, now: Instant, into buffer: inout MutableSpan<UInt8>)
    -> Int
  {
    switch kind {
    case .fixed: fixed.payload(at: unixSeconds, now: now, into: &buffer)
    case .simple: simple.payload(at: unixSeconds, now: now, into: &buffer)
    case .venue: venue.payload(at: unixSeconds, now: now, into: &buffer)
    case .test: test?.payload(at: unixSeconds, now: now, into: &buffer) ?? 0
    case .opaque: opaque.payload(at: unixSeconds, now: now, into: &buffer)
    case .stored: stored.payload(at: unixSeconds, now: now, into: &buffer)
    }
  }

  /// Tells the family with keys whether to wipe those that are over.
  public mutating func dateWasSet(isCertain: Bool) {
    if kind == .simple { simple.dateWasSet(isCertain: isCertain) }
    if kind == .stored { stored.dateWasSet(isCertain: isCertain) }
  }

  /// When the payload will be another one.
  public func nextChange(after unixSeconds: UInt64?, now: Instant) -> Instant {
    switch kind {
    case .simple: simple.nextChange(after: unixSeconds, now: now)
    case .stored: stored.nextChange(after: unixSeconds, now: now)
    case .fixed, .venue, .test, .opaque: .never
    }
  }

  /// What there is to say about it.
  public func payloadStatus(at unixSeconds: UInt64?) -> PayloadStatus {
    switch kind {
    case .fixed: fixed.payloadStatus(at: unixSeconds)
    case .simple: simple.payloadStatus(at: unixSeconds)
    case .venue: venue.payloadStatus(at: unixSeconds)
    case .test: test?.payloadStatus(at: unixSeconds) ?? PayloadStatus()
    case .opaque: opaque.payloadStatus(at: unixSeconds)
    case .stored: stored.payloadStatus(at: unixSeconds)
    }
  }

  /// A device whose payload was named takes no other.
  public var storedCapacity: Int { kind == .stored ? stored.storedCapacity : 0 }

  /// Takes what it needs from where payloads are stored.
  public mutating func tend<Storage: PayloadStorage & ~Copyable>(
    _ storage: inout Storage, at unixSeconds: UInt64?
  )
    -> Bool
  {
    kind == .stored && stored.tend(&storage, at: unixSeconds)
  }

  /// How long every payload of the family is, or 0 if they differ.
  public var fixedLength: Int {
    switch kind {
    case .fixed: fixed.fixedLength
    case .simple: simple.fixedLength
    case .venue: venue.fixedLength
    case .test: test?.fixedLength ?? 0
    case .opaque: opaque.fixedLength
    case .stored: stored.fixedLength
    }
  }
}
