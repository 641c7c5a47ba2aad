import HeraldChips

/// Addresses and interrupts of the board (Arm Application Note 386, 3 "Memory map" and 3.7 "Interrupts").
enum Pins {
  /// The line to the Bluetooth controller: UART 0. Its interrupts are 0 (receive) and 1 (transmit).
  static var controllerLine: MappedRegisters { MappedRegisters(at: 0x4000_4000) }
  /// The management line: UART 1. Its interrupts are 2 and 3.
  static var managementLine: MappedRegisters { MappedRegisters(at: 0x4000_5000) }
  /// The reset line of the controller, active low: pin 0 of GPIO 0.
  static var controllerReset: MappedRegisters { MappedRegisters(at: 0x4001_0000) }
  /// The interrupts of both lines, receive and transmit.
  static var lineInterrupts: Range<UInt32> { 0..<4 }
}
