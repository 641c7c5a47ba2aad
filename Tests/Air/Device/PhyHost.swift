import HeraldHAL
import HeraldLinux

/// A test host as a process on a phy.
final class PhyHost: PhyProgram {
  private let device: PhyDevice
  private let host: TestHost<PhyRadio>

  init(_ address: PhyAddress, _ settings: DeviceSettings) throws(SystemFailure) {
    device = try PhyDevice(address, options: settings.options)
    host = TestHost(address.device, settings, radio: device.makeRadio())
  }

  /// Executes the device until the simulation or its time ends. Returns its counts.
  func run() throws(SystemFailure) -> String {
    try device.run(self)
    return host.report
  }

  func radioInterrupt() -> Bool { host.layer.radioInterrupt() }
  func procedures() { host.layer.procedures() }

  func pollHost() -> Bool {
    host.poll(now: device.time / 1000)
    return device.time < host.settings.seconds * 1_000_000
  }
}
