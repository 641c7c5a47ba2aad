import HeraldBluetooth
import HeraldChips
import HeraldHAL
import HeraldLinkLayer
import Startup

/// The radio of the chip. The delays of the nRF52840 are those of the nRF52833.
public typealias NRF52RadioPeripheral = NRF.Radio<NRF.NRF52833, FixedRegisters<0x400000>>
/// The link layer of a board without a controller, with four connections.
typealias NRF52LinkLayer = LinkLayer<NRF52RadioPeripheral, 4>
/// The link layer as the radio of a host.
public typealias NRF52LinkLayerRadio = LinkLayerRadio<NRF52RadioPeripheral, NRF52ProceduresHold, 4>

// The link layer is in static memory, because interrupt handlers use it; `LinkLayer` and `LinkLayerRadio`
// state what they share with the loop, and why that is safe. It is created once, before its interrupts are
// enabled.
nonisolated(unsafe) private var radioStorage = NRF.RadioStorage()
nonisolated(unsafe) private var linkLayerMemory: [300 of UInt64] = .init(repeating: 0)
/// `procedures` has run since the loop last polled the radio.
nonisolated(unsafe) private var hasNews = false

private var memory: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(&linkLayerMemory) }
private var linkLayer: UnsafeMutablePointer<NRF52LinkLayer> {
  unsafe memory.assumingMemoryBound(to: NRF52LinkLayer.self)
}

/// The interrupts of the link layer.
private enum RadioInterrupt {
  static var radio: UInt32 { 1 }
  static var counter: UInt32 { 11 }
  /// SWI0, for `procedures`.
  static var procedures: UInt32 { 20 }
}

/// The handler of RADIO, which has the highest priority.
@_cdecl("IRQ1_Handler") func radioInterrupted() {
  guard unsafe linkLayer.pointee.radioInterrupt() else { return }
  var control = CortexM.SystemControl(CortexM.SystemControlRegisters())
  control.pend(RadioInterrupt.procedures)
}

/// The handler of RTC0, which has the same priority.
@_cdecl("IRQ11_Handler") func radioCounterInterrupted() { radioInterrupted() }

/// The handler of SWI0, below them.
@_cdecl("IRQ20_Handler") func proceduresInterrupted() {
  unsafe linkLayer.pointee.procedures()
  hasNews = true
}

/// Holds SWI0 off while the loop uses the link layer.
public struct NRF52ProceduresHold: ProceduresHold {
  init() {}

  /// Disables SWI0. Its handler has returned, because the loop runs.
  public mutating func hold() {
    var control = CortexM.SystemControl(CortexM.SystemControlRegisters())
    control.disable(RadioInterrupt.procedures)
    startup_order_memory()
  }

  /// Enables SWI0.
  public mutating func release() {
    startup_order_memory()
    var control = CortexM.SystemControl(CortexM.SystemControlRegisters())
    control.enable(RadioInterrupt.procedures)
  }
}

/// The radio of the chip as the Bluetooth part of the board.
///
/// RADIO, RTC0 and SWI0 have handlers. The interrupts that only end a sleep have none: they are enabled only
/// during a sleep, while all handlers are held off.
public struct NRF52OwnRadio: NRF52Bluetooth, ~Copyable {
  public init() {}

  /// The interrupts of the radio are enabled when the link layer has been created.
  public mutating func enableInterrupts(_ sleeper: inout NRF52Sleep) {}

  /// Interrupts of the radio do not end the sleep unless `procedures` has run: otherwise the loop has nothing
  /// to process.
  public mutating func sleep(until deadline: Instant, _ sleeper: inout NRF52Sleep) -> Bool {
    guard sleeper.prepare(until: deadline) else { return false }
    var hasStopped = false
    var isDue = false
    while !isDue {
      // From here on a handler cannot run between the look at `hasNews` and the stop, which would then last
      // until the deadline. An interrupt that becomes pending ends the stop.
      startup_hold_interrupts()
      isDue = unsafe hasNews
      if !isDue {
        for index in 0..<NRF52Sleep.count { sleeper.control.enable(NRF52Sleep.number(index)) }
        sleeper.stop()
        hasStopped = true
        for index in 0..<NRF52Sleep.count {
          let number = NRF52Sleep.number(index)
          sleeper.control.disable(number)
          if sleeper.control.isPending(number) { isDue = true }
        }
      }
      startup_let_interrupts()
    }
    unsafe hasNews = false
    sleeper.clock.acknowledge()
    return hasStopped
  }

  public static var hasReset: Bool { false }
  public mutating func holdReset(_ isHeld: Bool) {}
  public static var overruns: UInt32 { 0 }
}

extension NRF52Board where Bluetooth == NRF52OwnRadio {
  /// The radio of the chip, switched on. To be called once, when the board has been made.
  public static func makeRadio() -> NRF52LinkLayerRadio {
    // An image whose link layer does not fit stops here, at its first start.
    guard MemoryLayout<NRF52LinkLayer>.size <= MemoryLayout<[300 of UInt64]>.size else { while true {} }
    // 20 ppm of the crystal, and 30 ppm for its temperature and ageing.
    var radio = unsafe NRF52RadioPeripheral(
      FixedRegisters(), memory: NRF.RadioMemory(&radioStorage), clockDeviation: 50, keepsCrystal: true)
    radio.switchOn()
    var generator = random()
    let layer = unsafe NRF52LinkLayer.create(in: memory, radio: radio, seed: generator.next())
    var control = CortexM.SystemControl(CortexM.SystemControlRegisters())
    control.setPriority(RadioInterrupt.radio, 0)
    control.setPriority(RadioInterrupt.counter, 0)
    control.setPriority(RadioInterrupt.procedures, 1)
    control.enable(RadioInterrupt.radio)
    control.enable(RadioInterrupt.counter)
    control.enable(RadioInterrupt.procedures)
    startup_let_interrupts()
    return unsafe NRF52LinkLayerRadio(layer, hold: NRF52ProceduresHold())
  }
}
