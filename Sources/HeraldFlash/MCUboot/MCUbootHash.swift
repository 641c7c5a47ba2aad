import HeraldCrypto
import HeraldImages

extension MCUbootImage {
  /// The validity of the hash contained in an image.
  package enum HashState: String, Sendable {
    case right, wrong, absent
    /// The hash cannot be compared: it is that of the program before encryption, for which the private key of
    /// the boot loader is needed, or OpenSSL's libcrypto is configured without its function.
    case unknown
  }

  /// Whether the hash in the image is correct; if there are several, all must be.
  package var hashState: HashState {
    var state = HashState.absent
    for entry in entries {
      guard let function = Self.function(entry.type) else { continue }
      guard let own = function(covered.span) else { return .unknown }
      if entry.value != own {
        // A hash of another length is none of that kind.
        return isEncrypted && entry.value.count == own.count ? .unknown : .wrong
      }
      state = .right
    }
    return state
  }

  /// The hash function of a kind of entry; `nil` if the entry is no hash.
  private static func function(_ type: UInt16) -> ((Span<UInt8>) -> [UInt8]?)? {
    switch type {
    case EntryType.sha256: SHA256.hash(of:)
    case EntryType.sha384: SHA2.sha384.hash(of:)
    case EntryType.sha512: SHA2.sha512.hash(of:)
    default: nil
    }
  }

  /// Why the bytes between header and lists are not the program, as text that follows "its program"; `nil` if
  /// they are.
  package var hiddenProgram: String? {
    let isHidden = isEncrypted && hashState == .unknown
    switch (isHidden, compression) {
    case (false, nil): return nil
    case (true, nil): return "is encrypted"
    case (false, let method?): return "is compressed (\(method))"
    case (true, let method?): return "is compressed (\(method)) and encrypted"
    }
  }
}

extension FirmwareImage {
  /// The program inside an image in MCUboot's form, where it is in memory.
  /// - Throws: `FirmwareError` if it is in another form, damaged, encrypted or compressed.
  package func unsigned() throws(FirmwareError) -> FirmwareImage {
    guard let mcuboot else { throw FirmwareError("the image is not in MCUboot's form") }
    if let hidden = mcuboot.hiddenProgram {
      throw FirmwareError(
        "its program \(hidden), and herald-flash cannot undo this: take the file that was given to imgtool")
    }
    guard mcuboot.hashState != .wrong else {
      throw FirmwareError("its hash differs from the one in the image: it is damaged")
    }
    return try FirmwareImage(
      format: .binary,
      pieces: [
        Segment(
          address: segments[0].address &+ UInt32(mcuboot.headerSize), bytes: Array(mcuboot.program))
      ])
  }
}
