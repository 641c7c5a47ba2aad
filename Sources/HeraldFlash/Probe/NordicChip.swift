import HeraldHostLink
import HeraldText

/// What kind of nRF51 or nRF52 is behind a debug port, from its access ports and its factory information
/// (FICR).
struct NordicChip: Equatable {
  /// The chip's name as in `linker/CHIP.ld`, such as `nrf52840`; for an nRF51 always `nrf51822`.
  let name: String
  /// Package and build code, such as `AAF0`; empty if the chip does not say.
  let variant: String
  /// Bytes of a flash page.
  let pageSize: UInt32
  /// Bytes of flash, which begins at 0.
  let flashSize: UInt32
  /// Bytes of RAM, which begins at 0x20000000.
  let ramSize: UInt32
  /// The unique number of the chip.
  let serialNumber: UInt64

  /// Where RAM begins.
  static let ram: UInt32 = 0x2000_0000

  /// Whether a reset may lock its debug port until firmware opens it, and for certain does while
  /// `UICR.APPROTECT` is erased (Nordic's IN-141: build codes from the one named here on).
  var locksAtReset: Bool {
    let first: [String: Character] = [
      "nrf52805": "B", "nrf52810": "E", "nrf52811": "B", "nrf52820": "D", "nrf52832": "G", "nrf52833": "B",
      "nrf52840": "F",
    ]
    guard let threshold = first[name], let build = variant.dropFirst(2).first else { return false }
    return build >= threshold
  }

  /// Reads FICR; `nil` if the chip is of another family.
  /// - Precondition: the memory is not locked.
  static func identify(_ port: DebugPort) throws(ProbeError) -> NordicChip? {
    let addresses: [UInt32] = [
      0x1000_0010,  // CODEPAGESIZE, bytes
      0x1000_0014,  // CODESIZE, pages
      0x1000_0034,  // NUMRAMBLOCK (nRF51)
      0x1000_0038,  // SIZERAMBLOCKS (nRF51), bytes
      0x1000_0060,  // DEVICEID
      0x1000_0064,
      0x1000_0100,  // INFO.PART
      0x1000_0104,  // INFO.VARIANT, four characters, the first highest
      0x1000_010C,  // INFO.RAM, KB
      0xE000_ED00,  // CPUID
    ]
    let words = try port.perform { batch in for address in addresses { batch.readWord(address) } }
    guard words.count == addresses.count else { return nil }
    let part = words[6]
    // Early nRF51 have no INFO; those have a Cortex-M0 and pages of 1 KB.
    let isFirstGeneration = part >> 12 == 0x51 || part == .max && words[9] & 0xFFF0 == 0xC200
    let pageSize = words[0]
    let (flashSize, isTooLarge) = pageSize.multipliedReportingOverflow(by: words[1])
    guard isFirstGeneration || part >> 12 == 0x52, pageSize == (isFirstGeneration ? 1024 : 4096), !isTooLarge,
      flashSize > 0, flashSize <= 16 << 20
    else { return nil }
    var ramSize = UInt32(16 << 10)
    if isFirstGeneration {
      let (size, overflow) = words[2].multipliedReportingOverflow(by: words[3])
      if !overflow, (8 << 10)...(64 << 10) ~= size { ramSize = size }
    } else if (16...1024).contains(words[8]) {
      ramSize = words[8] << 10
    }
    let letters = stride(from: UInt32(24), through: 0, by: -8).map { UInt8(words[7] >> $0 & 0xFF) }
    let isText = letters.allSatisfy { (0x30...0x5A).contains($0) }
    return NordicChip(
      name: isFirstGeneration ? "nrf51822" : "nrf\(part.hexadecimal(5))",
      variant: isText ? String(decoding: letters, as: UTF8.self) : "", pageSize: pageSize,
      flashSize: flashSize, ramSize: ramSize, serialNumber: UInt64(words[5]) << 32 | UInt64(words[4]))
  }
}

/// The lock of an nRF52's debug port, and the way to open it: the control access port (product specification,
/// "CTRL-AP"), which stays accessible and whose ERASEALL erases everything, including the lock.
struct ControlAccessPort {
  private static let number: UInt32 = 1
  private static let reset: UInt32 = 0x00
  private static let eraseAll: UInt32 = 0x04
  private static let eraseAllStatus: UInt32 = 0x08
  private static let protection: UInt32 = 0x0C
  private static let identification: UInt32 = 0xFC

  private let port: DebugPort

  /// The access port of the chip behind `port`.
  init(_ port: DebugPort) { self.port = port }

  /// Whether the memory is locked; `nil` if the chip has no such port, as an nRF51 has none.
  ///
  /// Read twice, and compared with the enable state of the memory access port: a bad contact also reads as
  /// zeros, and unlocking erases the chip.
  func isLocked() throws(ProbeError) -> Bool? {
    let words = try port.perform { batch in
      batch.read(port: Self.number, register: Self.identification)
      batch.read(port: Self.number, register: Self.protection)
      batch.read(port: Self.number, register: Self.protection)
      batch.read(port: 0, register: 0x00)
    }
    guard words.count == 4, words[0] & 0x0FFF_FFFF == 0x0288_0000 else { return nil }
    let isProtected = words[1] & 1 == 0 && words[2] & 1 == 0
    return isProtected && words[3] & 0x40 == 0
  }

  /// Erases flash, UICR and RAM, which takes no longer than `timeout`, and opens the debug port until the
  /// next reset.
  func eraseAll(_ timeout: Duration) throws(ProbeError) {
    try eraseOnce(timeout)
    // Chips of later revisions are open now, and might lock themselves again at a reset; earlier ones open
    // with it.
    guard try isLocked() == true else { return }
    try resetChip()
    // Of later revisions a program may have forced the lock until that reset (APPROTECT.FORCEPROTECT). There
    // is no program any more, and another erasure opens it.
    guard try isLocked() == true else { return }
    try eraseOnce(timeout)
  }

  private func eraseOnce(_ timeout: Duration) throws(ProbeError) {
    _ = try port.perform { $0.write(port: Self.number, register: Self.eraseAll, 1) }
    let deadline = Deadline.after(timeout)
    while true {
      do throws(ProbeError) {
        _ = try port.perform {
          $0.wait(port: Self.number, register: Self.eraseAllStatus, for: 0, mask: 1)
        }
        break
      } catch .mismatch {
        if deadline.hasPassed { throw .mismatch }
      }
    }
    _ = try port.perform { $0.write(port: Self.number, register: Self.eraseAll, 0) }
  }

  /// Resets the chip, which reads UICR again. Works while the debug port is closed, too.
  func resetChip() throws(ProbeError) {
    _ = try port.perform { batch in
      batch.write(port: Self.number, register: Self.reset, 1)
      batch.write(port: Self.number, register: Self.reset, 0)
    }
  }
}
