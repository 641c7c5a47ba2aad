/// A board that herald-flash knows: what chip it has, where what lies in its memory, and how firmware gets there.
public struct BoardDescription: Equatable, Sendable {
  /// A stretch of addresses.
  public struct Region: Equatable, Sendable {
    /// The first address.
    public let start: UInt32
    /// Bytes.
    public let size: UInt32
    /// The address behind the last byte; up to 2³².
    public var end: UInt64 { UInt64(start) + UInt64(size) }

    /// A region from its parts.
    public init(start: UInt32, size: UInt32) {
      self.start = start
      self.size = size
    }
  }

  /// Its name: that of its folder below `boards`, which `script/build` takes.
  public let name: String
  /// Its name for people.
  public let title: String
  /// The chip, as in `linker/CHIP.ld`.
  public let chip: String
  /// Where an image may lie: the linker script's FLASH.
  public let firmware: Region
  /// What is kept beside it, such as the access key: SETTINGS.
  public let settings: Region?
  /// The log: LOG.
  public let log: Region?
  /// The chip's RAM.
  public let ram: Region
  /// The unit in which its flash is erased, in bytes; a power of two.
  public let pageSize: UInt32
  /// What the boot loader of this board calls it in UF2 files, if it has one that takes those.
  public let uf2Family: UInt32?
}
