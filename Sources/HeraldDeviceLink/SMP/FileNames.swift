/// The commands of group `file` beside the transfer.
extension FileCommand {
  /// The length of a file.
  public static var status: UInt8 { 1 }
  /// A hash or checksum of it.
  public static var hash: UInt8 { 2 }
  /// The supported hashes and checksums.
  public static var hashTypes: UInt8 { 3 }
  /// Closes the file; no effect, as no file is open.
  public static var close: UInt8 { 4 }
}

/// The keys of the CBOR maps of group `file`.
public enum FileKey {
  /// Which hash or checksum.
  public static var type: StaticString { "type" }
  /// The hash or checksum.
  public static var output: StaticString { "output" }
  /// The hashes and checksums there are.
  public static var types: StaticString { "types" }
  /// Of a type: 0 a number, 1 bytes.
  public static var format: StaticString { "format" }
  /// Of a type: how many bytes.
  public static var size: StaticString { "size" }
  /// CRC-32 as of IEEE 802.3.
  public static var crc32: StaticString { "crc32" }
  /// SHA-256.
  public static var sha256: StaticString { "sha256" }
}

extension SMPFailure {
  /// File: the name is invalid (2).
  static var badFileName: Self { Self(.file, 2, general: .invalid) }
  /// File: it cannot be read (7).
  static var fileUnreadable: Self { Self(.file, 7, general: .unknown) }
  /// File: it has changed since its download began (11).
  static var fileChanged: Self { Self(.file, 11, general: .unknown) }
  /// File: it is not as long as that (12).
  static var beyondFile: Self { Self(.file, 12, general: .unknown) }
  /// File: there is no such hash or checksum (13).
  static var noSuchHash: Self { Self(.file, 13, general: .invalid) }
  /// File: it is empty (16).
  static var fileEmpty: Self { Self(.file, 16, general: .unknown) }
}
