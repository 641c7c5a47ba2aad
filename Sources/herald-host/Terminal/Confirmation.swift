import Foundation
import HeraldConsole
import HeraldHostLink

/// Requests confirmation before an irreversible operation.
enum Confirmation {
  /// Prints to standard error what is to be erased, and requires the device's serial number as input.
  /// - Throws: `.notConfirmed` if the input differs.
  static func ask(_ device: DeviceClient, _ what: String) throws(HostLinkError) {
    let serial = try device.serialNumber()
    let expected = serial.isEmpty ? "erase everything" : serial
    Console.note(what)
    Console.note("To go on type \(expected) and press return:")
    guard readLine()?.trimmingCharacters(in: .whitespaces) == expected else {
      throw HostLinkError(
        .notConfirmed, "not confirmed; nothing was erased", advice: "with --yes no confirmation is requested")
    }
  }
}
