extension NRF {
  /// The programmable peripheral interconnect, which connects events to tasks without the processor (nRF52840
  /// Product Specification, 6.16 "PPI"), to the extent that `UARTE` requires.
  struct PPI<Block: RegisterBlock & ~Copyable>: ~Copyable {
    private var registers: Block

    init(_ registers: consuming Block) { self.registers = registers }

    /// Connects the event at address `event` to the task at address `task` by `channel` (0…19), and to the
    /// one at `fork` unless that is 0.
    mutating func connect(_ channel: Int, event: UInt32, task: UInt32, fork: UInt32 = 0) {
      registers.write(event, to: Register(0x510).at(channel, stride: 8))
      registers.write(task, to: Register(0x514).at(channel, stride: 8))
      registers.write(fork, to: Register(0x910).at(channel))
    }

    /// Defines a group of the channels in `mask`, which tasks can enable and disable.
    mutating func setGroup(_ group: Int, _ mask: UInt32) {
      registers.write(mask, to: Register(0x800).at(group))
    }

    /// The address of the task that disables a group.
    func disableTask(group: Int) -> UInt32 { 0x4001_F004 &+ UInt32(truncatingIfNeeded: group) &* 8 }

    /// Enables a channel.
    mutating func enable(_ channel: Int) {
      registers.write(1 &<< UInt32(truncatingIfNeeded: channel), to: Register<UInt32>(0x504))
    }

    /// Disables a channel.
    mutating func disable(_ channel: Int) {
      registers.write(1 &<< UInt32(truncatingIfNeeded: channel), to: Register<UInt32>(0x508))
    }

    /// Whether a channel is enabled.
    mutating func isEnabled(_ channel: Int) -> Bool {
      registers.read(Register<UInt32>(0x500)) & 1 &<< UInt32(truncatingIfNeeded: channel) != 0
    }
  }
}
