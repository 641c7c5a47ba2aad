/// Nordic's S140 SoftDevice, which may be installed between the master boot record and the application of an
/// nRF52840: the identifiers of its releases, and the start address of an application.
package struct SoftDevice: Equatable, Sendable {
  /// The major version.
  package let major: String
  /// The identifiers of its releases (`SD_FWID`), which a boot loader compares with those in an init packet.
  package let numbers: [UInt16]
  /// The first address after it.
  package let applicationStart: UInt32

  /// The versions with which boards are delivered.
  package static let all = [
    SoftDevice(major: "6", numbers: [0xA9, 0xAE, 0xB6], applicationStart: 0x2_6000),
    SoftDevice(major: "7", numbers: [0xC1, 0xCA, 0x100, 0x123], applicationStart: 0x2_7000),
  ]

  /// The identifier in the init packet of an application for any SoftDevice.
  package static let any: UInt16 = 0xFFFE
  /// The identifier read from erased flash: there is no SoftDevice.
  package static let absent: UInt16 = 0xFFFF
  /// The offset in bytes, from the end of the master boot record, of the page with a SoftDevice's identifier.
  package static let numberPage = 0x2000
  /// The start address of an application without a SoftDevice.
  package static let startWithout: UInt32 = 0x1000

  /// The start address of an application with these identifiers; `nil` if they do not determine it.
  package static func applicationStart(_ numbers: [UInt16]) -> UInt32? {
    guard !numbers.isEmpty else { return nil }
    if numbers.allSatisfy({ $0 == absent }) { return startWithout }
    return all.first { known in numbers.allSatisfy(known.numbers.contains) }?.applicationStart
  }
}
