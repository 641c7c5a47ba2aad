import HeraldChips
import HeraldEmbedded
import HeraldFirmware
import HeraldHAL

/// The parts of a firmware for this board. The board provides all except the payload, the delegate for
/// events, and the configuration.
public protocol WearableParts: FirmwareParts
where FlashType == FlashMap, RandomType == Random, Hardware == Board {
  /// The memory of the log: that of the board.
  associatedtype FlashType: Flash & ~Copyable = FlashMap
  /// The random number generator: that of the board.
  associatedtype RandomType: RandomSource & ~Copyable = Random
  /// The management link over Bluetooth: that of the board, or none.
  associatedtype ManagementType: ManagementPort & ~Copyable = Management
}

extension WearableParts {
  /// The memory of the log.
  public static func flash() -> FlashMap { Board.flash() }
  /// The source of random numbers.
  public static func random() -> Random { Board.random() }
  /// The board, started.
  public static func board() -> Firmware<Board> { Board.firmware() }
}
