/// Packs commands into as few packets as possible.
///
/// A packet and its response each have to fit the probe's packet size. A probe with atomic commands takes
/// several commands in one packet (DAP_ExecuteCommands), so that the end of one block of words, a new address
/// and the start of the next share a packet; other probes accept one command in each packet.
struct DAPPacketWriter {
  /// DAP_ExecuteCommands and the number of commands.
  private static let wrapping = 2

  private let size: Int
  private let isAtomic: Bool
  private var done: [DAPPacket] = []
  private var open = DAPPacket()

  /// For a probe with packets of `size` bytes.
  init(size: Int, isAtomic: Bool) {
    self.size = size - (isAtomic ? Self.wrapping : 0)
    self.isAtomic = isAtomic
  }

  /// The packets, in order.
  var packets: [DAPPacket] { open.commands.isEmpty ? done : done + [open] }

  private var mayAddCommand: Bool { open.commands.isEmpty || isAtomic && open.commands.count < 255 }

  private func fits(_ request: Int, _ answer: Int) -> Bool {
    open.requestSize + request <= size && open.answerSize + answer <= size
  }

  private mutating func close() {
    if !open.commands.isEmpty { done.append(open) }
    open = DAPPacket()
  }

  /// Adds a command that is not split.
  mutating func append(_ command: DAPCommand) {
    if !mayAddCommand || !fits(command.requestSize, command.answerSize) { close() }
    open.append(command)
  }

  /// Adds one access to a register.
  mutating func append(_ access: DAPAccess) {
    if let count = open.lastTransferCount, count < 255, fits(access.size, access.answersWord ? 4 : 0) {
      open.extendLast(by: access)
    } else {
      append(.transfer([access]))
    }
  }

  /// Writes `words` one after the other to the register in `request`.
  mutating func write(_ words: [UInt32], to request: UInt8) {
    var rest = words[...]
    if !isAtomic, let count = open.lastTransferCount {
      // A short last block is appended to the previous transfer, if it has room.
      let odd = rest.count % ((size - 5) / 4)
      if odd > 0, count + odd <= 255, fits(5 * odd, 0) {
        for word in rest.prefix(odd) { open.extendLast(by: DAPAccess(request: request, value: word)) }
        rest = rest.dropFirst(odd)
      }
    }
    while !rest.isEmpty {
      guard mayAddCommand, fits(9, 4) else {
        close()
        continue
      }
      let room = (size - open.requestSize - 5) / 4
      open.append(.writeBlock(request: request, Array(rest.prefix(room))))
      rest = rest.dropFirst(room)
    }
  }

  /// Reads the register in `request` `count` times.
  mutating func read(_ count: Int, from request: UInt8) {
    var rest = count
    while rest > 0 {
      guard mayAddCommand, fits(5, 8) else {
        close()
        continue
      }
      let room = min(rest, (size - open.answerSize - 4) / 4)
      open.append(.readBlock(request: request, count: room))
      rest -= room
    }
  }
}
