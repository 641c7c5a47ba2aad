/// What a Herald device is made of: the types of its parts, chosen at compile time.
public protocol HeraldPlatform {
  /// The radio.
  associatedtype RadioType: Radio & ~Copyable
  /// The memory of the log.
  associatedtype FlashType: Flash & ~Copyable
  /// The source of addresses and keys.
  associatedtype RandomType: RandomSource & ~Copyable
  /// Where own payloads come from.
  associatedtype SupplierType: PayloadSupplier & ~Copyable
  /// Who hears of the sensor's events; `NoDelegate` if nobody does.
  associatedtype DelegateType: SensorDelegate & ~Copyable
}
