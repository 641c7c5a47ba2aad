// The image slot and the files of the board.

extension ManagedNode where RadioType: ~Copyable {
  /// Whether the log can be read as files, too, by the board.
  public static var hasFiles: Bool { Parts.BoardType.hasFiles }
  /// The name of the boot loader.
  public static var bootLoader: StaticString { Parts.BoardType.bootLoader }
  /// Whether the board has a slot for an image.
  public static var hasImageSlot: Bool { Parts.BoardType.hasImageSlot }
  /// The capacity of the slot in bytes.
  public mutating func imageCapacity() -> UInt32 { board.imageCapacity() }
  /// The number of bytes written to the slot.
  public mutating func imageSize() -> UInt32 { board.imageSize() }
  /// Erases the slot.
  public mutating func eraseImage() -> Bool { board.eraseImage() }
  /// Appends bytes to the slot.
  public mutating func appendImage(_ bytes: Span<UInt8>) -> Bool { board.appendImage(bytes) }
  /// Reads bytes from the slot.
  public mutating func readImage(offset: UInt32, into buffer: inout MutableSpan<UInt8>) -> Bool {
    board.readImage(offset: offset, into: &buffer)
  }
  /// The planned action of the boot loader.
  public mutating func imagePlan() -> ImagePlan { board.imagePlan() }
  /// Stores the planned action of the boot loader.
  public mutating func planImage(_ plan: ImagePlan) -> Bool { board.planImage(plan) }
  /// Copies the hash of the running image.
  public mutating func copyRunningHash(into hash: inout MutableSpan<UInt8>) -> Bool {
    board.copyRunningHash(into: &hash)
  }
  /// Whether the board has a key for images.
  public mutating func hasImageKey() -> Bool { board.hasImageKey() }
  /// Whether a signature is that of the board's key.
  public mutating func isSignature(_ signature: Span<UInt8>, of digest: Span<UInt8>) -> Bool {
    board.isSignature(signature, of: digest)
  }
  /// Whether an entry of an image names the board's key.
  public mutating func isImageKey(_ entry: Span<UInt8>) -> Bool { board.isImageKey(entry) }
  /// The upload in progress.
  public var imageUpload: ImageUpload {
    mutating get { board.imageUpload }
    set { board.imageUpload = newValue }
  }
}
