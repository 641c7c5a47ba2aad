import Foundation
import HeraldCrypto
import HeraldText

/// A DFU package in the format of `nrfutil` and `adafruit-nrfutil`: a zip archive with a manifest, an init
/// packet and the application.
package struct DFUPackage: Equatable, Sendable {
  /// The kind of boot loader.
  package enum Kind: Equatable, Sendable {
    /// Nordic's Secure DFU, of nRF5 SDK 12 and later.
    case secure
    /// The DFU of earlier SDKs, as in Adafruit's boot loader, on a board with one of these SoftDevices, given
    /// by their identifiers.
    case legacy(softDevices: [UInt16])
  }

  /// The kind of boot loader for which the package is intended.
  package let kind: Kind
  /// The init packet.
  package let initPacket: [UInt8]
  /// The application.
  package let application: [UInt8]

  /// Creates a package of `image` for a boot loader that writes it to its start address. Bytes between
  /// segments, and those that complete the last word, as boot loaders require, are `FF`.
  /// - Throws: `FirmwareError` if the image has no binary form.
  package init(_ image: FirmwareImage, _ kind: Kind) throws(FirmwareError) {
    var bytes = try image.file(.binary)
    while bytes.count % 4 != 0 { bytes.append(0xFF) }
    switch kind {
    case .secure: self.init(application: bytes, isDebug: false)
    case .legacy(let softDevices):
      // The boot loader detects the absence of a SoftDevice by erased flash at the address of its identifier.
      // Only the pages of the application are erased, so that it must extend beyond that address.
      if softDevices == [SoftDevice.absent] {
        while bytes.count <= SoftDevice.numberPage { bytes += [0xFF, 0xFF, 0xFF, 0xFF] }
      }
      self.init(
        legacy: LegacyInitPacket(application: bytes, softDevices: softDevices), application: bytes)
    }
  }

  /// A package of `application` for Secure DFU. `isDebug`: a boot loader made for debugging, as the dongle's,
  /// skips versions.
  package init(application: [UInt8], isDebug: Bool) {
    var packet = DFUInitPacket(application: application)
    packet.isDebug = isDebug
    kind = .secure
    initPacket = packet.bytes
    self.application = application
  }

  /// A package of `application` with this packet.
  package init(legacy packet: LegacyInitPacket, application: [UInt8]) {
    kind = .legacy(softDevices: packet.softDevices)
    initPacket = packet.bytes
    self.application = application
  }

  /// Parses a package, whose init packet must match the application.
  /// - Throws: `FirmwareError` with the reason.
  package init(file: [UInt8]) throws(FirmwareError) {
    let archive = try StoredZip(file)
    func content(_ name: String) throws(FirmwareError) -> [UInt8] {
      guard let found = archive.files.first(where: { $0.name == name }) else {
        throw FirmwareError("the package has no \(PrintableText.of(name))")
      }
      return found.bytes
    }
    guard archive.files.contains(where: { $0.name == DFUManifest.name }) else {
      let names = archive.files.prefix(4).map { PrintableText.of($0.name, limit: 64) }.joined(separator: ", ")
      throw FirmwareError(
        "the zip archive is no DFU package, as it has no \(DFUManifest.name): it holds \(names.isEmpty ? "nothing" : names)\(archive.files.count > 4 ? " and others" : ""). Unpack it, and name the image in it"
      )
    }
    let manifest = try DFUManifest(try content(DFUManifest.name))
    initPacket = try content(manifest.initPacket)
    application = try content(manifest.application)
    let named = [DFUManifest.name, manifest.initPacket, manifest.application]
    if let other = archive.files.first(where: { !named.contains($0.name) && !$0.name.hasSuffix("/") }) {
      throw FirmwareError(
        "the package holds \(PrintableText.of(other.name)), which its manifest does not name: if it is not needed, `zip -d` takes it out"
      )
    }
    let agrees: Bool
    if manifest.isLegacy {
      let packet = try LegacyInitPacket(initPacket)
      kind = .legacy(softDevices: packet.softDevices)
      agrees = packet.agrees(with: application)
    } else {
      let packet = try DFUInitPacket(initPacket)
      kind = .secure
      agrees =
        Int(packet.size) == application.count && packet.hash == SHA256.hash(of: application.span)
    }
    guard agrees else { throw FirmwareError("the package's init packet is that of another application") }
  }

  /// Where the application goes, as far as the SoftDevices say that it was made for.
  var start: UInt32? {
    if case .legacy(let softDevices) = kind { SoftDevice.applicationStart(softDevices) } else { nil }
  }

  /// The bytes of the archive.
  package var file: [UInt8] {
    let packet: LegacyInitPacket? =
      if case .legacy = kind { try? LegacyInitPacket(initPacket) } else { nil }
    return StoredZip([
      (DFUManifest.name, Array(DFUManifest.text(packet).utf8)),
      (DFUManifest.initPacketName, initPacket), (DFUManifest.applicationName, application),
    ]).bytes
  }
}
