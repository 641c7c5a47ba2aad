import Foundation
import HeraldConsole
import HeraldHostLink

/// Steps of making a device what it is to be.
enum Provisioning {
  /// Refuses a payload that is somebody's if there is more than one device.
  static func check(_ payload: PayloadFile, devices: Int) throws(HostLinkError) {
    guard devices > 1, payload.isSameForAll else { return }
    throw HostLinkError(
      .usage, "\(devices) devices would all offer the same payload, and nobody could tell who was met",
      advice: "put {serial} into the path of the secret, or make the identifier random")
  }

  /// Has a device offer a payload.
  static func push(
    _ payload: PayloadFile, to device: DeviceClient, serial: String, generate: Bool
  ) throws(HostLinkError) {
    let blob = try payload.blob(serial: serial, now: PlausibleDate.now / 1000, generate: generate) {
      Console.note("herald-host: \($0)")
    }
    try device.pushPayload(blob)
  }

  /// Opens a device that is locked with the key that it is to have, if that is there.
  static func open(_ device: DeviceClient, serial: String, with path: String) throws(HostLinkError) {
    let file = try SecretPath.of(path, serial: serial)
    guard access(file, F_OK) == 0, try !device.access().isOpen else { return }
    try device.unlock(AccessKey.read(file))
  }

  /// Gives a device the key in a file, which is made first if it is wanted and not there.
  static func setKey(
    of device: DeviceClient, serial: String, from path: String, generate: Bool
  ) throws(HostLinkError) {
    let file = try SecretPath.of(path, serial: serial)
    if generate, access(file, F_OK) != 0 {
      let key = AccessKey.generate()
      // On the disk before the device has it: nothing else opens it again.
      try key.write(to: file)
      Console.note("herald-host: made the access key \(file); keep it")
    }
    let key = try AccessKey.read(file)
    if key.isOpenToOthers {
      Console.note("herald-host: others than its owner may use \(file); `chmod 600` it")
    }
    try device.setAccessKey(key)
  }
}
