import HeraldCrypto
import HeraldHostLink
import HeraldImages

/// The state of an image's signature.
package enum SignatureState: Equatable, Sendable {
  case absent
  /// The image has a signature of this kind, which was not verified, without a key or with another one.
  case present(String)
  /// The image has a signature of this kind over the program before encryption, which cannot be verified
  /// here.
  case hidden(String)
  /// The signature of the key is valid.
  case valid
  /// The signature of the key is valid for the hash in the image, which is that of the program before
  /// encryption: that it is the hash of this program was not verified.
  case validForHash
  /// The image refers to this key, but the signature is invalid.
  case invalid

  /// The state as text for display.
  package var text: String {
    switch self {
    case .absent: "none"
    case .present(let kind): "\(kind), not checked: it is another key's, or no --key was given"
    case .hidden(let kind): "\(kind), not checked: it is over the program before encryption"
    case .valid: "valid for this key"
    case .validForHash:
      "valid for this key and the hash; that the encrypted program has this hash was not checked"
    case .invalid: "WRONG: the image names this key, and its signature is not the key's"
    }
  }

  /// The state as a constant word for programs.
  package var word: String {
    switch self {
    case .absent: "none"
    case .present: "present"
    case .hidden: "hidden"
    case .valid: "valid"
    case .validForHash: "valid-for-hash"
    case .invalid: "invalid"
    }
  }
}

extension MCUbootImage {
  private static let signatureTypes = [
    EntryType.rsa2048, 0x21, EntryType.ecdsa, EntryType.rsa3072, EntryType.ed25519,
  ]

  /// Whether the image is signed, and with `key`.
  package func signatureState(key: MCUbootKey?) -> SignatureState {
    let signatures = entries.filter { Self.signatureTypes.contains($0.type) }
    guard let first = signatures.first else { return .absent }
    guard let key else { return .present(EntryType.name(first.type)) }
    let hashState = hashState
    if isPure, hashState == .unknown { return .hidden(EntryType.name(first.type)) }
    for signature in signatures where signature.type == key.signatureType {
      if isPure {
        if key.isValid(signature.value, message: Array(covered)) { return .valid }
      } else if hashState != .wrong, let hash, key.isValid(signature.value, digest: hash) {
        return hashState == .unknown ? .validForHash : .valid
      }
    }
    // MCUboot's entry has the hash of the image's own kind over the key.
    let isNamed = entries.contains { entry in
      entry.type == EntryType.keyHash && key.hashes.contains(entry.value)
        || entry.type == EntryType.publicKey && entry.value == key.publicBytes
    }
    return isNamed ? .invalid : .present(EntryType.name(first.type))
  }

  /// The options for creating an image.
  package struct Options: Sendable {
    /// The version of the image.
    package var version: Version
    /// The size of the header in bytes, including padding; at least 32.
    package var headerSize: Int
    /// The value of the padding bytes.
    package var fill: UInt8
    /// The size of its slot in bytes; `nil` if unknown. MCUboot requires a part at its end.
    package var slotSize: Int?
    /// The unit in which that slot is written: 1, 2, 4, 8, 16 or 32 bytes. What MCUboot needs at the end
    /// follows from it.
    package var alignment: Int
    /// A security counter that must not decrease from one image to the next, for boot loaders that store it.
    package var securityCounter: UInt32?
    /// The key it is signed with; `nil` for one with a hash only.
    package var key: MCUbootKey?

    /// Options for this version; the others are those for a boot loader on an nRF52.
    package init(
      version: Version, headerSize: Int = 0x200, fill: UInt8 = 0xFF, slotSize: Int? = nil,
      alignment: Int = 4, securityCounter: UInt32? = nil, key: MCUbootKey? = nil
    ) {
      self.version = version
      self.headerSize = headerSize
      self.fill = fill
      self.slotSize = slotSize
      self.alignment = alignment
      self.securityCounter = securityCounter
      self.key = key
    }

    /// The size of MCUboot's trailer for a slot of at most 128 sectors: swap status, three flags, the swap
    /// size, and a magic number.
    var trailerSize: Int {
      let unit = max(8, alignment)
      return 128 * 3 * alignment + 4 * unit + (16 + unit - 1) / unit * unit
    }
  }

  /// An image in MCUboot's form around `program`, a header in front of it.
  /// - Throws: `FirmwareError` if an option is out of range, or the image is too large for the slot.
  package static func make(_ program: [UInt8], _ options: Options) throws(FirmwareError) -> [UInt8] {
    guard (headerSize...0xFFFF).contains(options.headerSize) else {
      throw FirmwareError("MCUboot's header has 32 to 65535 bytes, not \(options.headerSize)")
    }
    guard [1, 2, 4, 8, 16, 32].contains(options.alignment) else {
      throw FirmwareError("a slot is written in units of 1, 2, 4, 8, 16 or 32 bytes")
    }
    guard let programSize = UInt32(exactly: program.count), programSize > 0 else {
      throw FirmwareError("an MCUboot image has 1 to 4294967295 bytes of program")
    }
    let protected = options.securityCounter.map { counter in
      list(
        protectedListMagic,
        [
          Entry(
            type: EntryType.securityCounter,
            value: (0..<4).map { UInt8(truncatingIfNeeded: counter >> (8 * $0)) })
        ])
    }
    var image: [UInt8] = []
    image.append(littleEndian: magic)
    image.append(littleEndian: UInt32(0))
    image.append(littleEndian: UInt16(options.headerSize))
    image.append(littleEndian: UInt16(protected?.count ?? 0))
    image.append(littleEndian: programSize)
    image.append(littleEndian: UInt32(0))
    image += [options.version.major, options.version.minor]
    image.append(littleEndian: options.version.revision)
    image.append(littleEndian: options.version.build)
    image.append(littleEndian: UInt32(0))
    image += [UInt8](repeating: options.fill, count: options.headerSize - headerSize)
    image += program
    image += protected ?? []
    var entries = [Entry(type: EntryType.sha256, value: SHA256.hash(of: image.span))]
    if let key = options.key {
      entries.append(Entry(type: EntryType.keyHash, value: key.hash))
      entries.append(Entry(type: key.signatureType, value: try key.sign(image)))
    }
    image += list(listMagic, entries)
    if let slotSize = options.slotSize, image.count + options.trailerSize > slotSize {
      throw FirmwareError(
        "the image has \(image.count) bytes and MCUboot needs \(options.trailerSize) behind it; the slot has \(slotSize)"
      )
    }
    return image
  }

  private static func list(_ magic: UInt16, _ entries: [Entry]) -> [UInt8] {
    var content: [UInt8] = []
    for entry in entries {
      content.append(littleEndian: entry.type)
      content.append(littleEndian: UInt16(truncatingIfNeeded: entry.value.count))
      content += entry.value
    }
    var bytes: [UInt8] = []
    bytes.append(littleEndian: magic)
    bytes.append(littleEndian: UInt16(truncatingIfNeeded: content.count + 4))
    return bytes + content
  }
}

extension FirmwareImage {
  /// This image in MCUboot's form: header in front of what it holds, and lists behind. Its first byte is at
  /// the address of the first one here less the header's size, unless that is below 0: then it is at 0.
  package func signed(_ options: MCUbootImage.Options) throws(FirmwareError) -> FirmwareImage {
    guard mcuboot == nil else { throw FirmwareError("the image is in MCUboot's form already") }
    let program = try flat(WritingOptions(fill: options.fill))
    let address = segments[0].address
    let start = address >= options.headerSize ? address - UInt32(options.headerSize) : 0
    return try FirmwareImage(
      format: .mcuboot,
      pieces: [Segment(address: start, bytes: try MCUbootImage.make(program, options))])
  }
}
