import HeraldChips
import HeraldDeviceLink
import HeraldEmbedded
import HeraldFirmware
import HeraldHAL
import HeraldLinkLayer

/// A device on this board: the numbers of peers that it tracks, of connections that it holds (those of the
/// radio of the board), and of payloads and messages in transfer at once (`HeraldCore`).
public typealias Wearable<
  Parts: WearableParts, let targets: Int, let connections: Int, let payloads: Int
> = ManagedNode<BoardRadio, Parts, targets, connections, payloads>

extension ManagedNode where Parts: WearableParts, RadioType == BoardRadio {
  /// The device of this board. To be created once.
  public init() { self.init(makingRadio: { Board.makeRadio() }) }
}
