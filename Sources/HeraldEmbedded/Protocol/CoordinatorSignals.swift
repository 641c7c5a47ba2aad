// What a message that a peer writes to us brings about.

extension HeraldCore
where
  FlashType: ~Copyable, RandomType: ~Copyable, SupplierType: ~Copyable, DelegateType: ~Copyable
{
  /// Whether a target's payload is one to pass on: its owner may not be heard by everybody (HP-42).
  @inlinable
  mutating func mayShare(_ place: Int) -> Bool {
    configuration.sharesPayloads && (table[place].system == .iOS || table[place].isReceiveOnly)
  }
}
