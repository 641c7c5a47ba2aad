import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL

/// What a device is made of that can be managed: also the board, or the program, that it runs on.
public protocol ManagedParts: DeviceParts {
  /// The board-specific properties of the device.
  associatedtype BoardType: ManagedBoard & ~Copyable
}

/// The parts of a managed device, listed one by one; see `PartList`.
public enum ManagedPartList<
  FlashType: Flash & ~Copyable, RandomType: RandomSource & ~Copyable,
  SupplierType: PayloadSupplier & ~Copyable,
  DelegateType: SensorDelegate & ~Copyable, NeighbourType: Neighbours, TableType: GATTTable,
  BoardType: ManagedBoard & ~Copyable
>: ManagedParts {}

/// The parts of a managed device, and how each is made at start-up. Each function is called once.
///
/// The types are stated again so that the compiler infers them from the functions.
public protocol PartFactory: ManagedParts {
  /// The memory of the log.
  associatedtype FlashType: Flash & ~Copyable
  /// The source of random numbers.
  associatedtype RandomType: RandomSource & ~Copyable
  /// Where the own payload comes from.
  associatedtype SupplierType: PayloadSupplier & ~Copyable
  /// The delegate that receives the sensor's events.
  associatedtype DelegateType: SensorDelegate & ~Copyable = NoDelegate
  /// The board-specific properties of the device.
  associatedtype BoardType: ManagedBoard & ~Copyable
  /// The memory of the log.
  static func flash() -> FlashType
  /// The source of random numbers.
  static func random() -> RandomType
  /// The board, started, with what it keeps.
  static func board() -> BoardType
  /// Where the own payload comes from.
  static func supplier() -> SupplierType
  /// The delegate that receives the sensor's events.
  static func delegate() -> DelegateType
  /// What was chosen; the defaults of `HeraldConfiguration` unless it is implemented.
  static func configuration() -> HeraldConfiguration
  /// What the device calls itself; nothing but the default manufacturer unless it is implemented.
  static func names() -> DeviceNames?
}

extension PartFactory {
  /// The defaults.
  @inlinable public static func configuration() -> HeraldConfiguration { HeraldConfiguration() }
  @inlinable public static func names() -> DeviceNames? { nil }
}

extension PartFactory where DelegateType == NoDelegate {
  public static func delegate() -> NoDelegate { NoDelegate() }
}
