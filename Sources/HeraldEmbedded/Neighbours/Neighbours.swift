/// The systems beside Herald that a device takes part in. A device is made for one type of them, so that an image without neighbours
/// carries none of their code.
public protocol Neighbours: BitwiseCopyable, Sendable {
  /// None of them switched on.
  init()
}

/// No system but Herald.
public struct NoNeighbours: Neighbours {
  /// The only one there is.
  @inlinable public init() {}
}
