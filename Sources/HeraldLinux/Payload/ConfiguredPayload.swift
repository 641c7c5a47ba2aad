import HeraldEmbedded
import HeraldHAL

/// The supplier of the configured payload, for all payload families that a node supports.
package struct ConfiguredPayload: PayloadSupplier, ~Copyable {
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
  /// A warning about the payload's key file for the user; `nil` if there is none.
  package private(set) var warning: String?

  /// Creates the supplier of a configured payload. Fails if its key file cannot be used, or if the
  /// configuration gives no payload.
  package init(_ choice: PayloadChoice) throws(SystemFailure) {
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
        warning = "users other than its owner have access to the keys in \(path); `chmod 600` it"
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

  /// The reason why no payload is offered at this date, for the user; `nil` if one is offered.
  package func complaint(at unixSeconds: UInt64?) -> String? {
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
    case .keyMissing:
      return
        "no payload: the key of this day is erased or damaged; if the date is right, push new keys"
    case .windowEnded: return "no payload: the last day of the keys is over, new keys are needed"
    case .pastEnd:
      return
        "no payload: the key schedule ended 2001 days after its epoch; agree on a new epoch with the service that "
        + "verifies the identifiers, and "
        + (kind == .simple
          ? "write it into the key file as `epoch UNIXSECONDS`" : "push a payload that has it")
    }
  }

  /// Writes the payload for this time to `buffer`.
  package mutating func payload(at unixSeconds: UInt64?, now: Instant, into buffer: inout MutableSpan<UInt8>)
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

  /// Allows a payload family with keys to erase those whose day is over.
  package mutating func dateIs(certain: Bool) {
    if kind == .simple { simple.dateIs(certain: certain) }
    if kind == .stored { stored.dateIs(certain: certain) }
  }

  /// The time of the next change of the payload.
  package func nextChange(after unixSeconds: UInt64?, now: Instant) -> Instant {
    switch kind {
    case .simple: simple.nextChange(after: unixSeconds, now: now)
    case .stored: stored.nextChange(after: unixSeconds, now: now)
    case .fixed, .venue, .test, .opaque: .never
    }
  }

  /// The status of the payload for the host.
  package mutating func payloadStatus<Storage: PayloadStorage & ~Copyable>(
    at unixSeconds: UInt64?, in storage: inout Storage
  ) -> PayloadStatus {
    switch kind {
    case .fixed: fixed.payloadStatus(at: unixSeconds, in: &storage)
    case .simple: simple.payloadStatus(at: unixSeconds, in: &storage)
    case .venue: venue.payloadStatus(at: unixSeconds, in: &storage)
    case .test: test?.payloadStatus(at: unixSeconds, in: &storage) ?? PayloadStatus()
    case .opaque: opaque.payloadStatus(at: unixSeconds, in: &storage)
    case .stored: stored.payloadStatus(at: unixSeconds, in: &storage)
    }
  }

  /// The capacity for a stored payload: 0 unless the configuration is `stored`.
  package var storedCapacity: Int { kind == .stored ? stored.storedCapacity : 0 }

  /// Exchanges data with the storage of payloads.
  package mutating func load<Storage: PayloadStorage & ~Copyable>(
    from storage: inout Storage, at unixSeconds: UInt64?
  )
    -> Bool
  {
    kind == .stored && stored.load(from: &storage, at: unixSeconds)
  }

  /// The length of every payload of the family; 0 if they differ.
  package var fixedLength: Int {
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
