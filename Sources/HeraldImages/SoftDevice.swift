/// Nordic's S140, the radio's program that may lie between the master boot record and an application on an
/// nRF52840: what tells its releases apart, and where an application begins behind them.
public struct SoftDevice: Equatable, Sendable {
  /// The major version, as people write it.
  public let major: String
  /// The numbers of its releases (`SD_FWID`): what a boot loader compares with those that an application
  /// names.
  public let numbers: [UInt16]
  /// The first address behind it.
  public let applicationStart: UInt32

  /// Those that boards are sold with.
  public static let all = [
    SoftDevice(major: "6", numbers: [0xA9, 0xAE, 0xB6], applicationStart: 0x2_6000),
    SoftDevice(major: "7", numbers: [0xC1, 0xCA, 0x100, 0x123], applicationStart: 0x2_7000),
  ]

  /// What in the init packet of an application without a SoftDevice requirement.
  package static let any: UInt16 = 0xFFFE
  /// What is found where a SoftDevice would have its number, in flash that is erased.
  package static let absent: UInt16 = 0xFFFF
  /// Bytes from where the master boot record ends to the page in which a SoftDevice has its number.
  package static let numberPage = 0x2000
  /// Where an application begins without one.
  package static let startWithout: UInt32 = 0x1000

  /// Where an application begins that names these; `nil` if they do not say.
  package static func applicationStart(_ numbers: [UInt16]) -> UInt32? {
    guard !numbers.isEmpty else { return nil }
    if numbers.allSatisfy({ $0 == absent }) { return startWithout }
    return all.first { known in numbers.allSatisfy(known.numbers.contains) }?.applicationStart
  }
}
