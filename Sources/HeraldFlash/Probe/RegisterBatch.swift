/// Accesses to registers and memory, packed into as few packets as possible.
///
/// Memory is reached through access port 0 (ADIv5.2, C2). Single words go through its banked data registers,
/// which leave the address where it is: four words at a time, and fit for waiting. Blocks go through DRW with
/// the address counting up, which it does for certain only within 1 KB.
struct RegisterBatch {
  /// What registers hold that are written only when they change; `nil` where that is not known.
  struct Standing: Equatable {
    var select: UInt32?
    var control: UInt32?
    var address: UInt32?
    var mask: UInt32?
  }

  /// Words, address counting up by one word, privileged data accesses by the debugger (AHB-AP's CSW).
  private static let control: UInt32 = 0x2300_0012

  private var writer: DAPPacketWriter
  private(set) var standing: Standing

  /// Continues in `writer` with the known register values `standing`.
  init(_ writer: DAPPacketWriter, _ standing: Standing) {
    self.writer = writer
    self.standing = standing
  }

  /// The packets that carry it out.
  var packets: [DAPPacket] { writer.packets }

  private mutating func put(_ request: UInt8, _ value: UInt32? = nil) {
    writer.append(DAPAccess(request: request, value: value))
  }

  // MARK: Debug port

  /// Waits until debug and system have power: both acknowledgements in CTRL/STAT.
  mutating func waitForPower() {
    setMask(0xA000_0000)
    put(0x16, 0xA000_0000)
  }

  private mutating func setMask(_ mask: UInt32) {
    if standing.mask != mask { put(0x20, mask) }
    standing.mask = mask
  }

  // MARK: Any access port

  private mutating func select(_ port: UInt32, _ register: UInt32) {
    let select = port << 24 | register & 0xF0
    if standing.select != select { put(0x08, select) }
    standing.select = select
  }

  /// Reads `register` of access port `port`.
  mutating func read(port: UInt32, register: UInt32) {
    select(port, register)
    put(0x03 | UInt8(register & 0x0C))
  }

  /// Writes `register` of access port `port`.
  mutating func write(port: UInt32, register: UInt32, _ value: UInt32) {
    select(port, register)
    put(0x01 | UInt8(register & 0x0C), value)
  }

  /// Waits until `register` of access port `port` is `value` in the bits of `mask`.
  mutating func wait(port: UInt32, register: UInt32, for value: UInt32, mask: UInt32) {
    setMask(mask)
    select(port, register)
    put(0x13 | UInt8(register & 0x0C), value)
  }

  // MARK: Memory

  private mutating func setAddress(_ address: UInt32) {
    if standing.control != Self.control {
      write(port: 0, register: 0x00, Self.control)
      standing.control = Self.control
    }
    if standing.address != address { write(port: 0, register: 0x04, address) }
    standing.address = address
  }

  /// Reads the word at `address`.
  mutating func readWord(_ address: UInt32) {
    setAddress(address & ~15)
    read(port: 0, register: 0x10 | address & 12)
  }

  /// Writes the word at `address`.
  mutating func writeWord(_ address: UInt32, _ value: UInt32) {
    setAddress(address & ~15)
    write(port: 0, register: 0x10 | address & 12, value)
  }

  /// Waits until the word at `address` is `value` in the bits of `mask`, for as long as the probe tries.
  mutating func waitWord(_ address: UInt32, for value: UInt32, mask: UInt32 = .max) {
    setAddress(address & ~15)
    wait(port: 0, register: 0x10 | address & 12, for: value, mask: mask)
  }

  /// Sets the address to FICR, which is read-only. Commands after a failed one are still performed; if the
  /// failed one sets the next address, later accesses use the previous address.
  mutating func park() { setAddress(0x1000_0000) }

  /// Writes `words` from `address` on.
  mutating func writeBlock(_ address: UInt32, _ words: [UInt32]) {
    forEachKilobyte(address, words.count) { batch, start, range in
      batch.setAddress(start)
      batch.select(0, 0)
      batch.writer.write(Array(words[range]), to: 0x0D)
    }
  }

  /// Reads `count` words from `address` on.
  mutating func readBlock(_ address: UInt32, count: Int) {
    forEachKilobyte(address, count) { batch, start, range in
      batch.setAddress(start)
      batch.select(0, 0)
      batch.writer.read(range.count, from: 0x0F)
    }
  }

  private mutating func forEachKilobyte(
    _ address: UInt32, _ count: Int, _ body: (inout RegisterBatch, UInt32, Range<Int>) -> Void
  ) {
    var done = 0
    while done < count {
      let start = address &+ UInt32(truncatingIfNeeded: 4 * done)
      let room = Int(1024 - start % 1024) / 4
      let next = min(count, done + room)
      body(&self, start, done..<next)
      standing.address = nil
      done = next
    }
  }
}
