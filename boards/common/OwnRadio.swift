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

  /// Enables SWI0.
  public mutating func release() {
    startup_order_memory()
    var control = CortexM.SystemControl(CortexM.SystemControlRegisters())
    control.enable(RadioInterrupt.procedures)
  }
}

/// Creates the link layer on a radio that is switched on, and enables its interrupts. To be called once.
func startLinkLayer(on radio: consuming OwnRadioPeripheral, seed: UInt32) -> OwnLinkLayerRadio {
  // An image whose link layer does not fit stops here, at its first start.
  guard MemoryLayout<OwnLinkLayer>.size <= MemoryLayout.size(ofValue: linkLayerMemory) else { while true {} }
  let layer = unsafe OwnLinkLayer.create(in: memory, radio: radio, seed: seed)
  var control = CortexM.SystemControl(CortexM.SystemControlRegisters())
  control.setPriority(RadioInterrupt.radio, 0)
  control.setPriority(RadioInterrupt.counter, 0)
  control.setPriority(RadioInterrupt.procedures, 1)
  control.enable(RadioInterrupt.radio)
  control.enable(RadioInterrupt.counter)
  control.enable(RadioInterrupt.procedures)
  startup_let_interrupts()
  return unsafe OwnLinkLayerRadio(layer, hold: SWIHold())
}
