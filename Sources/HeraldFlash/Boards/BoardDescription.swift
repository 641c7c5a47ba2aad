import HeraldImages

/// A supported board: its chip, memory map, and programming methods.
package struct BoardDescription: Equatable, Sendable {
  /// An address range.
  package struct Region: Equatable, Sendable {
    /// The first address.
    package let start: UInt32
    /// The size in bytes.
    package let size: UInt32
    /// The address after the last byte; up to 2³².
    package var end: UInt64 { UInt64(start) + UInt64(size) }

    /// Initialises each member.
    package init(start: UInt32, size: UInt32) {
      self.start = start
      self.size = size
    }

    /// Whether it contains all of `start..<end`.
    func contains(_ start: UInt32, _ end: UInt64) -> Bool { start >= self.start && end <= self.end }
  }

  /// The boot loader or interface that programs the firmware, and the identification of the board among
  /// others with the same one.
  package enum BootLoader: Equatable, Sendable {
    /// Adafruit's: a drive that takes UF2 files, and the DFU of nRF5 SDK 11 on a serial port. The drive's
    /// INFO_UF2.TXT names one of these in the line Board-ID, with a revision behind it. `softDevice`: the
    /// major version of the S140 in front of the application.
    case uf2(boardIDs: [String], family: UInt32, softDevice: String?)
    /// DAPLink on a chip of its own; the `Unique ID` in its DETAILS.TXT begins with one of these.
    case dapLink(boardIDs: [String])
    /// Nordic's open boot loader: Secure DFU on a serial port over USB.
    case nordicDFU
    /// A boot loader for images in MCUboot's format.
    case mcuboot
  }

  /// The board's name: that of its folder below `boards`, which `script/build` takes, where there is one.
  package let name: String
  /// The name for display.
  package let title: String
  /// The chip, as in `linker/CHIP.ld`.
  package let chip: String
  /// The address range for an image: the linker script's FLASH, or what its boot loader leaves.
  package let firmware: Region
  /// The settings, including the access key: SETTINGS.
  package let settings: Region?
  /// The log: LOG.
  package let log: Region?
  /// The chip's RAM.
  package let ram: Region
  /// The unit in which its flash is erased, in bytes; a power of two.
  package let pageSize: UInt32
  /// The boot loader or interface for firmware, if there is one besides the debug port.
  package let bootLoader: BootLoader?
  /// The programming methods, the best first; empty for boards that cannot be flashed.
  package let programmingMethods: [ProgrammingMethodKind]
  /// Whether `script/build` builds images for it. For others the user supplies an image.
  package let hasFirmware: Bool

  /// A board from its parts.
  package init(
    name: String, title: String, chip: String, firmware: Region, settings: Region? = nil,
    log: Region? = nil, ram: Region, pageSize: UInt32, bootLoader: BootLoader? = nil,
    programmingMethods: [ProgrammingMethodKind] = [], hasFirmware: Bool = false
  ) {
    self.name = name
    self.title = title
    self.chip = chip
    self.firmware = firmware
    self.settings = settings
    self.log = log
    self.ram = ram
    self.pageSize = pageSize
    self.bootLoader = bootLoader
    self.programmingMethods = programmingMethods
    self.hasFirmware = hasFirmware
  }

  /// The address range for words that configure the chip itself: an nRF's UICR, which only a debug probe
  /// writes. `nil` if the board cannot be programmed by a probe.
  package var configuration: Region? {
    chip.hasPrefix("nrf5") && programmingMethods.contains(.probe)
      ? Region(start: 0x1000_1000, size: 0x400) : nil
  }

  /// Whether another firmware can be written while its debug port is closed, without erasing everything: by
  /// a boot loader of its own, or by the firmware that runs.
  package var canBeUpdatedWhileLocked: Bool {
    switch bootLoader {
    case .uf2, .nordicDFU, .mcuboot: true
    case .dapLink, nil: false
    }
  }

  /// The chip's family in UF2 files; `nil` for chips that have none.
  package var uf2Family: UInt32? {
    if case .uf2(_, let family, _) = bootLoader { return family }
    return UF2Family.ofChip(chip)?.id
  }

  /// The kind of DFU packages accepted by its boot loader on a serial port; `nil` if none.
  package var package: DFUPackage.Kind? {
    guard programmingMethods.contains(.serialDFU) else { return nil }
    switch bootLoader {
    case .nordicDFU: return .secure
    case .uf2(_, _, let major):
      let known = SoftDevice.all.first { $0.major == major }
      return .legacy(softDevices: known?.numbers ?? [SoftDevice.absent])
    default: return nil
    }
  }
}
