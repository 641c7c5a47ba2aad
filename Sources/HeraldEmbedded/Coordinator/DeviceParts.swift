import HeraldBluetooth
import HeraldHAL

/// What a device is made of, beside its radio: a type that says which.
///
/// ```swift
/// enum Badge: DeviceParts {
///   typealias FlashType = FlashMap
///   typealias RandomType = HardwareRandom
///   typealias SupplierType = FixedPayloadSupplier
/// }
/// ```
///
/// The radio is not among them: its type depends on the number of connections, which `HeraldNode` has.
public protocol DeviceParts {
  /// The memory of the log.
  associatedtype FlashType: Flash & ~Copyable
  /// The source of random numbers.
  associatedtype RandomType: RandomSource & ~Copyable
  /// Where the own payload comes from.
  associatedtype SupplierType: PayloadSupplier & ~Copyable
  /// What is told of the sensor's events.
  associatedtype DelegateType: SensorDelegate & ~Copyable = NoDelegate
  /// The systems beside Herald that the device takes part in.
  associatedtype NeighbourType: Neighbours = NoNeighbours
  /// The GATT table that the device serves. Its dynamic attributes are those of `ServedValues`.
  associatedtype TableType: GATTTable = HeraldGATTTable
}

/// The parts of a device, listed one by one: for devices that are made where a type of their own would say no
/// more.
public enum PartList<
  FlashType: Flash & ~Copyable, RandomType: RandomSource & ~Copyable,
  SupplierType: PayloadSupplier & ~Copyable,
  DelegateType: SensorDelegate & ~Copyable, NeighbourType: Neighbours, TableType: GATTTable
>: DeviceParts {}
