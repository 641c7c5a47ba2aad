import Foundation
import HeraldHAL
import HeraldLinux
import Testing

@Suite("The power of a Linux machine")
struct MachinePowerTests {
  /// Reads supplies that are files made for the test.
  private func reading(_ supplies: [String: [String: String]]) throws -> PowerReading? {
    let root = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: root) }
    for (supply, files) in supplies {
      let folder = root.appendingPathComponent(supply)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for (name, text) in files {
        try Data("\(text)\n".utf8).write(to: folder.appendingPathComponent(name))
      }
    }
    var power = MachinePower(folder: root.path)
    return power.read()
  }

  @Test("HP-49 A battery's charge, and whether something else feeds the machine")
  func batteries() throws {
    let battery = ["type": "Battery", "capacity": "81", "status": "Discharging"]
    #expect(try reading(["BAT0": battery]) == PowerReading(level: 81, isExternal: false))
    #expect(
      try reading(["BAT0": ["type": "Battery", "capacity": "81", "status": "Charging"]])
        == PowerReading(level: 81, isExternal: true))
    #expect(
      try reading(["AC": ["type": "Mains", "online": "1"], "BAT0": battery])
        == PowerReading(level: 81, isExternal: true))
    #expect(
      try reading(["AC": ["type": "Mains", "online": "0"], "BAT0": battery, "BAT1": ["type": "Battery"]])
        == PowerReading(level: 81, isExternal: false))
  }

  @Test("HP-49 No battery, one that tells nothing sensible, or a mouse's: all of it, from outside")
  func none() throws {
    let full = PowerReading(level: 100, isExternal: true)
    #expect(try reading([:]) == full)
    #expect(try reading(["BAT0": ["type": "Battery", "capacity": "much"]]) == full)
    #expect(
      try reading(["hid": ["type": "Battery", "capacity": "7", "status": "Discharging", "scope": "Device"]])
        == full)
  }
}
