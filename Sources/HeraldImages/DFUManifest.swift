import Foundation

/// The manifest of a package in JSON: `manifest.json`.
struct DFUManifest {
  static let name = "manifest.json"
  static let applicationName = "application.bin"
  static let initPacketName = "application.dat"

  /// The application's file.
  let application: String
  /// The init packet's.
  let initPacket: String
  /// Whether it is for a boot loader before Secure DFU: such packages tell a version.
  let isLegacy: Bool

  private struct File: Decodable {
    struct Entry: Decodable {
      let application: String
      let initPacket: String

      enum CodingKeys: String, CodingKey {
        case application = "bin_file"
        case initPacket = "dat_file"
      }
    }
    struct Contents: Decodable {
      let application: Entry?
      let version: Double?

      enum CodingKeys: String, CodingKey {
        case application
        case version = "dfu_version"
      }
    }
    let manifest: Contents
  }

  /// Reads a manifest.
  /// - Throws: `FirmwareError` if it is none, or names no application.
  init(_ text: [UInt8]) throws(FirmwareError) {
    guard let file = try? JSONDecoder().decode(File.self, from: Data(text)) else {
      throw FirmwareError("the package's manifest is not one of nrfutil's")
    }
    guard let entry = file.manifest.application else {
      throw FirmwareError("the package holds no application")
    }
    application = entry.application
    initPacket = entry.initPacket
    isLegacy = file.manifest.version != nil
  }

  /// The manifest of a package with `packet`, or of one for Secure DFU.
  static func text(_ packet: LegacyInitPacket?) -> String {
    var details = ""
    var version = ""
    if let packet {
      let numbers = packet.softDevices.map { "                    \($0)" }.joined(separator: ",\n")
      // The check of a packet that is not plain is made by others, who know what it is.
      let checksum =
        packet.isPlain
        ? "                \"firmware_crc16\": \(UInt16(packet.check[0]) | UInt16(packet.check[1]) << 8),\n"
        : ""
      details = """
        ,
                    "init_packet_data": {
                        "application_version": \(packet.applicationVersion),
                        "device_revision": \(packet.deviceRevision),
                        "device_type": \(packet.deviceType),
        \(checksum)                "softdevice_req": [
        \(numbers)
                        ]
                    }
        """
      version = ",\n        \"dfu_version\": 0.5"
    }
    return """
      {
          "manifest": {
              "application": {
                  "bin_file": "\(applicationName)",
                  "dat_file": "\(initPacketName)"\(details)
              }\(version)
          }
      }
      """
  }
}
