import HeraldChips
import HeraldDeviceLink
import HeraldEmbedded
import HeraldFirmware
import HeraldHAL
import HeraldHCI

/// A device on this board, over the controller on its line: how many peers it tracks, how many connections it
/// holds, and how many payloads and messages may be on their way at once (`HeraldCore`).
public typealias Wearable<
  Parts: WearableParts, let targets: Int, let connections: Int, let payloads: Int
> = ManagedNode<HCIRadio<Line, connections>, Parts, targets, connections, payloads>

extension ManagedNode where Parts: WearableParts, RadioType == HCIRadio<Line, connections> {
  /// The device of this board. To be made once.
  public init() { self.init(makingRadio: { HCIRadio(transport: Board.controllerLine()) }) }
}
