/// The systems beside Herald that a device takes part in. A device is made for one type of them, so that an image without neighbours
/// carries none of their code.
public protocol Neighbours: BitwiseCopyable, Sendable {
  /// What the device serves, for them and for Herald. Its dynamic attributes are those of `ServedValues`.
  associatedtype Table: GATTTable
  /// None of them switched on.
  init()
}

/// No system but Herald.
public struct NoNeighbours: Neighbours {
  /// Both Herald services.
  public typealias Table = HeraldGATTTable
  /// The only one there is.
  @inlinable public init() {}
}
