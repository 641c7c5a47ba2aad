import HeraldBluetooth

/// A Bluetooth device address as people write it, which does not say whether it is public or random.
public struct BluetoothAddress: Equatable, Sendable {
  private let bits: UInt64

  /// Parses `C0:11:22:33:44:55`, the most significant byte first, in either case; `nil` for any other text.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 6 else { return nil }
    var bits: UInt64 = 0
    for part in parts {
      guard part.utf8.count == 2,
        part.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
        let byte = UInt8(part, radix: 16)
      else { return nil }
      bits = bits << 8 | UInt64(byte)
    }
    self.bits = bits
  }

  /// The bits of an address.
  init(_ address: DeviceAddress) { bits = UInt64(address.high) << 32 | UInt64(address.low) }

  /// Whether this is what people write for an address.
  func matches(_ address: DeviceAddress) -> Bool { self == BluetoothAddress(address) }

  /// Six pairs of hexadecimal digits with colons between them, the most significant first.
  public var text: String {
    (0..<6).reversed().map { index in
      let digits = String(UInt8(truncatingIfNeeded: bits >> UInt64(index * 8)), radix: 16, uppercase: true)
      return digits.utf8.count == 1 ? "0" + digits : digits
    }.joined(separator: ":")
  }
}

extension DeviceAddress {
  /// Six pairs of hexadecimal digits with colons between them, the most significant first.
  public var text: String { BluetoothAddress(self).text }
}
