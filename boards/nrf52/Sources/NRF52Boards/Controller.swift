import HeraldChips
import HeraldHAL
import HeraldHCI

/// The line to a Bluetooth controller: UARTE0.
public typealias NRF52Line = NRF.UARTE<MappedRegisters>

// The line receives into two halves of 2.5 ms each; the controller waits when they are full. A payload of 129
// bytes is transmitted in one packet, with 10 bytes of headers.
nonisolated(unsafe) private var controllerMemory = NRF.UARTEStorage<256, 140>()
nonisolated(unsafe) private var controllerFaults: NRF.UARTEMemory?

/// A Bluetooth controller on the header, over UARTE0.
///
/// No interrupt has a handler: all are held off from start-up on. Those that are enabled end a sleep.
public struct NRF52Controller: NRF52Bluetooth, ~Copyable {
  private var arrivals = NRF.UARTEArrivals(Self.registers)
  private var port = NRF.GPIO(FixedRegisters<0x500003>())

  public init() {}

  /// UARTE0, interrupt 2.
  private static var registers: MappedRegisters { MappedRegisters(at: 0x4000_2000) }
  private static var interrupt: UInt32 { 2 }

  public mutating func enableInterrupts<Kit: NRF52Kit>(_ sleeper: inout NRF52Sleep<Kit>) {
    sleeper.control.enable(Self.interrupt)
    for index in 0..<NRF52Sleep<Kit>.count { sleeper.control.enable(NRF52Sleep<Kit>.number(index)) }
  }

  /// Bytes from the controller are collected for one to two milliseconds, so that they are processed packet
  /// by packet and not byte by byte. The two halves of the buffer of the line hold 2.5 ms of them each.
  public mutating func sleep<Kit: NRF52Kit>(until deadline: Instant, _ sleeper: inout NRF52Sleep<Kit>) -> Bool
  {
    guard stop(until: deadline, &sleeper) else { return false }
    guard arrivals.hasBegun else { return true }
    arrivals.hold(true)
    let gathered = sleeper.clock.now() + .milliseconds(2)
    _ = stop(until: gathered < deadline ? gathered : deadline, &sleeper)
    arrivals.hold(false)
    return true
  }

  @inline(never)
  private mutating func stop<Kit: NRF52Kit>(until deadline: Instant, _ sleeper: inout NRF52Sleep<Kit>) -> Bool
  {
    sleeper.control.forget(Self.interrupt)
    guard sleeper.prepare(until: deadline) else { return false }
    sleeper.stop()
    sleeper.clock.acknowledge()
    return true
  }

  public static var hasReset: Bool { true }
  public mutating func holdReset(_ isHeld: Bool) { port.set(Pins.controllerReset, !isHeld) }
  public static var overruns: UInt32 { controllerFaults?.faults.overruns ?? 0 }
  public static var stopsCrystal: Bool { false }
}

extension NRF52Board where Bluetooth == NRF52Controller {
  /// The line to the Bluetooth controller, switched on. To be called once, when the board has been made.
  ///
  /// H4 with flow control at 1 Mbaud. For a controller with another speed, change it here.
  public static func controllerLine() -> NRF52Line {
    let memory = unsafe NRF.UARTEMemory(&controllerMemory)
    var line = NRF52Line(
      MappedRegisters(at: 0x4000_2000), counter: MappedRegisters(at: 0x4000_9000),
      ppi: MappedRegisters(at: 0x4001_F000), wiring: NRF.UARTEWiring(), memory: memory)
    controllerFaults = memory
    line.start(Pins.controllerLine, .baud1M)
    return line
  }
}
