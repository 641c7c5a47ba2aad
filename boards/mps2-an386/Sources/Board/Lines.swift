import HeraldChips
import HeraldFirmware

// The queues of both lines, and what moves bytes between them and the hardware when it interrupts. Each is
// handed out once, at start; what the handlers and the loop share from then on, and why that is safe, is said
// at `SerialQueues`.
nonisolated(unsafe) private var controllerStorage = SerialStorage<1024, 512>()
nonisolated(unsafe) private var managementStorage = SerialStorage<256, 256>()
nonisolated(unsafe) private var controllerHandler: CMSDK.UARTInterrupt<MappedRegisters>?
nonisolated(unsafe) private var managementHandler: CMSDK.UARTInterrupt<MappedRegisters>?

/// The vector table's entries for both lines.
@_cdecl("IRQ0_Handler") func controllerReceived() { controllerHandler?.handle() }
@_cdecl("IRQ1_Handler") func controllerSent() { controllerHandler?.handle() }
@_cdecl("IRQ2_Handler") func managementReceived() { managementHandler?.handle() }
@_cdecl("IRQ3_Handler") func managementSent() { managementHandler?.handle() }

/// A UART of the board.
public typealias Line = CMSDK.UART<MappedRegisters>

extension CMSDK.UART: @retroactive ByteLine where Block: RegisterBlock {}

/// Both lines. Each is to be started once.
enum Lines {
  /// The line to the controller at a megabit a second, switched on.
  static func startController() -> Line {
    var line = unsafe Line(Pins.controllerLine, queues: SerialQueues(&controllerStorage))
    controllerHandler = line.interrupt
    line.start(divisor: 25)
    return line
  }

  /// The management line at 115,200 bits a second, switched on.
  static func startManagement() -> Line {
    var line = unsafe Line(Pins.managementLine, queues: SerialQueues(&managementStorage))
    managementHandler = line.interrupt
    line.start(divisor: 217)
    return line
  }

  /// How many bytes have come that the loop has not taken. To be asked with interrupts held.
  static var waiting: Int {
    (controllerHandler?.queues.waiting ?? 0) &+ (managementHandler?.queues.waiting ?? 0)
  }

  /// How often bytes from the controller were lost.
  static var overruns: UInt32 { controllerHandler?.queues.faults.overruns ?? 0 }
}
