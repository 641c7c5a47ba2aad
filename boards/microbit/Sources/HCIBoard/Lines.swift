import HeraldChips
import HeraldHAL

/// The line to the Bluetooth controller: UART0.
public typealias Line = NRF.UART<ControllerLine.Registers>
/// The random number generator of the chip.
public typealias Random = NRF.RNG<FixedRegisters<0x4000D0>>

// The queues of the line. `SerialQueues` states what the interrupt handler and the loop share, and why that
// is safe. The longest packet has 256 bytes.
nonisolated(unsafe) private var storage = SerialStorage<256, 256>()

/// The peripheral of the line.
public enum ControllerLine {
  /// UART0, at 0x4000_2000, interrupt 2.
  public typealias Registers = FixedRegisters<0x400020>
  static var interrupt: UInt32 { 2 }
  static var queues: SerialQueues { unsafe SerialQueues(&storage) }
  /// Moves bytes between the queues and the hardware. Created at each use: it consists of constant addresses,
  /// which become part of the code.
  static var service: NRF.UARTInterrupt<Registers> {
    NRF.UARTInterrupt(Registers(), queues: queues)
  }
}

/// The handler of UART0.
@_cdecl("IRQ2_Handler") func controllerLineInterrupted() {
  var service = ControllerLine.service
  service.handle()
}

extension Board {
  /// The line to the Bluetooth controller, switched on. To be called once.
  ///
  /// H4 with flow control at 1 Mbaud. For a controller with another speed, change it here.
  public static func controllerLine() -> Line {
    var line = Line(ControllerLine.Registers(), queues: ControllerLine.queues)
    line.start(Pins.controllerLine, .baud1M)
    return line
  }

  /// The source of random numbers.
  public static func random() -> Random { Random(FixedRegisters()) }

  /// The time of six bytes, the capacity of the FIFO, at 1 Mbaud, in microseconds. If the FIFO is read later,
  /// no byte is lost: the hardware stops the controller by flow control when the FIFO is nearly full.
  static var gatherMicroseconds: UInt32 { 60 }
  /// Whether received bytes are in the queue. To be called while interrupts are held off.
  static var hasInput: Bool {
    var service = ControllerLine.service
    return service.hasByte || ControllerLine.queues.waiting > 0
  }
  /// The number of losses of bytes from the controller.
  static var lostBytes: UInt32 { ControllerLine.queues.faults.overruns }
}
