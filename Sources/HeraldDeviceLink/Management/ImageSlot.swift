/// Where an image for the next start is kept: the second slot of a boot loader of MCUboot's kind, or an
/// equivalent.
///
/// A device without one has `hasImageSlot` false, and contains no code for group 1.
public protocol ImageSlot: ~Copyable {
  /// Whether there is one.
  static var hasImageSlot: Bool { get }
  /// The most bytes it holds.
  mutating func imageCapacity() -> UInt32
  /// How many bytes have been written to it since it was erased.
  mutating func imageSize() -> UInt32
  /// Empties it; `false` if that failed.
  mutating func eraseImage() -> Bool
  /// Appends bytes to what was written; `false` if that failed.
  mutating func appendImage(_ bytes: Span<UInt8>) -> Bool
  /// Reads bytes from `offset` on, as many as `buffer` has room for; `false` if there are not so many, or
  /// that failed.
  mutating func readImage(offset: UInt32, into buffer: inout MutableSpan<UInt8>) -> Bool
  /// The plan for it at the next start.
  mutating func imagePlan() -> ImagePlan
  /// Stores the plan for it at the next start; `false` if that failed.
  mutating func planImage(_ plan: ImagePlan) -> Bool
  /// The upload in progress: kept with the slot, as it may be continued over another link.
  var imageUpload: ImageUpload { mutating get set }
}

/// What the boot loader does with the image in the slot at the next start.
public enum ImagePlan: UInt8, BitwiseCopyable, Sendable {
  case none = 0
  /// It is started once.
  case test = 1
  /// It is started from then on.
  case permanent = 2
}

extension ImageSlot where Self: ~Copyable {
  @inlinable @inline(__always) public static var hasImageSlot: Bool { false }
  /// The capacity is 0.
  @inlinable public mutating func imageCapacity() -> UInt32 { 0 }
  /// The slot is empty.
  @inlinable public mutating func imageSize() -> UInt32 { 0 }
  @inlinable public mutating func eraseImage() -> Bool { false }
  @inlinable public mutating func appendImage(_ bytes: Span<UInt8>) -> Bool { false }
  @inlinable public mutating func readImage(offset: UInt32, into buffer: inout MutableSpan<UInt8>) -> Bool {
    false
  }
  @inlinable public mutating func imagePlan() -> ImagePlan { .none }
  @inlinable public mutating func planImage(_ plan: ImagePlan) -> Bool { false }
  /// No upload is in progress.
  public var imageUpload: ImageUpload {
    mutating get { ImageUpload() }
    set {}
  }
}
