/// Attribute handles from `first` to `last`, both included.
public struct HandleRange: Hashable, BitwiseCopyable, Sendable {
  /// The lowest handle, 1 or more.
  public let first: UInt16
  /// The highest handle.
  public let last: UInt16
  /// The handles from `first` to `last`.
  public init(first: UInt16, last: UInt16) {
    self.first = first
    self.last = last
  }
}
