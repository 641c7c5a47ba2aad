import HeraldBluetooth
import HeraldEmbedded

/// The Herald service UUIDs that a device advertises and detects, as written in options: `long`, `short` or
/// `long,short`.
package struct ServiceChoice: Equatable, Sendable {
  /// The selected services: one or both.
  package let services: HeraldServiceSet

  /// Both services: the 128-bit and the 16-bit UUID.
  package static var both: ServiceChoice { ServiceChoice(services: .long.union(.short)) }

  private init(services: HeraldServiceSet) { self.services = services }

  /// Parses the written form.
  package init(_ text: String) throws(SystemFailure) {
    var services = HeraldServiceSet.none
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      switch word {
      case "long": services = services.union(.long)
      case "short": services = services.union(.short)
      default:
        throw SystemFailure(
          "use", text, reason: "'\(word)' is no service of Herald's", advice: "there are long and short")
      }
    }
    self.services = services
  }

  /// The services that are not selected.
  package var omitted: HeraldServiceSet {
    HeraldServiceSet(rawValue: Self.both.services.rawValue & ~services.rawValue)
  }
}

/// The service UUID of another provider, as written in options: `8-4-4-4-12` hexadecimal digits.
package struct CustomService: Equatable, Sendable {
  /// The UUID: not one of Herald's, and not all zeros.
  package let uuid: UUID128

  /// Parses the written form.
  package init(_ text: String) throws(SystemFailure) {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    let digits = groups.joined()
    // `UInt64` would accept a sign.
    guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12], digits.utf8.count == 32,
      digits.allSatisfy({ $0.isASCII && $0.isHexDigit }),
      let high = UInt64(digits.prefix(16), radix: 16), let low = UInt64(digits.suffix(16), radix: 16)
    else {
      throw SystemFailure(
        "use", text, reason: "it is no 128-bit UUID",
        advice: "an example is 0e0a8f54-7a5c-4cd1-9f0e-3b1d5c2f7a10")
    }
    uuid = UUID128(high, low)
    guard high != 0 || low != 0, uuid != HeraldUUIDs.service, uuid != UUID128(HeraldUUIDs.shortService) else {
      throw SystemFailure("use", text, reason: "it is not a provider's own")
    }
  }
}
