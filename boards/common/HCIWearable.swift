import HeraldChips
import HeraldDeviceLink
import HeraldEmbedded
import HeraldFirmware
import HeraldHAL
import HeraldHCI

/// A device on this board, with the controller on its line: the numbers of peers that it tracks, of
/// connections that it holds, and of payloads and messages in transfer at once (`HeraldCore`).
public typealias Wearable<
  Parts: WearableParts, let targets: Int, let connections: Int, let payloads: Int
> = ManagedNode<HCIRadio<Line, connections>, Parts, targets, connections, payloads>

/// No management link over Bluetooth.
public typealias Management = NoBluetoothManagement

extension ManagedNode where Parts: WearableParts, RadioType == HCIRadio<Line, connections> {
  /// The device of this board. To be created once.
  public init() { self.init(makingRadio: { HCIRadio(transport: Board.controllerLine()) }) }
}
