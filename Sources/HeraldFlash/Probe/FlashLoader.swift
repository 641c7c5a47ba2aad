import HeraldHAL
import HeraldHostLink
import HeraldImages

/// The program in the chip's RAM that writes its flash while the host sends the next data (FlashLoader.s).
///
/// A block of words requires one packet for each half kilobyte. No further packets are required: the command
/// follows the data in the same block, and the wait for the other slot is the last access in the packet that
/// fills this one.
final class FlashLoader {
  /// The commands of a slot.
  private enum Command {
    static let done: UInt32 = 0
    static let checksum: UInt32 = 1
    static let program: UInt32 = 2
    static let refused: UInt32 = .max
  }

  private static let tableOffset: UInt32 = 0x200
  private static let slotsOffset: UInt32 = 0x600
  private static let headerSize: UInt32 = 16
  /// The maximum data size of a slot: large enough for few partly filled packets, small enough for an early
  /// start of programming.
  private static let largestCapacity: UInt32 = 8192

  private let port: DebugPort
  private let core: CortexCore
  private let ram: UInt32
  private let pageSize: UInt32
  private let timeout: Duration
  /// Bytes of data that go in at once: whole pages.
  let capacity: Int
  private var slot = 0
  /// Whether each slot is in use; it is awaited before the slot is used again.
  private var isBusy = [false, false]

  /// For a chip with `ramSize` bytes of RAM from `ram` on, and flash pages of `pageSize` bytes; `nil` if no
  /// page fits in twice. `timeout`: how long it may need for one command.
  init?(
    _ port: DebugPort, _ core: CortexCore, ram: UInt32, ramSize: UInt32, pageSize: UInt32, timeout: Duration
  ) {
    guard ramSize > Self.slotsOffset + 2 * Self.headerSize, pageSize > 0 else { return nil }
    let room = min(Self.largestCapacity, (ramSize - Self.slotsOffset) / 2 - Self.headerSize)
    guard room >= pageSize else { return nil }
    self.port = port
    self.core = core
    self.ram = ram
    self.pageSize = pageSize
    self.timeout = timeout
    capacity = Int(room / pageSize * pageSize)
  }

  private func dataAddress(_ slot: Int) -> UInt32 {
    ram + Self.slotsOffset + UInt32(slot) * (UInt32(capacity) + Self.headerSize)
  }
  private func commandAddress(_ slot: Int) -> UInt32 { dataAddress(slot) + UInt32(capacity) + 12 }

  /// Loads the program into RAM and starts it. The core has to be halted.
  func start() throws(ProbeError) {
    slot = 0
    isBusy = [false, false]
    _ = try port.perform { batch in
      batch.writeBlock(ram, FlashLoaderCode.words)
      for slot in 0...1 { batch.writeWord(commandAddress(slot), Command.done) }
      CortexCore.set(
        [
          (.r0, dataAddress(0)), (.r1, UInt32(capacity)), (.r2, pageSize), (.r3, ram + Self.tableOffset),
          // Privileged, on the main stack, interrupts off, in Thumb: whatever the firmware was doing.
          (.special, 1), (.stackPointer, ram + Self.tableOffset), (.programCounter, ram), (.status, 1 << 24),
        ], in: &batch)
      CortexCore.run(in: &batch)
    }
  }

  /// The CRC-32 of each of `count` ranges of `size` bytes (a multiple of four) from `address` on, computed on
  /// the chip from what its flash holds.
  func checksums(of address: UInt32, size: Int, count: Int) throws(ProbeError) -> [UInt32] {
    var sums: [UInt32] = []
    while sums.count < count {
      let now = min(count - sums.count, capacity / 4)
      let start = address &+ UInt32(sums.count * size)
      try finish(slot)
      let used = slot
      // The results are read in the same packet. If the wait in it was too short they are invalid, and are
      // read again.
      func read(_ batch: inout RegisterBatch) { batch.readBlock(dataAddress(used), count: now) }
      isBusy[used] = true
      do throws(ProbeError) {
        sums += try port.perform { batch in
          batch.writeBlock(
            commandAddress(used) - 12, [start, UInt32(size), UInt32(now), Command.checksum])
          batch.waitWord(commandAddress(used), for: Command.done)
          read(&batch)
        }
        isBusy[used] = false
      } catch .mismatch {
        try finish(used)
        sums += try port.perform(read)
      }
      slot = 1 - used
    }
    return sums
  }

  /// Hands over `words` for the flash from `address` on: whole pages, at most `capacity` bytes. Returns when
  /// the other slot is free, while these may still be on their way into the flash.
  func program(_ words: [UInt32], at address: UInt32) throws(ProbeError) {
    try finish(slot)
    let used = slot
    let other = 1 - used
    let header = [address, UInt32(4 * words.count), Self.checksum(of: words), Command.program]
    isBusy[used] = true
    do throws(ProbeError) {
      _ = try port.perform { batch in
        if 4 * words.count == capacity {
          batch.writeBlock(dataAddress(used), words + header)
        } else {
          batch.writeBlock(dataAddress(used), words)
          batch.writeBlock(commandAddress(used) - 12, header)
        }
        if isBusy[other] { batch.waitWord(commandAddress(other), for: Command.done) }
      }
      isBusy[other] = false
    } catch .mismatch {
      try finish(other)
    }
    slot = other
  }

  /// Waits until everything handed over is in the flash.
  func finish() throws(ProbeError) {
    try finish(slot)
    try finish(1 - slot)
  }

  private func finish(_ slot: Int) throws(ProbeError) {
    guard isBusy[slot] else { return }
    let deadline = Deadline.after(timeout)
    while true {
      do throws(ProbeError) {
        _ = try port.perform { $0.waitWord(commandAddress(slot), for: Command.done) }
        isBusy[slot] = false
        return
      } catch .mismatch {
        let command = try port.perform { $0.readWord(commandAddress(slot)) }.first
        // Refused: the received data were damaged. The caller handles this as a damaged response.
        if command == Command.refused { throw .silent }
        if try core.hasStopped() || deadline.hasPassed { throw .mismatch }
      }
    }
  }

  /// CRC-32 of the bytes of `words`, lowest first.
  static func checksum(of words: [UInt32]) -> UInt32 {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(4 * words.count)
    for word in words { bytes.append(littleEndian: word) }
    return CRC32.of(bytes.span)
  }
}
