/// The pins of port 0 that a person sees and operates (Zephyr, `boards/bbc/microbit`; `nkpins.h` and
/// `board.h` of os.mbed.com for the micro:bit).
enum PanelPin {
  /// Button A, to ground. The board has a resistor to the supply.
  static var button: UInt8 { 17 }
  /// The LED in the upper left corner is on while row 1 is high and column 1 is low.
  static var row: UInt8 { 13 }
  /// Column 1.
  static var column: UInt8 { 4 }
}
