/// Halts, configures, starts and resets the processor (ARMv6-M and ARMv7-M architecture reference manuals,
/// C1).
struct CortexCore {
  /// A register of the core, by its number in DCRSR.
  enum Register: UInt32 {
    case r0 = 0, r1, r2, r3
    case stackPointer = 13
    case programCounter = 15, status
    /// CONTROL, FAULTMASK, BASEPRI and PRIMASK, from the highest byte down.
    case special = 20
  }

  private static let controlAndStatus: UInt32 = 0xE000_EDF0
  private static let registerSelector: UInt32 = 0xE000_EDF4
  private static let registerData: UInt32 = 0xE000_EDF8
  private static let exceptionControl: UInt32 = 0xE000_EDFC
  private static let applicationInterrupt: UInt32 = 0xE000_ED0C
  private static let memoryProtection: UInt32 = 0xE000_ED94

  /// DHCSR: halting debug enabled, with the key required for writing.
  private static let running: UInt32 = 0xA05F_0001
  /// DHCSR: halting debug disabled.
  private static let free: UInt32 = 0xA05F_0000
  /// DHCSR: halting debug enabled, and the core halted.
  private static let halted: UInt32 = 0xA05F_0003
  /// S_REGRDY, S_HALT, S_LOCKUP and S_RESET_ST of DHCSR.
  private static let registerReady: UInt32 = 1 << 16
  private static let isHalted: UInt32 = 1 << 17
  private static let isLockedUp: UInt32 = 1 << 19
  private static let wasReset: UInt32 = 1 << 25
  /// VC_HARDERR and VC_CORERESET of DEMCR.
  private static let catchFault: UInt32 = 1 << 10
  private static let catchReset: UInt32 = 1
  /// SYSRESETREQ of AIRCR with its key: the whole chip but its debug port, so that no watchdog, radio or DMA
  /// of the old firmware runs on.
  private static let systemReset: UInt32 = 0x05FA_0004

  private let port: DebugPort

  /// The core behind `port`.
  init(_ port: DebugPort) { self.port = port }

  /// Resets the chip and stops its core before the first instruction. From then on a hard fault stops it as
  /// well.
  func resetAndHalt() throws(ProbeError) {
    _ = try port.perform { batch in
      batch.writeWord(Self.controlAndStatus, Self.halted)
      batch.writeWord(Self.exceptionControl, Self.catchFault | Self.catchReset)
      batch.writeWord(Self.applicationInterrupt, Self.systemReset)
      batch.waitWord(Self.controlAndStatus, for: Self.isHalted, mask: Self.isHalted)
      batch.writeWord(Self.exceptionControl, Self.catchFault)
    }
  }

  /// Halts the core, and enables the vector catch that halts it at a hard fault.
  func halt() throws(ProbeError) {
    _ = try port.perform { batch in
      batch.writeWord(Self.controlAndStatus, Self.halted)
      batch.waitWord(Self.controlAndStatus, for: Self.isHalted, mask: Self.isHalted)
      batch.writeWord(Self.exceptionControl, Self.catchFault)
      batch.writeWord(Self.memoryProtection, 0)
    }
  }

  /// Resets the chip and starts it, without a debugger.
  func restart() throws(ProbeError) {
    _ = try port.perform { batch in
      batch.writeWord(Self.exceptionControl, 0)
      batch.writeWord(Self.controlAndStatus, Self.free)
      batch.writeWord(Self.applicationInterrupt, Self.systemReset)
    }
  }

  /// Waits until the reset is complete and the core runs. A chip that locks itself at start does not report
  /// this.
  func waitForStart() throws(ProbeError) {
    _ = try port.perform {
      $0.waitWord(Self.controlAndStatus, for: Self.wasReset, mask: Self.wasReset | Self.isHalted)
    }
  }

  /// Adds to `batch` the accesses that set registers of the halted core.
  static func set(_ values: [(Register, UInt32)], in batch: inout RegisterBatch) {
    for (register, value) in values {
      batch.writeWord(registerData, value)
      batch.writeWord(registerSelector, 1 << 16 | register.rawValue)
      batch.waitWord(controlAndStatus, for: registerReady, mask: registerReady)
    }
  }

  /// Adds to `batch` the accesses that resume the core.
  static func run(in batch: inout RegisterBatch) { batch.writeWord(controlAndStatus, running) }

  /// Whether the core has stopped by itself or is locked up.
  func hasStopped() throws(ProbeError) -> Bool {
    let words = try port.perform { $0.readWord(Self.controlAndStatus) }
    return (words.first ?? 0) & (Self.isHalted | Self.isLockedUp) != 0
  }
}
