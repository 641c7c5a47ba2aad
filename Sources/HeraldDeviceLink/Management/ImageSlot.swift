/// Storage for an image to be started next: the second slot of MCUboot, or an equivalent.
///
/// A device without one has `hasImageSlot` false, and contains no code for group 1.
public protocol ImageSlot: ~Copyable {
  /// Whether the board has a slot.
  static var hasImageSlot: Bool { get }
  /// The capacity of the slot in bytes.
  mutating func imageCapacity() -> UInt32
  /// The number of bytes written to the slot since its erasure.
  mutating func imageSize() -> UInt32
  /// Erases the slot; `false` if that failed.
  mutating func eraseImage() -> Bool
  /// Appends bytes to what was written; `false` if that failed.
  mutating func appendImage(_ bytes: Span<UInt8>) -> Bool
  /// Reads bytes from `offset` on until `buffer` is full; `false` if there are fewer bytes, or reading
  /// failed.
  mutating func readImage(offset: UInt32, into buffer: inout MutableSpan<UInt8>) -> Bool
  /// The planned action of the boot loader at the next start.
  mutating func imagePlan() -> ImagePlan
  /// Stores the planned action of the boot loader at the next start; `false` if that failed.
  mutating func planImage(_ plan: ImagePlan) -> Bool
  /// Copies the hash of the running image to the 32 bytes of `hash`: the SHA-256 by which a host
  /// distinguishes it from others. `false` if it is not known.
  mutating func copyRunningHash(into hash: inout MutableSpan<UInt8>) -> Bool
  /// Whether the board was given a key for images: only what is signed with it is taken.
  mutating func hasImageKey() -> Bool
  /// Whether an Ed25519 signature (RFC 8032) of 64 bytes over the 32 bytes of `digest` is that of this key.
  mutating func isSignature(_ signature: Span<UInt8>, of digest: Span<UInt8>) -> Bool
  /// Whether an entry of an image names this key: its SHA-256, or the key itself, both as
  /// SubjectPublicKeyInfo (RFC 8410).
  mutating func isImageKey(_ entry: Span<UInt8>) -> Bool
  /// The upload in progress: kept with the slot, as it may be continued over another link.
  var imageUpload: ImageUpload { mutating get set }
}

/// What the boot loader does with the image in the slot at the next start.
public enum ImagePlan: UInt8, BitwiseCopyable, Sendable {
  case none = 0
  /// The image is started once.
  case test = 1
  /// The image is started from then on.
  case permanent = 2
}

extension ImageSlot where Self: ~Copyable {
  @inline(__always) public static var hasImageSlot: Bool { false }
  /// The capacity is 0.
  public mutating func imageCapacity() -> UInt32 { 0 }
  /// The slot is empty.
  public mutating func imageSize() -> UInt32 { 0 }
  public mutating func eraseImage() -> Bool { false }
  public mutating func appendImage(_ bytes: Span<UInt8>) -> Bool { false }
  public mutating func readImage(offset: UInt32, into buffer: inout MutableSpan<UInt8>) -> Bool {
    false
  }
  public mutating func imagePlan() -> ImagePlan { .none }
  public mutating func planImage(_ plan: ImagePlan) -> Bool { false }
  /// The hash is not known.
  public mutating func copyRunningHash(into hash: inout MutableSpan<UInt8>) -> Bool { false }
  /// There is no key.
  public mutating func hasImageKey() -> Bool { false }
  /// No signature is valid.
  public mutating func isSignature(_ signature: Span<UInt8>, of digest: Span<UInt8>) -> Bool {
    false
  }
  /// No entry names a key.
  public mutating func isImageKey(_ entry: Span<UInt8>) -> Bool { false }
  /// No upload is in progress.
  public var imageUpload: ImageUpload {
    mutating get { ImageUpload() }
    set {}
  }
}
