import HeraldChips
import HeraldFirmware

// The queues of both lines, and the services that move bytes between them and the hardware in interrupts.
// Each is given out once, at start. `SerialQueues` states what the handlers and the loop share, and why that
// is safe.
nonisolated(unsafe) private var controllerStorage = SerialStorage<1024, 512>()
nonisolated(unsafe) private var managementStorage = SerialStorage<256, 256>()
nonisolated(unsafe) private var controllerHandler: CMSDK.UARTInterrupt<MappedRegisters>?
nonisolated(unsafe) private var managementHandler: CMSDK.UARTInterrupt<MappedRegisters>?

/// The handlers of both lines.
@_cdecl("IRQ0_Handler") func controllerReceived() { controllerHandler?.handle() }
@_cdecl("IRQ1_Handler") func controllerSent() { controllerHandler?.handle() }
@_cdecl("IRQ2_Handler") func managementReceived() { managementHandler?.handle() }
@_cdecl("IRQ3_Handler") func managementSent() { managementHandler?.handle() }

/// A UART of the board.
public typealias Line = CMSDK.UART<MappedRegisters>

extension CMSDK.UART: @retroactive ByteLine where Block: RegisterBlock {}

/// Both lines. Each may be started once.
enum Lines {
  /// The line to the controller at 1 Mbaud, switched on.
  static func startController() -> Line {
    var line = unsafe Line(Pins.controllerLine, queues: SerialQueues(&controllerStorage))
    controllerHandler = line.interrupt
    line.start(divisor: 25)
    return line
  }

  /// The management line at 115,200 baud, switched on.
  static func startManagement() -> Line {
    var line = unsafe Line(Pins.managementLine, queues: SerialQueues(&managementStorage))
    managementHandler = line.interrupt
    line.start(divisor: 217)
    return line
  }

  /// The number of received bytes in the queues. To be called while interrupts are held off.
  static var waiting: Int {
    (controllerHandler?.queues.waiting ?? 0) &+ (managementHandler?.queues.waiting ?? 0)
  }

  /// The number of losses of bytes from the controller.
  static var overruns: UInt32 { controllerHandler?.queues.faults.overruns ?? 0 }
}
