import HeraldChips

/// The line to the Bluetooth controller: UART0.
public typealias Line = NRF.UART<MappedRegisters>
/// The chip's generator.
public typealias Random = NRF.RNG<MappedRegisters>

// The line's queues, and what moves bytes between them and the hardware when it interrupts. They are handed out once, at start; what the handler and
// the loop share from then on, and why that is safe, is said at `SerialQueues`. The longest packet has 256 bytes.
nonisolated(unsafe) private var storage = SerialStorage<256, 256>()
nonisolated(unsafe) private var queues: SerialQueues?
nonisolated(unsafe) private var handler: NRF.UARTInterrupt<MappedRegisters>?

/// The vector table's entry for UART0.
@_cdecl("IRQ2_Handler") func controllerLineInterrupted() { handler?.handle() }

extension Board {
  /// The line to the Bluetooth controller, switched on. To be taken once.
  ///
  /// H4 with flow control at a megabit a second. A controller of another speed is told here.
  public static func controllerLine() -> Line {
    let shared = unsafe SerialQueues(&storage)
    queues = shared
    var line = Line(MappedRegisters(at: 0x4000_2000), queues: shared)
    handler = line.interrupt
    line.start(Pins.controllerLine, .baud1M)
    return line
  }

  /// The source of random numbers.
  public static func random() -> Random { Random(MappedRegisters(at: 0x4000_D000)) }

  /// Five bytes at a megabit a second, in microseconds: what the FIFO holds, less a byte's time to look at it. Who looks later loses time, not bytes:
  /// the hardware holds the controller off when the FIFO is nearly full.
  static var gatherMicroseconds: UInt32 { 50 }
  /// What serves the line: for calling it with interrupts held.
  static var lineService: NRF.UARTInterrupt<MappedRegisters>? { handler }

  /// Whether bytes have come that the loop has not taken. To be asked with interrupts held.
  static var hasInput: Bool { (queues?.waiting ?? 0) > 0 }
  /// How often bytes from the controller were lost.
  static var lostBytes: UInt32 { queues?.faults.overruns ?? 0 }
}
