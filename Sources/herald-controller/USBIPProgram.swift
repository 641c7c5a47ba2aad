import HeraldHAL
import HeraldLinux

/// A controller on a simulated phy, with a host on USB that runs in real time, such as Linux.
///
/// Simulated time begins when a host has configured the device, and is never ahead of real time, because such
/// a host waits by its own clock. The host may detach the device, which resets the controller, and attach it
/// again.
final class USBIPProgram: PhyProgram {
  private let controller: RunningController
  private let device: PhyDevice
  private var usb: USBIPController
  private let clock = SystemClock()
  /// The time at which simulated time began.
  private var start: Instant?

  init(_ controller: RunningController, _ usb: consuming USBIPController, _ device: PhyDevice) {
    self.controller = controller
    self.usb = usb
    self.device = device
  }

  func radioInterrupt() -> Bool { controller.radioInterrupt() }
  func procedures() { controller.procedures() }

  func pollHost() -> Bool {
    let start = start ?? awaitHost()
    while true {
      let isMoving = controller.serve(&usb)
      let ahead = device.time / 1000 - Int(clock.now.since(start).milliseconds)
      if ahead > 0 {
        usb.wait(milliseconds: UInt32(clamping: ahead))
      } else if !isMoving {
        return true
      }
    }
  }

  private func awaitHost() -> Instant {
    while !usb.isConfigured {
      usb.wait(milliseconds: 1000)
      _ = controller.serve(&usb)
    }
    let now = clock.now
    start = now
    return now
  }
}
