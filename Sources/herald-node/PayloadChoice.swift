import HeraldEmbedded
import HeraldLinux

/// Which payload the device offers, as a person writes it.
enum PayloadChoice: Equatable {
  case fixed(country: UInt16, state: UInt16, identifier: UInt64)
  case simple(file: String)

  /// Reads the written form; what is wrong with it goes into the error.
  init(_ text: String) throws(SystemFailure) {
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    switch (parts.first, parts.count) {
    case ("fixed", 2):
      let fields = parts[1].split(separator: ",", omittingEmptySubsequences: false)
      guard fields.count == 3, let country = UInt16(fields[0]), let state = UInt16(fields[1]),
        let identifier = UInt64(fields[2]), identifier != 0
      else {
        throw SystemFailure(
          "offer", text, reason: "country and state are numbers up to 65535, the identifier is one from 1 on",
          advice: "an example is fixed:826,4,1234567890")
      }
      self = .fixed(country: country, state: state, identifier: identifier)
    case ("simple", 2): self = .simple(file: parts[1])
    default:
      throw SystemFailure(
        "offer", text, reason: "it is no payload this program knows",
        advice: "the forms are fixed:COUNTRY,STATE,ID and simple:KEYFILE")
    }
  }
}

/// The payload the device offers: one of the families it knows.
struct NodePayload: PayloadSupplier, ~Copyable {
  private var fixed: FixedPayloadSupplier
  private var simple: SimplePayloadSupplier<InlineMatchingKeys<90>>
  private let isSimple: Bool

  init(_ choice: PayloadChoice) throws(SystemFailure) {
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
  func complaint(at unixSeconds: UInt64?) -> String? {
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

  mutating func payload(at unixSeconds: UInt64?, now: Instant, into buffer: inout MutableSpan<UInt8>) -> Int {
    if isSimple { return simple.payload(at: unixSeconds, now: now, into: &buffer) }
    return fixed.payload(at: unixSeconds, now: now, into: &buffer)
  }

  func nextChange(after unixSeconds: UInt64?, now: Instant) -> Instant {
    isSimple ? simple.nextChange(after: unixSeconds, now: now) : .never
  }

  var fixedLength: Int { isSimple ? simple.fixedLength : fixed.fixedLength }
}
