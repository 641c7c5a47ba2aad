import HeraldChips
import HeraldHAL
import HeraldLinkLayer
import Startup

// The link layer of a board on the radio of its chip. It is in static memory, `linkLayerMemory` of the
// module, because interrupt handlers use it; `LinkLayer` and `LinkLayerRadio` state what they share with the
// loop, and why that is safe. It is created once, before its interrupts are enabled.

/// `procedures` has run since the loop last polled the radio.
nonisolated(unsafe) var hasNews = false

private var memory: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(&linkLayerMemory) }
private var linkLayer: UnsafeMutablePointer<OwnLinkLayer> {
  unsafe memory.assumingMemoryBound(to: OwnLinkLayer.self)
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
public struct SWIHold: ProceduresHold {
  init() {}

  /// Disables SWI0. Its handler has returned, because the loop runs.
  public mutating func hold() {
    var control = CortexM.SystemControl(CortexM.SystemControlRegisters())
    control.disable(RadioInterrupt.procedures)
    startup_order_memory()
  }

  /// Enables SWI0. Its handler runs before the return if it is pending: a loop that waits for `procedures`
  /// repeats both calls, and leaves no instructions between them for an interrupt that is taken late.
  public mutating func release() {
    startup_order_memory()
    var control = CortexM.SystemControl(CortexM.SystemControlRegisters())
    control.enable(RadioInterrupt.procedures)
    startup_take_interrupts()
  }
}

/// Whether the link layer has been created. Only the loop uses it.
nonisolated(unsafe) private var isCreated = false

/// Time between the events of the link layer, for the flash; before there is a link layer, at once.
public struct OwnRadioPause: RadioPause {
  /// There is a radio.
  public static var isRequired: Bool { true }

  public init() {}

  /// Waits until the link layer has no event for this time, for at most 40 ms.
  public mutating func begin(microseconds: UInt32) {
    guard unsafe isCreated else { return }
    var pause = unsafe OwnLinkLayerPause(linkLayer, hold: SWIHold())
    pause.begin(microseconds: microseconds)
  }

  /// Lets the link layer continue.
  public mutating func end() {
    guard unsafe isCreated else { return }
    var pause = unsafe OwnLinkLayerPause(linkLayer, hold: SWIHold())
    pause.end()
  }
}

/// A function that does not exist: an image whose link layer is larger than its memory cannot be linked, and
/// the linker's message names this function. It would otherwise stop at its first start.
@_silgen_name("linkLayerMemory_is_too_small")
private func linkLayerMemoryIsTooSmall() -> Never

/// Creates the link layer on a radio that is switched on, and enables its interrupts. To be called once.
func startLinkLayer(on radio: consuming OwnRadioPeripheral, seed: UInt32) -> OwnLinkLayerRadio {
  // Both sizes are known to the compiler, which removes the call where the link layer fits.
  guard MemoryLayout<OwnLinkLayer>.size <= MemoryLayout.size(ofValue: linkLayerMemory) else {
    linkLayerMemoryIsTooSmall()
  }
  let layer = unsafe OwnLinkLayer.create(in: memory, radio: radio, seed: seed)
  var control = CortexM.SystemControl(CortexM.SystemControlRegisters())
  control.setPriority(RadioInterrupt.radio, 0)
  control.setPriority(RadioInterrupt.counter, 0)
  control.setPriority(RadioInterrupt.procedures, 1)
  control.enable(RadioInterrupt.radio)
  control.enable(RadioInterrupt.counter)
  control.enable(RadioInterrupt.procedures)
  startup_let_interrupts()
  unsafe isCreated = true
  return unsafe OwnLinkLayerRadio(layer, hold: SWIHold())
}
