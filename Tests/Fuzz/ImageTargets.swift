import HeraldImages

/// A program for a Cortex-M that starts at 0x1000, with bytes behind a gap.
private func program() throws -> FirmwareImage {
  let table: [UInt8] = [0x00, 0x10, 0x00, 0x20, 0x11, 0x10, 0x00, 0x00]
  return try FirmwareImage(
    format: .elf,
    pieces: [
      FirmwareImage.Segment(address: 0x1000, bytes: table + (0..<40).map { $0 }),
      FirmwareImage.Segment(
        address: 0x1100, bytes: Array("\0board=nrf52840dk\0".utf8) + [0xDB, 0xC0, 0x3A, 0x0A]),
    ], entry: 0x1010)
}

/// The program in one form.
private func seeds(_ format: FirmwareImage.Format) -> [[UInt8]] {
  guard let image = try? program(),
    let file = try? image.file(format, FirmwareImage.WritingOptions(family: 0xADA5_2840))
  else { broken("the program cannot be written") }
  return [file]
}

let elfSeeds = seeds(.elf)
let uf2Seeds = seeds(.uf2)
/// With a segment's address, an upper half, both start records and a space besides.
let intelHexSeeds =
  seeds(.intelHex) + [
    Array(
      ":020000021000EC\n:0400000300001000E9\r\n:0400000500001011D6\n:020000040001F9\n:0110000055 9A\n:00000001FF\n"
        .utf8)
  ]
/// The same program behind MCUboot's header, with a security counter in the protected list and a hash, which
/// nothing here checks, in the other.
var mcubootSeeds: [[UInt8]] {
  let program: [UInt8] = [0x00, 0x10, 0x00, 0x20, 0x11, 0x10, 0x00, 0x00] + (0..<40).map { $0 }
  let header: [UInt8] =
    [
      0x3D, 0xB8, 0xF3, 0x96, 0, 0, 0, 0, 32, 0, 12, 0, 48, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 4, 0, 0, 0, 0, 0,
      0, 0,
    ]
  let protected: [UInt8] = [0x08, 0x69, 12, 0, 0x50, 0, 4, 0, 7, 0, 0, 0]
  let hash: [UInt8] = [0x07, 0x69, 40, 0, 0x10, 0, 32, 0] + [UInt8](repeating: 0xA5, count: 32)
  return [header + program + protected + hash]
}
/// One for either kind of boot loader.
var packageSeeds: [[UInt8]] {
  guard let image = try? program(), let secure = try? DFUPackage(image, .secure),
    let legacy = try? DFUPackage(image, .legacy(softDevices: [0xFFFE, 0xB6]))
  else { broken("the program cannot be packed") }
  return [secure.file, legacy.file]
}

/// A file of firmware in any form: what is taken keeps its bytes and addresses through every form that can
/// hold them.
func fuzzImage(_ file: Span<UInt8>) {
  let bytes = file.withUnsafeBufferPointer { Array($0) }
  guard let image = try? FirmwareImage(bytes, base: 0x100) else { return }
  if zip(image.segments, image.segments.dropFirst()).contains(where: { $0.end >= UInt64($1.address) }) {
    broken("segments touch, overlap, or are out of order")
  }
  _ = image.vectorTable
  _ = image.builtFor
  if let signed = image.mcuboot {
    guard let inner = try? image.unsigned() else { return }
    if inner.byteCount != signed.programSize { broken("the program inside has another size") }
  }
  var options = FirmwareImage.WritingOptions(family: 0xADA5_2840)
  options.largestBinary = 1 << 16
  for format in [FirmwareImage.Format.intelHex, .elf] {
    guard let written = try? image.file(format, options), let again = try? FirmwareImage(written) else {
      broken("an image cannot be written, or what was written cannot be read")
    }
    if again.segments != image.segments { broken("bytes or addresses changed on the way") }
  }
  if let flat = try? image.file(.binary, options), let again = try? image.file(.uf2, options) {
    guard let blocks = try? FirmwareImage(again), blocks.byteCount >= image.byteCount else {
      broken("UF2 blocks hold less than the image")
    }
    if flat.count < image.byteCount { broken("the binary holds less than the image") }
  }
}

/// A package for a boot loader: what is taken can be written, and is the same when read again.
func fuzzPackage(_ file: Span<UInt8>) {
  guard let package = try? DFUPackage(file: file.withUnsafeBufferPointer { Array($0) }) else { return }
  guard (try? DFUPackage(file: package.file)) == package else {
    broken("a package that was read cannot be written and read again")
  }
}
