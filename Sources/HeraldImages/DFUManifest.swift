import Foundation
import HeraldText

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

  /// The maximum size in bytes.
  private static let largest = 64 << 10

  /// What a part is called, by its name in the manifest.
  private static let parts = [
    ("softdevice", "a SoftDevice"), ("bootloader", "a boot loader"),
    ("softdevice_bootloader", "a SoftDevice with a boot loader"), ("application", "an application"),
    ("external_application", "an application for another chip"),
  ]

  /// Reads a manifest.
  /// - Throws: `FirmwareError` if it is none of nrfutil's or adafruit-nrfutil's for one application alone: with
  ///   what the package holds instead, and what can be done with it.
  init(_ text: [UInt8]) throws(FirmwareError) {
    guard text.count <= Self.largest,
      let file = try? JSONDecoder().decode(ManifestValue.self, from: Data(text))
    else { throw FirmwareError("the package's manifest is damaged") }
    guard let contents = file["manifest"] else { throw Self.foreign(file) }
    let known = Self.parts.map(\.0)
    var held: [String] = []
    for (name, title) in Self.parts {
      guard let part = contents[name] else { continue }
      let count = part.elements?.count ?? 1
      held.append(count == 1 ? title : "\(count) parts of the kind \(name)")
    }
    held += contents.names.filter { !known.contains($0) && $0 != "dfu_version" }.sorted()
      .map { PrintableText.of($0, limit: 32) }
    guard held == ["an application"], let entry = contents["application"] else {
      guard !held.isEmpty else { throw FirmwareError("the package holds no application") }
      throw FirmwareError(
        "the package holds \(held.joined(separator: " and ")), and herald-flash writes an application alone: make a package of it (`nrfutil pkg generate --application`), or write this one with the program that made it"
      )
    }
    guard let binary = entry["bin_file"]?.text, let packet = entry["dat_file"]?.text else {
      throw FirmwareError("the package's manifest does not name one application and its init packet")
    }
    application = binary
    initPacket = packet
    isLegacy = contents["dfu_version"] != nil
  }

  /// The error for a manifest of another form.
  private static func foreign(_ file: ManifestValue) -> FirmwareError {
    // nRF Connect SDK: `"files": [{"file": "app_update.bin", "image_index": "0", "board": …}]`.
    guard let files = file["files"]?.elements, !files.isEmpty else {
      return FirmwareError("the package's manifest is not one of nrfutil or adafruit-nrfutil")
    }
    let names = files.prefix(4).map { PrintableText.of($0["file"]?.text ?? "?", limit: 64) }
    let listed = names.joined(separator: ", ") + (files.count > 4 ? " and others" : "")
    let first = files.first { $0["image_index"]?.text ?? "0" == "0" }?["file"]?.text ?? "FILE"
    return FirmwareError(
      "this is a package of nRF Connect SDK with \(files.count == 1 ? "one image" : "\(files.count) images") (\(listed)): unpack it, and write the application (`herald-flash write \(PrintableText.of(first, limit: 64)) --board mcuboot`); images for other cores and slots are written with the tools of that SDK"
    )
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

/// A value of JSON, as far as manifests need it.
private enum ManifestValue: Decodable {
  case text(String)
  case array([ManifestValue])
  case object([String: ManifestValue])
  /// A number, a truth value or null.
  case other

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let array = try? container.decode([ManifestValue].self) {
      self = .array(array)
    } else if let object = try? container.decode([String: ManifestValue].self) {
      self = .object(object)
    } else {
      self = .other
    }
  }

  subscript(name: String) -> ManifestValue? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  var names: [String] { if case .object(let members) = self { Array(members.keys) } else { [] } }
  var elements: [ManifestValue]? { if case .array(let elements) = self { elements } else { nil } }
  var text: String? { if case .text(let text) = self { text } else { nil } }
}
