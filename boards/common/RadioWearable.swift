import HeraldChips
import HeraldDeviceLink
import HeraldEmbedded
import HeraldFirmware
import HeraldHAL
import HeraldLinkLayer

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

/// A device on this board: how many peers it tracks, how many connections it holds (the four of the board's
/// radio), and how many payloads and messages may be in transfer at once (`HeraldCore`).
public typealias Wearable<
  Parts: WearableParts, let targets: Int, let connections: Int, let payloads: Int
> = ManagedNode<BoardRadio, Parts, targets, connections, payloads>

extension ManagedNode where Parts: WearableParts, RadioType == BoardRadio {
  /// The device of this board. To be created once.
  public init() { self.init(makingRadio: { Board.makeRadio() }) }
}
