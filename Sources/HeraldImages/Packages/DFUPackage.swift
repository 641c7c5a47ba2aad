import Foundation
import HeraldEmbedded

/// A package for Nordic's boot loader, as `nrfutil` makes and takes it: a zip archive with a manifest, an init packet and the application.
public struct DFUPackage: Equatable, Sendable {
  /// What the boot loader is told before.
  public let initPacket: [UInt8]
  /// The application: a whole number of words.
  public let application: [UInt8]

  private struct Manifest: Codable {
    struct Entry: Codable {
      let application: String
      let initPacket: String

      enum CodingKeys: String, CodingKey {
        case application = "bin_file"
        case initPacket = "dat_file"
      }
    }
    struct Contents: Codable { let application: Entry? }
    let manifest: Contents
  }

  private static let manifestName = "manifest.json"

  /// A package of `image` for a boot loader that puts it where it begins. What lies between segments becomes `FF`, and so does what is missing of the
  /// last word, which the boot loader asks for.
  /// - Throws: `FirmwareError` if the image has no such form.
  public init(_ image: FirmwareImage) throws(FirmwareError) {
    var bytes = try image.file(.binary)
    while bytes.count % 4 != 0 { bytes.append(0xFF) }
    self.init(application: bytes, isDebug: false)
  }

  /// A package of `application`. `isDebug`: a boot loader made for debugging, as the dongle's, passes over versions.
  package init(application: [UInt8], isDebug: Bool) {
    var packet = DFUInitPacket(application: application)
    packet.isDebug = isDebug
    initPacket = packet.bytes
    self.application = application
  }

  /// Reads a package: its init packet has to agree with the application.
  /// - Throws: `FirmwareError`, which says what is wrong.
  public init(file: [UInt8]) throws(FirmwareError) {
    let archive = try StoredZip(file)
    func content(_ name: String) throws(FirmwareError) -> [UInt8] {
      guard let found = archive.files.first(where: { $0.name == name }) else {
        throw FirmwareError("the package has no \(name)")
      }
      return found.bytes
    }
    let text = try content(Self.manifestName)
    guard let manifest = try? JSONDecoder().decode(Manifest.self, from: Data(text)) else {
      throw FirmwareError("the package's manifest is not one of nrfutil's")
    }
    guard let entry = manifest.manifest.application else {
      throw FirmwareError("the package holds no application")
    }
    initPacket = try content(entry.initPacket)
    application = try content(entry.application)
    let packet = try DFUInitPacket(initPacket)
    guard Int(packet.size) == application.count, packet.hash == DFUInitPacket.hash(of: application) else {
      throw FirmwareError("the package's init packet is that of another application")
    }
  }

  /// The bytes of the archive.
  public var file: [UInt8] {
    let manifest = """
      {
          "manifest": {
              "application": {
                  "bin_file": "application.bin",
                  "dat_file": "application.dat"
              }
          }
      }
      """
    return StoredZip([
      (Self.manifestName, Array(manifest.utf8)), ("application.dat", initPacket),
      ("application.bin", application),
    ]).bytes
  }
}
