import Foundation
import HeraldConsole
import HeraldHostLink

/// Asks a person before something is done that cannot be undone.
enum Confirmation {
  /// Says on standard error what is to be erased, and has the device's serial number typed.
  /// - Throws: `.notConfirmed` if it is not.
  static func ask(_ device: DeviceClient, _ what: String) throws(HostLinkError) {
    let serial = try device.serialNumber()
    let expected = serial.isEmpty ? "erase everything" : serial
    Console.note(what)
    Console.note("To go on type \(expected) and press return:")
    guard readLine()?.trimmingCharacters(in: .whitespaces) == expected else {
      throw HostLinkError(
        .notConfirmed, "not confirmed; nothing was erased", advice: "--yes leaves the question out")
    }
  }
}
