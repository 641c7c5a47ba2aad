import HeraldHostLink

/// The flash controller of nRF51 and nRF52, driven from outside (reference manual and product specifications,
/// "NVMC").
///
/// The probe itself waits for READY, so that many pages fit in one packet.
struct FlashController {
  private static let ready: UInt32 = 0x4001_E400
  private static let configuration: UInt32 = 0x4001_E504
  private static let erasePage: UInt32 = 0x4001_E508
  private static let eraseAll: UInt32 = 0x4001_E50C
  private static let eraseConfiguration: UInt32 = 0x4001_E514
  private static let readOnly: UInt32 = 0
  private static let writable: UInt32 = 1
  private static let erasable: UInt32 = 2

  /// UICR.APPROTECT, and the value that keeps the debug port open.
  private static let accessProtection: UInt32 = 0x1000_1208
  private static let open: UInt32 = 0x0000_005A
  /// UICR.RBPCONF of an nRF51: bits 8 to 15 are zero when all is protected.
  private static let readBackProtection: UInt32 = 0x1000_1004

  private let port: DebugPort

  /// The flash controller of the chip behind `port`.
  init(_ port: DebugPort) { self.port = port }

  /// Performs `steps` with the controller in `mode`, then sets it to read-only.
  private func perform(_ mode: UInt32, _ steps: (inout RegisterBatch) -> Void) throws(ProbeError) {
    _ = try port.perform { batch in
      batch.writeWord(Self.configuration, mode)
      steps(&batch)
      batch.writeWord(Self.configuration, Self.readOnly)
      batch.park()
    }
  }

  /// Erases the pages at `addresses`.
  func erase(pages addresses: [UInt32]) throws(ProbeError) {
    try perform(Self.erasable) { batch in
      for address in addresses {
        batch.writeWord(Self.erasePage, address)
        batch.waitWord(Self.ready, for: 1, mask: 1)
      }
    }
  }

  /// Erases flash and UICR, which takes no longer than `timeout`.
  func eraseEverything(_ timeout: Duration) throws(ProbeError) { try begin(Self.eraseAll, timeout) }

  /// Starts the operation of `register` and waits for its completion, longer than a probe waits by itself.
  private func begin(_ register: UInt32, _ timeout: Duration) throws(ProbeError) {
    _ = try port.perform { batch in
      batch.writeWord(Self.configuration, Self.erasable)
      batch.writeWord(register, 1)
    }
    let deadline = Deadline.after(timeout)
    while true {
      do throws(ProbeError) {
        _ = try port.perform { $0.waitWord(Self.ready, for: 1, mask: 1) }
        break
      } catch .mismatch {
        if deadline.hasPassed { throw .mismatch }
      }
    }
    _ = try port.perform { batch in
      batch.writeWord(Self.configuration, Self.readOnly)
      batch.park()
    }
  }

  /// Changes the words of UICR from `address` on from `old` to `new`. Bits can be set only by erasing all of
  /// UICR.
  func writeUICR(_ old: [UInt32], _ new: [UInt32], at address: UInt32, _ timeout: Duration)
    throws(ProbeError)
  {
    var present = old
    if zip(old, new).contains(where: { $0 & $1 != $1 }) {
      try begin(Self.eraseConfiguration, timeout)
      present = [UInt32](repeating: .max, count: old.count)
    }
    try perform(Self.writable) { batch in
      for index in new.indices where present[index] != new[index] {
        batch.writeWord(address + UInt32(4 * index), new[index])
        batch.waitWord(Self.ready, for: 1, mask: 1)
      }
    }
  }

  /// Waits for the completion of an operation started by the firmware or a stopped loader.
  func settle() throws(ProbeError) {
    _ = try port.perform { batch in
      batch.waitWord(Self.ready, for: 1, mask: 1)
      batch.park()
    }
  }

  /// Keeps the debug port of an erased chip open beyond the next reset.
  func keepOpen() throws(ProbeError) {
    try perform(Self.writable) { batch in
      batch.writeWord(Self.accessProtection, Self.open)
      batch.waitWord(Self.ready, for: 1, mask: 1)
    }
  }

  /// Closes the debug port from the next reset on. Bits are only cleared: UICR is not erased, and its other
  /// words stay.
  func close() throws(ProbeError) {
    let present = try port.perform { $0.readWord(Self.accessProtection) }.first ?? 0
    guard present & 0xFF != 0 else { return }
    try perform(Self.writable) { batch in
      batch.writeWord(Self.accessProtection, present & ~0xFF)
      batch.waitWord(Self.ready, for: 1, mask: 1)
    }
  }

  /// Whether all of an nRF51's flash is protected from being read.
  func isReadBackProtected() throws(ProbeError) -> Bool {
    let word = try port.perform { $0.readWord(Self.readBackProtection) }.first ?? .max
    return word & 0xFF00 == 0
  }
}
