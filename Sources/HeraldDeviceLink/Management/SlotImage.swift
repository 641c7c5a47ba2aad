import HeraldCrypto
import HeraldEmbedded
import HeraldHAL

/// The header of an image as in MCUboot: 32 bytes, little-endian.
///
/// | byte | meaning |
/// | --- | --- |
/// | 0 | 96F3B83D |
/// | 4 | load address |
/// | 8 | bytes of the header, what pads it included |
/// | 10 | bytes of the protected part of the list behind the image |
/// | 12 | bytes of the image |
/// | 16 | flags: bit 4 not bootable |
/// | 20 | version: major u8, minor u8, revision u16, build u32 |
///
/// Behind the image comes a list of entries (type u16, length u16, bytes), or two, the protected one first: a
/// head of 6908 or 6907 (u16) and the bytes of the whole (u16). Entry 10 is the SHA-256 of header, image and
/// protected list.
struct ImageHeader: Equatable, BitwiseCopyable {
  var headerSize: UInt16
  var protectedSize: UInt16
  var imageSize: UInt32
  var flags: UInt32
  var major: UInt8
  var minor: UInt8
  var revision: UInt16
  var build: UInt32

  /// Bytes of it.
  static var size: Int { 32 }

  /// The header at the start of an image; `nil` if there are fewer bytes, or it is invalid: `isMagic` is then
  /// whether the first four are right.
  init?(_ bytes: Span<UInt8>) {
    var reader = ByteReader(bytes)
    guard bytes.count >= Self.size, reader.u32() == Self.magic, reader.u32() != nil,
      let headerSize = reader.u16(), let protectedSize = reader.u16(),
      let imageSize = reader.u32(), let flags = reader.u32(),
      let major = reader.u8(), let minor = reader.u8(), let revision = reader.u16(),
      let build = reader.u32(), Int(headerSize) >= Self.size
    else { return nil }
    self.headerSize = headerSize
    self.protectedSize = protectedSize
    self.imageSize = imageSize
    self.flags = flags
    self.major = major
    self.minor = minor
    self.revision = revision
    self.build = build
  }

  static var magic: UInt32 { 0x96F3_B83D }

  /// Whether it may be started.
  var isBootable: Bool { flags & 0x10 == 0 }

  /// Whether its version comes after `other`'s; the build does not count.
  func isNewer(than other: ImageVersion) -> Bool {
    if major != other.major { return major > other.major }
    if minor != other.minor { return minor > other.minor }
    return revision > other.revision
  }
}

/// The version of an image.
public struct ImageVersion: Equatable, BitwiseCopyable, Sendable {
  /// 0…255.
  public var major: UInt8
  /// 0…255.
  public var minor: UInt8
  /// 0…65535.
  public var revision: UInt16

  /// Initialises each member.
  public init(major: UInt8, minor: UInt8, revision: UInt16) {
    self.major = major
    self.minor = minor
    self.revision = revision
  }

  /// From "1.2.3", of which later numbers may be missing or invalid: these are then 0.
  init(_ text: Span<UInt8>) {
    var parts: [3 of UInt32] = .init(repeating: 0)
    var part = 0
    var index = 0
    while index < text.count, part < 3 {
      let byte = text[index]
      if byte == UInt8(ascii: ".") {
        part &+= 1
      } else if byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
        parts[part] = min(parts[part] &* 10 &+ UInt32(byte &- UInt8(ascii: "0")), 0xFFFF)
      } else {
        break
      }
      index &+= 1
    }
    self.init(
      major: UInt8(truncatingIfNeeded: min(parts[0], 255)),
      minor: UInt8(truncatingIfNeeded: min(parts[1], 255)),
      revision: UInt16(truncatingIfNeeded: parts[2]))
  }
}

/// An image in a slot, as far as its header and the list behind it show.
struct SlotImage: BitwiseCopyable {
  var header: ImageHeader
  var hash: [32 of UInt8]
  /// Offset of an Ed25519 signature of 64 bytes; 0 if there is none.
  var signature: UInt32
  /// Offset of the entry that names the key of the signature, by its SHA-256 (32 bytes) or itself (44); 0 if
  /// there is none in front of the signature.
  var key: UInt32
  var keyLength: UInt16
  /// Bytes that the hash covers, from the first one on.
  var covered: UInt32
  /// Bytes of the image, both lists included.
  var size: UInt32

  /// What is in the slot. Empty unless header and list are valid, and consistent with the number of bytes.
  @inline(never)
  static func read<Slot: ImageSlot & ~Copyable>(_ slot: inout Slot) -> Result<SlotImage, SMPFailure> {
    var head: [32 of UInt8] = .init(repeating: 0)
    var room = head.mutableSpan
    guard slot.imageSize() >= 32, slot.readImage(offset: 0, into: &room) else { return .failure(.noImage) }
    guard let header = ImageHeader(head.span) else { return .failure(.noImage) }
    let size = slot.imageSize()
    // Each is below 2³²; the sum is computed in 64 bits.
    let listStart = UInt64(wide: UInt32(header.headerSize)) &+ UInt64(wide: header.imageSize)
    guard listStart.high32 == 0, listStart.low32 <= size else { return .failure(.noImageList) }
    var position = listStart.low32
    if header.protectedSize > 0 {
      guard let end = Self.list(&slot, at: position, size: size, magic: 0x6908),
        end &- position == UInt32(header.protectedSize)
      else { return .failure(.noImageList) }
      position = end
    }
    guard let end = Self.list(&slot, at: position, size: size, magic: 0x6907) else {
      return .failure(.noImageList)
    }
    return Self.hash(&slot, from: position &+ 4, to: end, header)
  }

  /// Whether the image in the slot has the hash that it carries, and a signature of the device's key over it,
  /// as imgtool makes them for Ed25519; names no other key; and is all that is in the slot, as a boot loader
  /// would take what follows for its own trailer. `true` for a device without a key.
  @inline(never)
  static func isTrusted<Slot: ImageSlot & ~Copyable>(_ slot: inout Slot) -> Bool {
    guard slot.hasImageKey() else { return true }
    guard case .success(let image) = read(&slot), image.signature > 0, image.size == slot.imageSize() else {
      return false
    }
    if image.key > 0 {
      var entry: [44 of UInt8] = .init(repeating: 0)
      guard Int(image.keyLength) <= 44 else { return false }
      var room = entry.mutableSpan
      var part = room._mutatingExtracting(0..<Int(image.keyLength))
      guard slot.readImage(offset: image.key, into: &part),
        slot.isImageKey(entry.span.extracting(0..<Int(image.keyLength)))
      else { return false }
    }
    var digest: [32 of UInt8] = .init(repeating: 0)
    guard Self.digest(of: image.covered, in: &slot, into: &digest) else { return false }
    for index in 0..<32 where digest[index] != image.hash[index] { return false }
    var signature: [64 of UInt8] = .init(repeating: 0)
    var room = signature.mutableSpan
    guard slot.readImage(offset: image.signature, into: &room) else { return false }
    return slot.isSignature(signature.span, of: digest.span)
  }

  /// The SHA-256 of the first `length` bytes of the slot; `false` if they cannot be read.
  @inline(never)
  static func digest<Slot: ImageSlot & ~Copyable>(
    of length: UInt32, in slot: inout Slot, into digest: inout [32 of UInt8]
  ) -> Bool {
    var hash = SHA256()
    var piece: [64 of UInt8] = .init(repeating: 0)
    var offset: UInt32 = 0
    while offset < length {
      let count = Int(min(length &- offset, 64))
      var room = piece.mutableSpan
      var part = room._mutatingExtracting(0..<count)
      guard slot.readImage(offset: offset, into: &part) else { return false }
      hash.update(piece.span.extracting(0..<count))
      offset &+= UInt32(truncatingIfNeeded: count)
    }
    hash.finish(into: &digest)
    return true
  }

  /// Where the list that begins at `position` ends.
  private static func list<Slot: ImageSlot & ~Copyable>(
    _ slot: inout Slot, at position: UInt32, size: UInt32, magic: UInt16
  ) -> UInt32? {
    guard size >= position, size &- position >= 4, let (kind, length) = pair(&slot, at: position),
      kind == magic,
      length >= 4, UInt32(length) <= size &- position
    else { return nil }
    return position &+ UInt32(length)
  }

  private static func pair<Slot: ImageSlot & ~Copyable>(
    _ slot: inout Slot, at position: UInt32
  ) -> (UInt16, UInt16)? {
    var bytes: [4 of UInt8] = .init(repeating: 0)
    var room = bytes.mutableSpan
    guard slot.readImage(offset: position, into: &room) else { return nil }
    return (UInt16(bytes[0]) | UInt16(bytes[1]) &<< 8, UInt16(bytes[2]) | UInt16(bytes[3]) &<< 8)
  }

  private static func hash<Slot: ImageSlot & ~Copyable>(
    _ slot: inout Slot, from start: UInt32, to end: UInt32, _ header: ImageHeader
  ) -> Result<SlotImage, SMPFailure> {
    var hash: [32 of UInt8] = .init(repeating: 0)
    var isFound = false
    var signature: UInt32 = 0
    var key: UInt32 = 0
    var keyLength: UInt16 = 0
    var position = start
    while end &- position >= 4 {
      guard let (kind, length) = pair(&slot, at: position) else { return .failure(.imageUnreadable) }
      position &+= 4
      guard UInt32(length) <= end &- position else { return .failure(.badImageEntry) }
      if kind & 0xFF == 0x10 {
        guard !isFound, length == 32 else { return .failure(.badImageEntry) }
        var room = hash.mutableSpan
        guard slot.readImage(offset: position, into: &room) else { return .failure(.imageUnreadable) }
        isFound = true
      }
      // A key is named in front of its signature.
      if kind & 0xFF == 0x01 || kind & 0xFF == 0x02, signature == 0 {
        key = position
        keyLength = length
      }
      // What the hash covers ends where this list begins, so a second signature adds nothing.
      if kind & 0xFF == 0x24, length == 64, signature == 0 { signature = position }
      position &+= UInt32(length)
    }
    guard isFound else { return .failure(.noImageHash) }
    return .success(
      SlotImage(
        header: header, hash: hash, signature: signature, key: key, keyLength: keyLength, covered: start &- 4,
        size: end))
  }
}
