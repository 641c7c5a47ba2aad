import HeraldBluetooth
import HeraldLinux

/// A public device address as written in options: six bytes in hexadecimal, the most significant first; or
/// `none`.
struct PublicAddress: Equatable {
  /// The address; `zero` for a device without one.
  let address: DeviceAddress

  /// Reads the written form.
  init(_ text: String) throws(SystemFailure) {
    guard text != "none" else {
      address = .zero
      return
    }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let bytes = parts.compactMap { $0.utf8.count == 2 && $0.first != "+" ? UInt8($0, radix: 16) : nil }
    guard parts.count == 6, bytes.count == 6 else {
      throw SystemFailure(
        "use", "'\(text)' as a device address", reason: "it is not six bytes in hexadecimal",
        advice: "the form is XX:XX:XX:XX:XX:XX")
    }
    let value = bytes.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    address = DeviceAddress(
      high: UInt16(value >> 32), low: UInt32(truncatingIfNeeded: value), kind: .public)
  }
}
