import HeraldChips
import HeraldDeviceLink
import HeraldEmbedded
import HeraldFirmware
import HeraldHAL
import HeraldLinkLayer

/// A device on this board: how many peers it tracks, how many connections it holds (those of the board's
/// radio), and how many payloads and messages may be in transfer at once (`HeraldCore`).
public typealias Wearable<
  Parts: WearableParts, let targets: Int, let connections: Int, let payloads: Int
> = ManagedNode<BoardRadio, Parts, targets, connections, payloads>

extension ManagedNode where Parts: WearableParts, RadioType == BoardRadio {
  /// The device of this board. To be created once.
  public init() { self.init(makingRadio: { Board.makeRadio() }) }
}
