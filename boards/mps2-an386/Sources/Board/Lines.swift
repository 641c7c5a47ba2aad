import HeraldChips
import HeraldFirmware

// The queues of both lines, and what moves bytes between them and the hardware when it interrupts. Each is handed out once, at start; what the
// handlers and the loop share from then on, and why that is safe, is said at `CMSDK.UARTMemory`.
nonisolated(unsafe) private var controllerQueues = CMSDK.UARTStorage<1024, 512>()
nonisolated(unsafe) private var managementQueues = CMSDK.UARTStorage<256, 256>()
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
    let memory = unsafe CMSDK.UARTMemory(&controllerQueues)
    var line = Line(Pins.controllerLine, memory: memory)
    controllerHandler = line.interrupt
    line.start(divisor: 25)
    return line
  }

  /// The management line at 115,200 bits a second, switched on.
  static func startManagement() -> Line {
    let memory = unsafe CMSDK.UARTMemory(&managementQueues)
    var line = Line(Pins.managementLine, memory: memory)
    managementHandler = line.interrupt
    line.start(divisor: 217)
    return line
  }

  /// How many bytes have come that the loop has not taken. To be asked with interrupts held.
  static var waiting: Int {
    (controllerHandler?.memory.waiting ?? 0) &+ (managementHandler?.memory.waiting ?? 0)
  }

  /// How often bytes from the controller were lost.
  static var overruns: UInt32 { controllerHandler?.memory.overruns ?? 0 }
}
