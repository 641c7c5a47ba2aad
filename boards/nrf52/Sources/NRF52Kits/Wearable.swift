import HeraldChips
import HeraldDeviceLink
import HeraldEmbedded
import HeraldFirmware
import HeraldHAL
import HeraldHCI

/// What a firmware for a kit is made of: the board makes all but the payload, what is told of events,
/// and the configuration.
public protocol NRF52Parts: FirmwareParts
where FlashType == NRF52Flash, RandomType == NRF52Random, Hardware == NRF52Board<Kit> {
  /// The memory of the log is the board's.
  associatedtype FlashType: Flash & ~Copyable = NRF52Flash
  /// The generator is the board's.
  associatedtype RandomType: RandomSource & ~Copyable = NRF52Random
  /// The kit.
  associatedtype Kit: NRF52Kit
}

extension NRF52Parts {
  /// The memory of the log.
  public static func flash() -> NRF52Flash { NRF52Board<Kit>.flash() }
  /// The chip's generator.
  public static func random() -> NRF52Random { NRF52Board<Kit>.random() }
  /// The board, started.
  public static func board() -> Firmware<NRF52Board<Kit>> { NRF52Board<Kit>.firmware() }
}

/// A device on this board, over the controller on its line: how many peers it tracks, how many connections it
/// holds, and how many payloads and messages may be on their way at once (`HeraldCore`).
public typealias NRF52Wearable<
  Parts: NRF52Parts, let targets: Int, let connections: Int, let payloads: Int
> = ManagedNode<HCIRadio<NRF52Line, connections>, Parts, targets, connections, payloads>

extension ManagedNode where Parts: NRF52Parts, RadioType == HCIRadio<NRF52Line, connections> {
  /// The device of this board. To be made once.
  public init() { self.init(makingRadio: { HCIRadio(transport: NRF52Board<Parts.Kit>.controllerLine()) }) }
}
