import HeraldEmbedded
import Testing

@testable import HeraldHostLink

/// What somebody may have set on a device before it got its first access key.
@Suite("Inherited settings")
struct InheritedSettingsTests {
  /// A device with these settings by name; `image` has the values that unset ones get.
  private final class Settings {
    var values: [String: [UInt8]]
    let image: [String: [UInt8]]
    var deleted: [String] = []

    init(_ values: [String: [UInt8]], image: [String: [UInt8]] = [:]) {
      (self.values, self.image) = (values, image)
    }

    var client: DeviceClient {
      let transport = DirectTransport { [self] packet in
        let body = Array(packet.dropFirst(8))
        let name = CBORValue.decode(body.span)?["name"]?.string ?? ""
        var reply: [UInt8] = [0xA0]
        if packet[7] == 1 {
          deleted.append(name)
          values[name] = image[name] ?? standard(name)
        } else if let value = values[name] ?? image[name] ?? standard(name) {
          reply = [0xA1, 0x63, 0x76, 0x61, 0x6C, 0x58, UInt8(value.count)] + value
        }
        return [[packet[0] + 1, 0, 0, UInt8(reply.count)] + packet[4..<8] + reply]
      }
      return DeviceClient(
        SMPClient(transport: transport, timeouts: SMPClient.Timeouts(timeout: .milliseconds(1), attempts: 1)))
    }

    private func standard(_ name: String) -> [UInt8]? {
      guard let setting = Setting(name: Array(name.utf8).span) else { return nil }
      let number = setting.description.standard ?? 0
      return (0..<setting.description.kind.size).map { UInt8(truncatingIfNeeded: number >> UInt32(8 * $0)) }
    }
  }

  @Test("What differs from the defaults and is not named is set back, each setting alike")
  func reset() throws {
    let device = Settings([
      "log/keep-days": [1, 0], "bluetooth/management": [1], "radio/setting": [2], "access/stay-open": [1],
    ])
    #expect(
      try InheritedSettings.list(of: device.client, except: []).map { SettingText.name(of: $0.setting) } == [
        "log/keep-days", "radio/setting", "access/stay-open", "bluetooth/management",
      ])
    #expect(device.deleted.isEmpty)
    let changed = try InheritedSettings.reset(device.client, except: [.radioSetting])
    #expect(changed == ["log/keep-days 1 days", "access/stay-open yes", "bluetooth/management yes"])
    #expect(device.values["radio/setting"] == [2] && device.values["log/keep-days"] == [14, 0])
    #expect(try InheritedSettings.reset(device.client, except: [.radioSetting]).isEmpty)
  }

  @Test("The default of an image is no inheritance")
  func image() throws {
    let device = Settings([:], image: ["access/stay-open": [1]])
    #expect(try InheritedSettings.reset(device.client, except: []).isEmpty)
  }

  @Test("An owner's key that is not named is refused, and a device without one is not")
  func owner() throws {
    let key = [UInt8](repeating: 0xF1, count: 32)
    let device = Settings(["log/owner-key": key])
    let error = #expect(throws: HostLinkError.self) {
      try InheritedSettings.refuseForeignOwner(of: device.client, known: [[UInt8](repeating: 2, count: 32)])
    }
    #expect(
      error?.what.contains("f1f1f1f1…") == true && error?.advice?.contains("--owner-key-public") == true)
    try InheritedSettings.refuseForeignOwner(of: device.client, known: [key])
    try InheritedSettings.refuseForeignOwner(of: Settings(["log/owner-key": []]).client, known: [])
  }

  @Test("The doctor calls a log well sealed only for a key that is named to it")
  func doctor() {
    let (mine, other) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
    #expect(DeviceExamination.sealing(.sealed(mine), [mine])?.verdict == .good)
    #expect(DeviceExamination.sealing(.sealed(other), [mine])?.verdict == .problem)
    #expect(DeviceExamination.sealing(.sealed(other), [])?.verdict == .note)
    #expect(DeviceExamination.sealing(.sealed(other), [])?.what.contains("not known here") == true)
  }
}
