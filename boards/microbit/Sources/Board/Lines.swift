import HeraldChips
import HeraldHAL

/// The line to the Bluetooth controller: UART0.
public typealias Line = NRF.UART<ControllerLine.Registers>
/// The radio is in another processor: the flash is operated at once.
public typealias FlashPause = NoRadioPause
/// The chip's generator.
public typealias Random = NRF.RNG<FixedRegisters<0x4000D0>>

// The line's queues. What the interrupt's handler and the loop share, and why that is safe, is said at
// `SerialQueues`. The longest packet has 256 bytes.
nonisolated(unsafe) private var storage = SerialStorage<256, 256>()

/// Where the line is.
public enum ControllerLine {
  /// UART0, at 0x4000_2000, interrupt 2.
  public typealias Registers = FixedRegisters<0x400020>
  static var interrupt: UInt32 { 2 }
  static var queues: SerialQueues { unsafe SerialQueues(&storage) }
  /// What moves bytes between the queues and the hardware. Made where it is wanted: it is all addresses,
  /// which the code then has in it.
  static var service: NRF.UARTInterrupt<Registers> {
    NRF.UARTInterrupt(Registers(), queues: queues)
  }
}

/// The vector table's entry for UART0.
@_cdecl("IRQ2_Handler") func controllerLineInterrupted() {
  var service = ControllerLine.service
  service.handle()
}

extension Board {
  /// The line to the Bluetooth controller, switched on. To be taken once.
  ///
  /// H4 with flow control at a megabit a second. For a controller of another speed, change it here.
  public static func controllerLine() -> Line {
    var line = Line(ControllerLine.Registers(), queues: ControllerLine.queues)
    line.start(Pins.controllerLine, .baud1M)
    return line
  }

  /// The source of random numbers.
  public static func random() -> Random { Random(FixedRegisters()) }

  /// Six bytes at a megabit a second, in microseconds: what the FIFO holds. Who looks later loses time, not
  /// bytes: the hardware holds the controller off when the FIFO is nearly full.
  static var gatherMicroseconds: UInt32 { 60 }
  /// Whether bytes have come that the loop has not taken. To be asked with interrupts held.
  static var hasInput: Bool {
    var service = ControllerLine.service
    return service.hasByte || ControllerLine.queues.waiting > 0
  }
  /// How often bytes from the controller were lost.
  static var lostBytes: UInt32 { ControllerLine.queues.faults.overruns }
}
