import HeraldText

extension FirmwareImage {
  /// What a file is made with.
  package struct WritingOptions: Sendable {
    /// The bytes between segments becomes this, where a form has no gaps.
    package var fill: UInt8
    /// The family that UF2 blocks name.
    package var family: UInt32?
    /// The kind of boot loader that a package is for.
    package var package: DFUPackage.Kind?
    /// The most bytes that a binary may have: its gaps are written, too.
    package var largestBinary = FirmwareImage.largestFile

    /// FF, what erased flash holds, and the family that is given.
    package init(fill: UInt8 = 0xFF, family: UInt32? = nil) {
      self.fill = fill
      self.family = family
    }
  }

  /// The bytes of a file of this form with what this image puts where. MCUboot's form and a binary are the
  /// bytes as in memory; `MCUbootImage.make` puts MCUboot's around a program.
  /// - Throws: `FirmwareError` if the image has no such form: too far apart for a binary, without a family
  ///   for UF2, not signed for MCUboot.
  package func file(_ format: Format, _ options: WritingOptions = WritingOptions()) throws(FirmwareError)
    -> [UInt8]
  {
    switch format {
    case .intelHex: return IntelHex.write(self)
    case .elf: return ELFImage.write(self)
    case .uf2:
      guard let family = options.family ?? uf2Family else {
        throw FirmwareError(
          "UF2 needs the family of chips that it is for: --family nrf52840, or --board BOARD")
      }
      return UF2.write(self, family: family, fill: options.fill)
    case .mcuboot:
      guard mcuboot != nil else {
        throw FirmwareError("the image is not in MCUboot's form; --version puts it there")
      }
      return try flat(options)
    case .binary: return try flat(options)
    case .package:
      guard let kind = options.package else {
        throw FirmwareError(
          "a package is made for a board with a boot loader on a serial port: --board nrf52840dongle, or another (`herald-flash boards`)"
        )
      }
      return try DFUPackage(self, kind).file
    }
  }

  /// All bytes from the first address to the last.
  package func flat(_ options: WritingOptions) throws(FirmwareError) -> [UInt8] {
    guard let first = segments.first, let last = segments.last else { return [] }
    let size = Int(last.end - UInt64(first.address))
    guard size <= options.largestBinary else {
      throw FirmwareError(
        "as a binary it would have \(size) bytes, most of them between 0x\(first.end.hexadecimal(8)) and 0x\(last.address.hexadecimal(8)): a form with addresses keeps the gaps"
      )
    }
    var bytes = [UInt8](repeating: options.fill, count: size)
    for segment in segments {
      let start = Int(segment.address - first.address)
      bytes.replaceSubrange(start..<start + segment.bytes.count, with: segment.bytes)
    }
    return bytes
  }

  /// The same bytes elsewhere: the first of them at `address`.
  /// - Throws: `FirmwareError` if the last would lie beyond the end of memory.
  package func moved(to address: UInt32) throws(FirmwareError) -> FirmwareImage {
    let first = segments[0].address
    if first == address { return self }
    var pieces: [Segment] = []
    for segment in segments {
      let moved = UInt64(segment.address - first) + UInt64(address)
      guard let start = UInt32(exactly: moved) else {
        throw FirmwareError("at 0x\(address.hexadecimal(8)) the image goes beyond the end of memory")
      }
      pieces.append(Segment(address: start, bytes: segment.bytes))
    }
    return try FirmwareImage(format: format, pieces: pieces, uf2Family: uf2Family, package: package)
  }
}
