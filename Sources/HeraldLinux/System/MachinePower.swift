import Foundation
import HeraldHAL

/// The power supply of this machine, from `/sys/class/power_supply`. A machine without a battery has external
/// power and reports a full battery.
package struct MachinePower: PowerSource {
  private let folder: String

  /// The power supplies in `folder`.
  package init(folder: String = "/sys/class/power_supply") { self.folder = folder }

  /// Reads the first battery that reports its charge. External power is reported if another supply is online
  /// or, if there is no other supply, if the battery is not discharging.
  package mutating func read() -> PowerReading? {
    let supplies = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    var level: UInt8?
    var isDischarging = false
    var isOnline: Bool?
    for supply in supplies.sorted() {
      if let online = text(supply, "online") { isOnline = (isOnline ?? false) || online != "0" }
      // Batteries of peripherals, such as a mouse, are ignored.
      guard level == nil, text(supply, "type") == "Battery", text(supply, "scope") != "Device",
        let capacity = text(supply, "capacity").flatMap({ UInt8($0) })
      else { continue }
      level = capacity
      isDischarging = text(supply, "status") == "Discharging"
    }
    guard let level else { return PowerReading(level: 100, isExternal: true) }
    return PowerReading(level: level, isExternal: isOnline ?? !isDischarging)
  }

  private func text(_ supply: String, _ name: String) -> String? {
    guard let data = FileManager.default.contents(atPath: "\(folder)/\(supply)/\(name)") else { return nil }
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
