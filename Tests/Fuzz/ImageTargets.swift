import Foundation
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

/// Keys, each behind the number of its label: private Ed25519, SEC 1 with a compressed point, public Ed25519.
var pemKeySeeds: [[UInt8]] {
  let ed25519: [UInt8] = [
    0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
  ]
  let elliptic: [UInt8] = [0x30, 0x57, 0x02, 0x01, 0x01, 0x04, 0x20]
  let curve: [UInt8] = [0xA0, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
  let bytes = [UInt8](repeating: 0x5A, count: 32)
  return [
    [0] + ed25519 + bytes, [1] + elliptic + bytes + curve + [0xA1, 0x24, 0x03, 0x22, 0x00, 0x02] + bytes,
    [2] + (Ed25519PublicKey(bytes)?.subjectPublicKeyInfo ?? []),
  ]
}

/// The DER of a key under one of three labels, and any text.
func fuzzPEMKey(_ file: Span<UInt8>) {
  let bytes = file.withUnsafeBufferPointer { Array($0) }
  _ = try? PEMKey(String(decoding: bytes, as: UTF8.self))
  guard let first = bytes.first else { return }
  let label = ["PRIVATE KEY", "EC PRIVATE KEY", "PUBLIC KEY"][Int(first) % 3]
  let text = Data(bytes.dropFirst()).base64EncodedString()
  switch try? PEMKey("-----BEGIN \(label)-----\n\(text)\n-----END \(label)-----\n") {
  case .p256Private(let scalar, _): if scalar.count != 32 { broken("a private key has not 32 bytes") }
  case .p256Public(let point):
    if point.count != 33 && point.count != 65 { broken("a point has another size") }
  case .ed25519Private(let seed, _): if seed.count != 32 { broken("a private key has not 32 bytes") }
  case .ed25519Public(let key): if key.count != 32 { broken("a public key has not 32 bytes") }
  case nil: break
  }
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
    _ = (signed.unsupported, signed.compression, signed.isEncrypted)
    if signed.program.count != signed.programSize { broken("the program inside has another size") }
    if image.bytesBehindImage > image.byteCount { broken("more bytes follow the image than the file has") }
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
