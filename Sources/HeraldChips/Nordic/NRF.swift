/// Peripherals of Nordic Semiconductor's nRF51 and nRF52 series. Registers and fields have the names of the
/// nRF51 Series Reference Manual and of the nRF52833 and nRF52840 Product Specifications.
///
/// Each driver owns one peripheral, whose registers are passed to its initialiser. The hardware is not
/// accessed before `start`.
public enum NRF {
  /// A task register: writing 1 triggers the task.
  struct Task: RegisterValue {
    let bits: UInt32
    /// The value that triggers the task.
    static var trigger: Task { Task(bits: 1) }
  }

  /// An event register: set to 1 by the peripheral when the event occurs, until 0 is written.
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

  /// Clears an event. The register is read back, as writes to the peripheral bus are buffered: the write must
  /// have taken effect before an interrupt handler returns.
  @inline(always)
  mutating func clear(_ event: Register<NRF.Event>) {
    write(.clear, to: event)
    _ = read(event)
  }

  /// Whether an event has occurred.
  @inline(always)
  mutating func hasHappened(_ event: Register<NRF.Event>) -> Bool { read(event).hasHappened }
}
