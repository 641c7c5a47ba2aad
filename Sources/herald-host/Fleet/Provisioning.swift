import Foundation
import HeraldConsole
import HeraldHostLink

/// The steps of provisioning a device.
struct Provisioning: Sendable {
  /// Whether missing secrets are generated.
  let generates: Bool
  /// Whether a device without an access key is accepted although a key file exists for it.
  let isNewDevice: Bool
  /// The key files generated in this run, which cannot belong to another device.
  private let made = CreatedFiles()

  init(generates: Bool, isNewDevice: Bool) {
    self.generates = generates
    self.isNewDevice = isNewDevice
  }

  /// Refuses a personal payload if there is more than one device.
  static func check(_ payload: PayloadFile, devices: Int) throws(HostLinkError) {
    guard devices > 1, payload.isSameForAll else { return }
    throw HostLinkError(
      .usage, "\(devices) devices would all offer the same payload, and nobody could tell who was met",
      advice: "put {serial} into the path of the secret, or make the identifier random")
  }

  /// Pushes a payload to a device.
  func push(_ payload: PayloadFile, to device: DeviceClient, serial: String) throws(HostLinkError) {
    if payload.hasSecret { try device.refuseLocked() }
    let blob = try payload.blob(serial: serial, now: PlausibleDate.now / 1000, generate: generates) {
      Console.note("herald-host: \($0)")
    }
    if payload.hasSecret, !device.client.isSealed {
      Console.note(
        "herald-host: \(device.client.location) has no access key: whoever listens on this cable learns the keys of its payload"
      )
    }
    try device.pushPayload(blob)
  }

  /// Opens a session with the intended key if the device has it. Otherwise sets it, unless the device has
  /// another key. Returns whether the device has the key now.
  func establishKey(of device: DeviceClient, serial: String, from path: String) throws(HostLinkError) -> Bool
  {
    // The session uses another key, which is replaced last.
    guard !device.client.isSealed else { return false }
    let file = try SecretPath.of(path, serial: serial)
    guard try device.access().isSet else {
      try setKey(of: device, serial: serial, from: path)
      return true
    }
    // Without a key file, or a session with the former key, the device refuses the following requests.
    guard access(file, F_OK) == 0 else { return false }
    try device.unlock(AccessKey.read(file))
    return true
  }

  /// Sets the key of a device from a file, which is generated first if required, and opens a session with it.
  func setKey(of device: DeviceClient, serial: String, from path: String) throws(HostLinkError) {
    // Checked on the host, so that a manipulated response of the device cannot cause a key to be sent without
    // a session: all conditions here and below must hold.
    try device.refuseLocked()
    let file = try SecretPath.of(path, serial: serial)
    if generates, access(file, F_OK) != 0 {
      let key = AccessKey.generate()
      // The key is stored before the device receives it, as the device is inaccessible without it.
      try key.write(to: file)
      made.note(file)
      Console.note(
        "herald-host: wrote a new access key to \(file); keep this file, the device cannot be opened without it"
      )
    }
    let key = try AccessKey.read(file)
    if key.isOpenToOthers {
      Console.note("herald-host: users other than its owner have access to \(file); `chmod 600` it")
    }
    if !device.client.isSealed {
      try device.refuseImpostor(keyFile: file, isNew: isNewDevice || made.has(file))
      Console.note(
        "herald-host: \(device.client.location) gets its first access key: whoever listens on this cable learns it"
      )
    }
    try device.setAccessKey(key)
  }
}

/// The files created in this run. Thread-safe.
private final class CreatedFiles: @unchecked Sendable {
  private let lock = NSLock()
  private var paths: Set<String> = []

  func note(_ path: String) { lock.withLock { _ = paths.insert(path) } }
  func has(_ path: String) -> Bool { lock.withLock { paths.contains(path) } }
}
