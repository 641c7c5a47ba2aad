import HeraldEmbedded
import HeraldText

/// The 48 bits of a peer's identity as in `contacts.csv`: six bytes, most significant first, in capital
/// letters: `5C:DF:39:61:03:9D`. The text does not contain the kind of identity.
package struct IdentityBits: Hashable, Sendable {
  /// Bits 32…47.
  package let high: UInt16
  /// Bits 0…31.
  package let low: UInt32

  /// Takes the bits of an identity.
  package init(_ identity: TargetIdentity) {
    high = identity.high
    low = identity.low
  }

  /// Parses the text, in either case; `nil` if it has another form.
  package init?(_ text: some Collection<UInt8>) {
    guard text.count == 17 else { return nil }
    var value: UInt64 = 0
    for (index, character) in text.enumerated() {
      if index % 3 == 2 {
        guard character == UInt8(ascii: ":") else { return nil }
      } else {
        guard let digit = Hexadecimal.value(of: character) else { return nil }
        value = value << 4 | UInt64(digit)
      }
    }
    high = UInt16(truncatingIfNeeded: value >> 32)
    low = UInt32(truncatingIfNeeded: value)
  }

  /// The text, as in `contacts.csv`.
  package var text: String {
    let value = UInt64(high) << 32 | UInt64(low)
    return stride(from: 40, through: 0, by: -8).map { shift in
      let byte = String(value >> UInt64(shift) & 0xFF, radix: 16, uppercase: true)
      return byte.count == 1 ? "0" + byte : byte
    }.joined(separator: ":")
  }

  /// All identities with these bits, those that peers advertise first.
  package var identities: [TargetIdentity] {
    [.pseudoAddress, .randomAddress, .publicAddress, .shared].map {
      TargetIdentity(kind: $0, high: high, low: low)
    }
  }
}
