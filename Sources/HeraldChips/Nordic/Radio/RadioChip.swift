/// The differences between the radios of Nordic's chips, and the delays of each in microseconds.
///
/// The delays are those that Zephyr's and NimBLE's drivers were measured to need. They are to be confirmed by
/// measurement on each board (docs/link-layer.md).
public protocol RadioChip: BitwiseCopyable, Sendable {
  /// Whether the radio has a fast ramp-up (MODECNF0.RU). Without it 150 µs are too short to start the next
  /// ramp-up by software: a shortcut starts it at the end of each packet.
  static var hasFastRampUp: Bool { get }
  /// From TXEN to READY.
  static var transmitRampUp: UInt32 { get }
  /// From RXEN to READY.
  static var receiveRampUp: UInt32 { get }
  /// From START to the first bit at the antenna.
  static var transmitDelay: UInt32 { get }
  /// From a bit at the antenna to its event: ADDRESS, END.
  static var receiveDelay: UInt32 { get }
  /// The maximum start-up time of the 16 or 32 MHz crystal.
  static var crystalStartUp: UInt32 { get }
  /// See `RadioPeripheral.leadTime`.
  static var leadTime: UInt32 { get }
  /// See `RadioPeripheral.planningTime`.
  static var planningTime: UInt32 { get }
}

extension NRF {
  /// The radio of the nRF51822, with a Cortex-M0 at 16 MHz.
  public enum NRF51822: RadioChip {
    public static var hasFastRampUp: Bool { false }
    public static var transmitRampUp: UInt32 { 140 }
    public static var receiveRampUp: UInt32 { 138 }
    public static var transmitDelay: UInt32 { 1 }
    public static var receiveDelay: UInt32 { 3 }
    public static var crystalStartUp: UInt32 { 1500 }
    public static var leadTime: UInt32 { 230 }
    public static var planningTime: UInt32 { 200 }
  }

  /// The radio of the nRF52833 and the nRF52840, with a Cortex-M4 at 64 MHz.
  public enum NRF52: RadioChip {
    public static var hasFastRampUp: Bool { true }
    public static var transmitRampUp: UInt32 { 41 }
    public static var receiveRampUp: UInt32 { 40 }
    public static var transmitDelay: UInt32 { 1 }
    public static var receiveDelay: UInt32 { 9 }
    public static var crystalStartUp: UInt32 { 600 }
    public static var leadTime: UInt32 { 100 }
    public static var planningTime: UInt32 { 50 }
  }
}
