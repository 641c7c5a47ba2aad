import HeraldChips
import HeraldEmbedded
import HeraldFirmware
import HeraldHAL

/// What a firmware for this board is made of: the board makes all but the payload, the delegate for events,
/// and the configuration.
public protocol WearableParts: FirmwareParts
where FlashType == FlashMap, RandomType == Random, Hardware == Board {
  /// The memory of the log is the board's.
  associatedtype FlashType: Flash & ~Copyable = FlashMap
  /// The generator is the board's.
  associatedtype RandomType: RandomSource & ~Copyable = Random
}

extension WearableParts {
  /// The memory of the log.
  public static func flash() -> FlashMap { Board.flash() }
  /// The source of random numbers.
  public static func random() -> Random { Board.random() }
  /// The board, started.
  public static func board() -> Firmware<Board> { Board.firmware() }
}
