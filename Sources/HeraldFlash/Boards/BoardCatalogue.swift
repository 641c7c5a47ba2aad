import HeraldImages

/// The supported boards.
///
/// Regions of boards with firmware of this project are those of their linker scripts; a test compares them.
/// Regions of others are those that the boot loader leaves to an application.
package enum BoardCatalogue {
  private static let kibibyte: UInt32 = 1024

  /// All boards, those with firmware of this project first.
  package static let all = [
    BoardDescription(
      name: "microbit", title: "micro:bit v1", chip: "nrf51822",
      firmware: .init(start: 0, size: 94 * kibibyte), settings: .init(start: 0x1_7800, size: 2 * kibibyte),
      log: .init(start: 0x1_8000, size: 160 * kibibyte),
      ram: .init(start: 0x2000_0000, size: 16 * kibibyte), pageSize: kibibyte,
      bootLoader: .dapLink(boardIDs: ["9900", "9901"]), programmingMethods: [.probe, .drive],
      hasFirmware: true),
    BoardDescription(
      name: "nrf52833dk", title: "nRF52833 DK (PCA10100)", chip: "nrf52833",
      firmware: .init(start: 0, size: 120 * kibibyte), settings: .init(start: 0x1_E000, size: 8 * kibibyte),
      log: .init(start: 0x2_0000, size: 384 * kibibyte),
      ram: .init(start: 0x2000_0000, size: 128 * kibibyte), pageSize: 4 * kibibyte,
      programmingMethods: [.probe], hasFirmware: true),
    BoardDescription(
      name: "nrf52840dk", title: "nRF52840 DK (PCA10056)", chip: "nrf52840",
      firmware: .init(start: 0, size: 248 * kibibyte), settings: .init(start: 0x3_E000, size: 8 * kibibyte),
      log: .init(start: 0x4_0000, size: 768 * kibibyte),
      ram: .init(start: 0x2000_0000, size: 256 * kibibyte), pageSize: 4 * kibibyte,
      programmingMethods: [.probe], hasFirmware: true),
    // DAPLink erases the whole chip.
    BoardDescription(
      name: "microbit2", title: "micro:bit v2", chip: "nrf52833",
      firmware: .init(start: 0, size: 120 * kibibyte), settings: .init(start: 0x1_E000, size: 8 * kibibyte),
      log: .init(start: 0x2_0000, size: 384 * kibibyte),
      ram: .init(start: 0x2000_0000, size: 128 * kibibyte), pageSize: 4 * kibibyte,
      bootLoader: .dapLink(boardIDs: ["9903", "9904", "9905", "9906"]), programmingMethods: [.probe, .drive],
      hasFirmware: true),
    // The first page is Nordic's master boot record; the open boot loader begins at 0xE0000, and takes no
    // image that ends behind 0xDD000.
    BoardDescription(
      name: "nrf52840-dongle", title: "nRF52840 Dongle (PCA10059)", chip: "nrf52840",
      firmware: .init(start: 0x1000, size: 244 * kibibyte),
      settings: .init(start: 0x3_E000, size: 8 * kibibyte),
      log: .init(start: 0x4_0000, size: 640 * kibibyte),
      ram: .init(start: 0x2000_0000, size: 256 * kibibyte), pageSize: 4 * kibibyte,
      bootLoader: .nordicDFU, programmingMethods: [.serialDFU, .probe], hasFirmware: true),
    adafruit(
      "xiao-nrf52840", "XIAO nRF52840 (Sense) with S140 7, as sold", xiaoIDs, "7", hasFirmware: true),
    adafruit(
      "feather-nrf52840", "\(feather) with S140 6, as sold", [featherID], "6", hasFirmware: true),
    // The log is in the serial NOR flash.
    BoardDescription(
      name: "herald-wearable", title: "Herald wearable, revision 0.2", chip: "nrf52833",
      firmware: .init(start: 0, size: 504 * kibibyte), settings: .init(start: 0x7_E000, size: 8 * kibibyte),
      ram: .init(start: 0x2000_0000, size: 128 * kibibyte), pageSize: 4 * kibibyte,
      programmingMethods: [.probe],
      hasFirmware: true),
    // An image for an emulator, which cannot be flashed.
    BoardDescription(
      name: "mps2-an386", title: "MPS2 with AN386, in an emulator", chip: "mps2-an386",
      firmware: .init(start: 0, size: 112 * kibibyte),
      settings: .init(start: 0x2106_4000, size: 8 * kibibyte),
      log: .init(start: 0x2100_0000, size: 400 * kibibyte),
      ram: .init(start: 0x2000_0000, size: 128 * kibibyte), pageSize: 4 * kibibyte, hasFirmware: true),
    // Any device that serves the image group: the address range of its images is defined by the image and the
    // boot loader.
    BoardDescription(
      name: "mcuboot", title: "a device with MCUboot's image slots", chip: "any",
      firmware: .init(start: 0, size: .max), ram: .init(start: 0x2000_0000, size: 0x2000_0000),
      pageSize: 4 * kibibyte, bootLoader: .mcuboot, programmingMethods: [.smp]),
    adafruit("nrf52840dongle-adafruit", "\(dongle) with Adafruit's boot loader and S140 6", [dongleID], "6"),
    adafruit("feather-nrf52840-s140v7", "\(feather) with S140 7", [featherID], "7"),
    adafruit("feather-nrf52840-mbr", "\(feather) without a SoftDevice", [featherID], nil),
  ]

  private static let feather = "Feather nRF52840 Express"
  private static let featherID = "nRF52840-Feather"
  /// The board names of Seeed's build of the boot loader and of Adafruit's; the names of the Sense have them
  /// in front.
  private static let xiaoIDs = ["Seeed_XIAO_nRF52840", "nRF52840-SeeedXiao"]
  private static let dongle = "nRF52840 Dongle"
  private static let dongleID = "nRF52840-pca10059"

  /// Adafruit's boot loader accepts an application from the end of the SoftDevice up to 0xEA000, where ten
  /// pages of its own data begin. It does not write these; the last two are the settings of firmware of this
  /// project.
  private static func adafruit(
    _ name: String, _ title: String, _ boardIDs: [String], _ softDevice: String?, hasFirmware: Bool = false
  ) -> BoardDescription {
    let start =
      SoftDevice.all.first { $0.major == softDevice }?.applicationStart ?? SoftDevice.startWithout
    return BoardDescription(
      name: name, title: title, chip: "nrf52840", firmware: .init(start: start, size: 0xE_A000 - start),
      settings: hasFirmware ? .init(start: 0xF_2000, size: 8 * kibibyte) : nil,
      ram: .init(start: 0x2000_0000, size: 256 * kibibyte), pageSize: 4 * kibibyte,
      bootLoader: .uf2(boardIDs: boardIDs, family: 0xADA5_2840, softDevice: softDevice),
      programmingMethods: [.drive, .serialDFU, .probe], hasFirmware: hasFirmware)
  }

  /// The former names of boards.
  private static let formerNames = ["nrf52840dongle": "nrf52840-dongle", "microbit-v2": "microbit2"]

  /// The board of this name, or with this former name; `nil` if there is none.
  package static func named(_ name: String) -> BoardDescription? {
    all.first { $0.name == formerNames[name] ?? name }
  }

  /// The boards with this chip.
  package static func boards(chip: String) -> [BoardDescription] { all.filter { $0.chip == chip } }

  /// The boards that can be reached this way.
  package static func boards(reachedBy kind: ProgrammingMethodKind) -> [BoardDescription] {
    all.filter { $0.programmingMethods.contains(kind) }
  }
}
