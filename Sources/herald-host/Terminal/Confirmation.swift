import Foundation
import HeraldConsole
import HeraldHostLink

/// Requests confirmation before an irreversible operation.
enum Confirmation {
  /// Prints to standard error what is to be erased, and requires the device's serial number as input.
  /// - Throws: `.notConfirmed` if the input differs.
  static func ask(_ device: DeviceClient, _ what: String) throws(HostLinkError) {
    let serial = try device.serialNumber()
    try ask(what, expected: serial.isEmpty ? "erase everything" : serial)
  }

  /// The same for several devices, whose number is required as input.
  static func ask(devices: Int, _ what: String) throws(HostLinkError) {
    try ask(what, expected: String(devices))
  }

  /// Asks a question on standard error; whether the answer is y or yes.
  static func isGiven(_ prompt: String) -> Bool {
    Console.ask("\(prompt) [y/N]")
    return ["y", "yes"].contains(readLine()?.trimmingCharacters(in: .whitespaces).lowercased())
  }

  private static func ask(_ what: String, expected: String) throws(HostLinkError) {
    Console.note(what)
    Console.note("To go on type \(expected) and press return:")
    guard readLine()?.trimmingCharacters(in: .whitespaces) == expected else {
      throw HostLinkError(
        .notConfirmed, "not confirmed; nothing was erased", advice: "with --yes no confirmation is requested")
    }
  }
}
