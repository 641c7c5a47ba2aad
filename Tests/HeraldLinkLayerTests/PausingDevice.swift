import HeraldHAL
import HeraldLinkLayer
import HeraldSimulation

/// A hold whose `release` takes 5 µs, in which interrupts occur.
struct TimedHold: ProceduresHold {
  let medium: RadioMedium
  mutating func hold() {}
  mutating func release() { medium.run(until: medium.time + 5000) }
}

/// A device whose processor is halted by operations of its flash, each of which has a pause of its radio.
final class PausingDevice: MediumDevice {
  let medium: RadioMedium
  let device: LinkLayerDevice
  private var pause: LinkLayerPause<MediumRadio, TimedHold, 4>
  private var isHalted = false
  /// The number of radio interrupts while the processor was halted.
  private(set) var interrupted = 0
  /// The times for which the operations waited, in microseconds.
  private(set) var waits: [Int] = []

  init(_ device: LinkLayerDevice, on medium: RadioMedium) {
    self.medium = medium
    self.device = device
    pause = LinkLayerPause(device.place, hold: TimedHold(medium: medium))
    medium.attach(self, to: device.number)
  }

  func radioInterrupt() -> Bool {
    if isHalted { interrupted += 1 }
    return device.radioInterrupt()
  }

  func proceduresInterrupt() { device.proceduresInterrupt() }

  /// Executes an operation that halts the processor for a time in microseconds.
  func halt(for time: UInt32) {
    let start = medium.time
    pause.begin(microseconds: time)
    waits.append((medium.time - start) / 1000)
    isHalted = true
    medium.run(until: medium.time + Int(time) * 1000)
    isHalted = false
    pause.end()
  }

  /// Erases a page as `NRF.NVMC` does on an nRF52: 95 parts. Returns the duration in microseconds.
  @discardableResult
  func erase() -> Int {
    let start = medium.time
    for _ in 0..<95 { halt(for: 1160) }
    return (medium.time - start) / 1000
  }

  var skipped: UInt32 { device.layer.counters.eventsSkipped }
  var late: UInt32 { device.layer.counters.late }
}
