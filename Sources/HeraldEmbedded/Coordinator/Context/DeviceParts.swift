import HeraldBluetooth
import HeraldHAL

/// The types of the parts of a device, except its radio.
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
  /// The flash that holds the log.
  associatedtype FlashType: Flash & ~Copyable
  /// The source of random numbers.
  associatedtype RandomType: RandomSource & ~Copyable
  /// The source of the device's own payload.
  associatedtype SupplierType: PayloadSupplier & ~Copyable
  /// Receives the sensor's events.
  associatedtype DelegateType: SensorDelegate & ~Copyable = NoDelegate
  /// The services that the device has in addition to Herald's.
  associatedtype ServicesType: AdditionalServices = NoAdditionalServices
  /// The GATT table that the device serves. Its dynamic attributes are those of `ServedValues`.
  associatedtype TableType: GATTTable = HeraldGATTTable
  /// The management link over Bluetooth, for which the table has a service.
  associatedtype ManagementType: ManagementPort & ~Copyable = NoBluetoothManagement
  /// Whether a host can change settings: there is a management link. Otherwise those of the radio are not
  /// looked for, and the image contains no code for it.
  static var takesSettings: Bool { get }
}

extension DeviceParts {
  /// `true`.
  @inline(__always) public static var takesSettings: Bool { true }
}

/// The parts of a device as generic parameters: for devices without additional services that need no type of
/// their own for their parts.
public enum PartList<
  FlashType: Flash & ~Copyable, RandomType: RandomSource & ~Copyable,
  SupplierType: PayloadSupplier & ~Copyable,
  DelegateType: SensorDelegate & ~Copyable, TableType: GATTTable
>: DeviceParts {}
