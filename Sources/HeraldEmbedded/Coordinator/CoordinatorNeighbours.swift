// Where the coordinator and the systems beside Herald meet: what is heard, shown and served. A device without
// neighbours calls none of this.

extension HeraldCore
where
  FlashType: ~Copyable, RandomType: ~Copyable, SupplierType: ~Copyable, DelegateType: ~Copyable
{
  /// The systems beside Herald that this device takes part in.
  @inlinable
  public var neighbours: NeighbourType {
    mutating get { serving.values.neighbours }
    _modify { yield &serving.values.neighbours }
  }

}
