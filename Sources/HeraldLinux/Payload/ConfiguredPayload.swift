import HeraldEmbedded

/// The payload a person chose: one supplier for all families a device that is a process knows.
public struct ConfiguredPayload: PayloadSupplier, ~Copyable {
  private var fixed: FixedPayloadSupplier
  private var simple: SimplePayloadSupplier<InlineMatchingKeys<90>>
  private let isSimple: Bool

  /// The supplier of a choice; fails if its key file cannot be used.
  public init(_ choice: PayloadChoice) throws(SystemFailure) {
    switch choice {
    case .fixed(let country, let state, let identifier):
      fixed = FixedPayloadSupplier(country: country, state: state, clientIdentifier: identifier)
      simple = SimplePayloadSupplier(store: InlineMatchingKeys())
      isSimple = false
    case .simple(let path):
      let file = try MatchingKeyFile(path)
      let store = try file.makeStore()
      fixed = FixedPayloadSupplier(country: 0, state: 0, clientIdentifier: 0)
      simple = SimplePayloadSupplier(store: store)
      simple.configure(country: file.country, state: file.state, epoch: file.epoch)
      isSimple = true
    }
  }

  /// What a person should know about the payload at this date; `nil` if it is offered.
  public func complaint(at unixSeconds: UInt64?) -> String? {
    guard isSimple else { return nil }
    switch simple.status(at: unixSeconds) {
    case .offered: return nil
    case .noKeys: return "no payload: there are no keys"
    case .noDate: return "no payload yet: the date is not known; a host sets it over the management link"
    case .beforeWindow: return "no payload yet: the first day of the keys is still to come"
    case .windowEnded: return "no payload: the last day of the keys is over, new keys are needed"
    case .pastEnd:
      return
        "no payload: the key schedule ended 2001 days after its epoch; agree on a new epoch with whoever "
        + "verifies the identifiers, and write it into the key file"
    }
  }

  /// Writes the payload of this moment.
  public mutating func payload(at unixSeconds: UInt64?, now: Instant, into buffer: inout MutableSpan<UInt8>)
    -> Int
  {
    if isSimple { return simple.payload(at: unixSeconds, now: now, into: &buffer) }
    return fixed.payload(at: unixSeconds, now: now, into: &buffer)
  }

  /// When the payload will be another one.
  public func nextChange(after unixSeconds: UInt64?, now: Instant) -> Instant {
    isSimple ? simple.nextChange(after: unixSeconds, now: now) : .never
  }

  /// 13 or 21.
  public var fixedLength: Int { isSimple ? simple.fixedLength : fixed.fixedLength }
}
