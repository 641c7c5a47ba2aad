/// Peripherals of Nordic Semiconductor's nRF51 and nRF52 series. Registers and fields have the names of the
/// nRF51 Series Reference Manual and of the nRF52833 and nRF52840 Product Specifications.
///
/// Each driver owns one peripheral, whose registers it gets when it is made. Nothing is done to the hardware
/// before its `start`.
public enum NRF {
  /// A register that starts something when 1 is written to it.
  struct Task: RegisterValue {
    let bits: UInt32
    /// Starts it.
    static var trigger: Task { Task(bits: 1) }
  }

  /// A register that the peripheral sets to 1 when something has happened, and that stays so until 0 is
  /// written.
  struct Event: RegisterValue {
    let bits: UInt32
    /// The value that clears it.
    static var clear: Event { Event(bits: 0) }
    /// Whether the event has occurred.
    var hasHappened: Bool { bits != 0 }
  }
}

extension RegisterBlock where Self: ~Copyable {
  /// Triggers a task.
  @inline(always)
  mutating func trigger(_ task: Register<NRF.Task>) { write(.trigger, to: task) }

  /// Clears an event. The write is read back, so that it has arrived before an interrupt it caused is looked
  /// at again: the processor's writes to the peripheral bus are buffered.
  @inline(always)
  mutating func clear(_ event: Register<NRF.Event>) {
    write(.clear, to: event)
    _ = read(event)
  }

  /// Whether an event has occurred.
  @inline(always)
  mutating func hasHappened(_ event: Register<NRF.Event>) -> Bool { read(event).hasHappened }
}
