import HeraldChips
import HeraldDeviceLink
import HeraldEmbedded
import HeraldHCI
import Startup

/// The nRF52833 DK with a Bluetooth controller on its header.
///
/// No interrupt has a handler: all are held from start-up on, and those that are let through to the processor end its sleep.
public struct Board: ManagedBoard, ~Copyable {
  private var clock: BoardClock
  private var watchdog = NRF.WDT(Clock.watchdog)
  private var port0 = NRF.GPIO(MappedRegisters(at: 0x5000_0000))
  private var port1 = NRF.GPIO(MappedRegisters(at: 0x5000_0300))
  private var system = MappedRegisters(at: 0xE000_E000)
  private var restartAt = Instant.never

  /// The board after a reset. To be made once, before its lines.
  public init() {
    startup_hold_interrupts()
    var power = NRF.Power(Clock.control)
    power.enableDCDC()
    clock = Clock.start()
    Pins.configure(&port0, &port1)
    watchdog.start(Clock.watchdogTimeout)
    for number in 0..<Interrupts.count {
      let interrupt = Interrupts.number(number)
      system.store(1 &<< (interrupt & 31), at: 0x100 &+ 4 &* (interrupt &>> 5))
    }
  }

  /// The time since start-up.
  public mutating func now() -> Instant { clock.now() }

  /// Ends a round of the loop: sleeps until `deadline` or an interrupt. Shows whether the controller is ready.
  public mutating func rest(until deadline: Instant, isReady: Bool) {
    watchdog.feed()
    port0.set(Pins.readyLight, !isReady)
    var until = clock.now() + .seconds(1)
    if deadline < until { until = deadline }
    if restartAt < until { until = restartAt }
    if clock.now() >= restartAt { system.store(0x05FA_0004, at: 0xD0C) }
    // What was dealt with is forgotten; an event that was not is still set, and its interrupt comes again at once.
    for number in 0..<Interrupts.count {
      let interrupt = Interrupts.number(number)
      system.store(1 &<< (interrupt & 31), at: 0x280 &+ 4 &* (interrupt &>> 5))
    }
    guard clock.wake(at: until) else { return }
    port0.set(Pins.awakeLight, true)
    startup_wait_for_interrupt()
    port0.set(Pins.awakeLight, false)
    clock.acknowledge()
  }

  /// What the board is.
  public mutating func information(_ field: InformationField, into text: inout MutableSpan<UInt8>) -> Int {
    var writer = ByteWriter(text._mutatingExtracting(0...))
    switch field {
    case .kernelName: writer.text("Herald")
    case .nodeName: writer.text("nRF52833 DK")
    case .kernelRelease, .kernelVersion: writer.text("0.1.0")
    case .machine: writer.text("armv7em")
    case .processor: writer.text("Cortex-M4")
    case .hardwarePlatform: writer.text("nrf52833dk")
    case .buildDate, .operatingSystem: return 0
    }
    return writer.overflowed ? 0 : writer.count
  }

  /// Restarts in a quarter of a second: the answer to the request is still to be sent.
  public mutating func restart(at now: Instant) { restartAt = now + .milliseconds(250) }
}

/// The interrupts that end a sleep: CLOCK and POWER (USB's supply), UARTE0, RTC0, USBD.
private enum Interrupts {
  static var count: Int { 4 }
  static func number(_ index: Int) -> UInt32 {
    switch index {
    case 0: 0
    case 1: 2
    case 2: Clock.interrupt
    default: 39
    }
  }
}
