extension NRF {
  /// Stops an RTC that another program may have left running, clears its events, and disables its interrupts
  /// and their routes (nRF52840 Product Specification, "RTC").
  public static func stopCounter<Block: RegisterBlock & ~Copyable>(_ registers: inout Block) {
    registers.trigger(Register<Task>(0x004))
    registers.trigger(Register<Task>(0x008))
    // TICK and OVRFLW, and COMPARE0 to COMPARE2, which all have: INTENCLR, EVTENCLR.
    registers.write(0x7_0003, to: Register<UInt32>(0x308))
    registers.write(0x7_0003, to: Register<UInt32>(0x348))
    for event in 0..<2 { registers.clear(Register<Event>(0x100).at(event)) }
    for event in 0..<3 { registers.clear(Register<Event>(0x140).at(event)) }
  }

  /// Stops a TIMER that another program may have left running, clears its events, and disables its interrupts
  /// and shortcuts (nRF52840 Product Specification, "TIMER").
  public static func stopTimer<Block: RegisterBlock & ~Copyable>(_ registers: inout Block) {
    registers.trigger(Register<Task>(0x004))
    registers.trigger(Register<Task>(0x00C))
    registers.write(0, to: Register<UInt32>(0x200))
    // COMPARE0 to COMPARE3: INTENCLR.
    registers.write(0xF_0000, to: Register<UInt32>(0x308))
    for event in 0..<4 { registers.clear(Register<Event>(0x140).at(event)) }
  }
}
