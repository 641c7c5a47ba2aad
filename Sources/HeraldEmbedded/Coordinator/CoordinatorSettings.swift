// What a host sets.

extension HeraldCore
where
  FlashType: ~Copyable, RandomType: ~Copyable, SupplierType: ~Copyable, DelegateType: ~Copyable
{
  /// Goes by what a host has set, from now on. Another interval of advertisements comes with another address,
  /// as all that is advertised does.
  @inlinable @inline(never)
  public mutating func take(_ new: SettingValues, at now: Instant) {
    context.now = now
    let interval = context.advertisingInterval
    context.settings = new
    context.sink.commit(within: context.commitPeriod)
    if context.advertisingInterval != interval { presence.rotation.rotateSoon() }
    context.hasNews = true
  }

  /// Gives the supplier what it needs of the payload that is stored. To be called in each round of the loop,
  /// before the node is polled, so that the key of a new day is there when the payload of its first minutes
  /// is asked for.
  @inlinable
  public mutating func tendPayload<Storage: PayloadStorage & ~Copyable>(
    in storage: inout Storage, at now: Instant
  ) {
    guard serving.values.supplier.storedCapacity > 0,
      serving.values.supplier.tend(&storage, at: context.sink.clock.unixSeconds(at: now))
    else { return }
    presence.rotation.rotateSoon()
    context.hasNews = true
  }
}
