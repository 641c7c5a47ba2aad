import Foundation
import HeraldConsole
import HeraldDeviceLink
import HeraldEmbedded
import HeraldHostLink

/// The steps of provisioning a device.
struct Provisioning: Sendable {
  /// What a device is as to its access key.
  enum KeyState {
    /// The device has no key, and gets its first one.
    case first
    /// The device was opened with the key that it is to have.
    case opened
    /// The device was opened with another key, or is locked: the key is set last.
    case other
  }

  /// Whether missing secrets are generated.
  let generates: Bool
  /// Whether a device without an access key is accepted although a key file exists for it.
  let isNewDevice: Bool
  /// Decides on this computer's date.
  let clockGuard: ClockGuard
  /// The public keys of the owner.
  let ownerKeys: [[UInt8]]
  /// What is to be said of devices and files, once for all.
  let remarks = FleetRemarks()
  /// The key files generated in this run, which cannot belong to another device.
  private let made = CreatedFiles()

  init(generates: Bool, isNewDevice: Bool, clockGuard: ClockGuard = ClockGuard(), ownerKeys: [[UInt8]] = []) {
    self.generates = generates
    self.isNewDevice = isNewDevice
    self.clockGuard = clockGuard
    self.ownerKeys = ownerKeys
  }

  /// Refuses a payload that several devices would have in common, and explains it for a single one.
  /// `keyFile` is the path of the access key in the same file.
  func check(_ payload: PayloadFile, devices: Int, keyFile: String? = nil) throws(HostLinkError) {
    try payload.refuseSameForAll(isForSeveral: devices > 1 || keyFile.map(SecretPath.isPerDevice) == true)
    if payload.isSameForAll, !payload.isShared { remarks.note(.sharedPayload, "") }
  }

  /// Pushes a payload to a device.
  func push(_ payload: PayloadFile, to device: DeviceClient, serial: String) throws(HostLinkError) {
    if payload.hasSecret { try device.refuseLocked() }
    if payload.dependsOnToday { try clockGuard.check(device) }
    let blob = try payload.blob(serial: serial, now: PlausibleDate.now / 1000, generate: generates) {
      remarks.note($0)
    }
    if payload.hasSecret, !device.client.isSealed { remarks.note(.plainPayload, device.client.location) }
    try device.pushPayload(blob)
  }

  /// Opens a session with the intended key if the device has it. Nothing is written to the device.
  /// - Throws: `.notProved` if the device has no key although there is a file with one for it.
  func open(_ device: DeviceClient, serial: String, keyFile path: String) throws(HostLinkError) -> KeyState {
    // The session uses another key, which is replaced last.
    guard !device.client.isSealed else { return .other }
    let file = try SecretPath.of(path, serial: serial)
    guard try device.access().isSet else {
      try device.refuseImpostor(keyFile: file, isNew: isNewDevice || made.has(file))
      // A file that is missing or wrong is found before anything is written.
      if !generates { _ = try AccessKey.read(file) }
      return .first
    }
    // Without a key file, or a session with the former key, the device refuses the following requests.
    guard try LocalFile.exists(file) else { return .other }
    try device.unlock(AccessKey.read(file))
    return .opened
  }

  /// Refuses a device without a key whose log would be sealed for somebody else.
  func refuseForeignOwner(of device: DeviceClient) throws(HostLinkError) {
    try InheritedSettings.refuseForeignOwner(of: device, known: ownerKeys)
  }

  /// Refuses a device without a key if this computer has a key for it, or if its log would be sealed for
  /// somebody else.
  func refuseInheritance(of device: DeviceClient, serial: String, keyFile path: String) throws(HostLinkError)
  {
    guard !device.client.isSealed, try !device.access().isSet else { return }
    try device.refuseImpostor(keyFile: try SecretPath.of(path, serial: serial), isNew: isNewDevice)
    try refuseForeignOwner(of: device)
  }

  /// Sets the key of a device from a file, which is generated first if required, and opens a session with it.
  /// Returns whether it is the device's first one.
  @discardableResult
  func setKey(of device: DeviceClient, serial: String, from path: String) throws(HostLinkError) -> Bool {
    // Checked on the host, so that a manipulated response of the device cannot cause a key to be sent without
    // a session: all conditions here and below must hold.
    try device.refuseLocked()
    let file = try SecretPath.of(path, serial: serial)
    let isFirst = !device.client.isSealed
    if isFirst { try device.refuseImpostor(keyFile: file, isNew: isNewDevice || made.has(file)) }
    // The key is stored before the device receives it, as the device is inaccessible without it.
    if generates, try made.make(file) {
      remarks.note(.newKey, file)
      remarks.noteNew(file: file)
    }
    let key = try AccessKey.read(file)
    if key.isOpenToOthers { remarks.note(.openToOthers, file) }
    if isFirst { remarks.note(.firstKey, device.client.location) }
    try device.setAccessKey(key)
    return isFirst
  }
}

/// The key files created in this run. Thread-safe.
private final class CreatedFiles: @unchecked Sendable {
  private let lock = NSLock()
  private var paths: Set<String> = []

  /// Makes a key unless the file is there; returns whether it was made.
  func make(_ path: String) throws(HostLinkError) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    guard try !LocalFile.exists(path) else { return false }
    try AccessKey.generate().write(to: path)
    paths.insert(path)
    return true
  }

  func has(_ path: String) -> Bool { lock.withLock { paths.contains(path) } }
}
