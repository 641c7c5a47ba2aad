import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL

/// The parts of a device with a management link: also its board, or the program in its place.
public protocol ManagedParts: DeviceParts {
  /// The board-specific properties of the device.
  associatedtype BoardType: ManagedBoard & ~Copyable
}

/// The parts of a managed device, as generic parameters; see `PartList`.
public enum ManagedPartList<
  FlashType: Flash & ~Copyable, RandomType: RandomSource & ~Copyable,
  SupplierType: PayloadSupplier & ~Copyable,
  DelegateType: SensorDelegate & ~Copyable, TableType: GATTTable,
  BoardType: ManagedBoard & ~Copyable
>: ManagedParts {}

/// The parts of a managed device, and how each is made at start-up. Each function is called once.
///
/// The types are stated again so that the compiler infers them from the functions. A type is its own default,
/// as the compiler warns of one that is stated again without a default.
public protocol PartFactory: ManagedParts {
  /// The flash that holds the log.
  associatedtype FlashType: Flash & ~Copyable = Self.FlashType
  /// The source of random numbers.
  associatedtype RandomType: RandomSource & ~Copyable = Self.RandomType
  /// The source of the device's own payload.
  associatedtype SupplierType: PayloadSupplier & ~Copyable = Self.SupplierType
  /// The delegate that receives the sensor's events.
  associatedtype DelegateType: SensorDelegate & ~Copyable = NoDelegate
  /// The board-specific properties of the device.
  associatedtype BoardType: ManagedBoard & ~Copyable = Self.BoardType
  /// The flash that holds the log.
  static func flash() -> FlashType
  /// The source of random numbers.
  static func random() -> RandomType
  /// The board, started, with its storage.
  static func board() -> BoardType
  /// The source of the device's own payload.
  static func supplier() -> SupplierType
  /// The delegate that receives the sensor's events.
  static func delegate() -> DelegateType
  /// The configuration; the defaults of `HeraldConfiguration` unless it is implemented.
  static func configuration() -> HeraldConfiguration
  /// The names of the device; only the default manufacturer unless it is implemented.
  static func names() -> DeviceNames?
}

extension PartFactory {
  /// The defaults.
  public static func configuration() -> HeraldConfiguration { HeraldConfiguration() }
  public static func names() -> DeviceNames? { nil }
}

extension PartFactory where DelegateType == NoDelegate {
  public static func delegate() -> NoDelegate { NoDelegate() }
}
