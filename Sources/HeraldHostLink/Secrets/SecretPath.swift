import Foundation
import HeraldText

/// Paths of secrets that differ for each device: they contain `{serial}`, which is replaced with the device's
/// serial number in a form safe for file names.
public enum SecretPath {
  private static let mark = "{serial}"

  /// Whether the path differs for each device.
  public static func isPerDevice(_ path: String) -> Bool { path.contains(mark) }

  /// The path for a device.
  /// - Throws: `.usage` if the path contains `{serial}`, and the device has no serial number.
  public static func of(_ path: String, serial: String) throws(HostLinkError) -> String {
    guard isPerDevice(path) else { return path }
    guard !serial.isEmpty else {
      throw HostLinkError(
        .usage,
        "the device reports no serial number, but \(PrintableText.of(path, limit: 256)) requires one",
        advice: "name a file without \(mark)")
    }
    return path.replacingOccurrences(of: mark, with: DeviceFolder.name(serial: serial, location: ""))
  }
}
