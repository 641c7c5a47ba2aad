import HeraldImages

/// A supported board: its chip, its memory map, and how firmware gets there.
public struct BoardDescription: Equatable, Sendable {
  /// A stretch of addresses.
  public struct Region: Equatable, Sendable {
    /// The first address.
    public let start: UInt32
    /// Bytes.
    public let size: UInt32
    /// The address behind the last byte; up to 2³².
    public var end: UInt64 { UInt64(start) + UInt64(size) }

    /// A region from its parts.
    public init(start: UInt32, size: UInt32) {
      self.start = start
      self.size = size
    }

    /// Whether all of `start..<end` is in it.
    func contains(_ start: UInt32, _ end: UInt64) -> Bool { start >= self.start && end <= self.end }
  }

  /// What takes the firmware on the board or its chip, and what distinguishes the board from others that have
  /// the same.
  public enum BootLoader: Equatable, Sendable {
    /// Adafruit's: a drive that takes UF2 files, and the DFU of nRF5 SDK 11 on a serial port. The drive's
    /// INFO_UF2.TXT names one of these in the line Board-ID, with a revision behind it. `softDevice`: the
    /// major version of the S140 in front of the application.
    case uf2(boardIDs: [String], family: UInt32, softDevice: String?)
    /// DAPLink on a chip of its own; the `Unique ID` in its DETAILS.TXT begins with one of these.
    case dapLink(boardIDs: [String])
    /// Nordic's open boot loader: Secure DFU on a serial port over USB.
    case nordicDFU
    /// What takes images as MCUboot has them.
    case mcuboot
  }

  /// Its name: that of its folder below `boards`, which `script/build` takes, where there is one.
  public let name: String
  /// Its name for people.
  public let title: String
  /// The chip, as in `linker/CHIP.ld`.
  public let chip: String
  /// The address range for an image: the linker script's FLASH, or what its boot loader leaves.
  public let firmware: Region
  /// What is kept beside it, such as the access key: SETTINGS.
  public let settings: Region?
  /// The log: LOG.
  public let log: Region?
  /// The chip's RAM.
  public let ram: Region
  /// The unit in which its flash is erased, in bytes; a power of two.
  public let pageSize: UInt32
  /// What takes its firmware, if there is anything but a debug port.
  public let bootLoader: BootLoader?
  /// How firmware gets there, the best way first; empty for what cannot be flashed.
  public let waysIn: [ProgrammingMethodKind]
  /// Whether `script/build` makes images for it. For others people bring their own.
  public let hasFirmware: Bool

  /// A board from its parts.
  public init(
    name: String, title: String, chip: String, firmware: Region, settings: Region? = nil,
    log: Region? = nil, ram: Region, pageSize: UInt32, bootLoader: BootLoader? = nil,
    waysIn: [ProgrammingMethodKind] = [], hasFirmware: Bool = false
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
    self.waysIn = waysIn
    self.hasFirmware = hasFirmware
  }

  /// The address range for words that configure the chip itself: an nRF's UICR, which only a debug probe
  /// writes. `nil` where no probe gets there.
  public var configuration: Region? {
    chip.hasPrefix("nrf5") && waysIn.contains(.probe) ? Region(start: 0x1000_1000, size: 0x400) : nil
  }

  /// The chip's family in UF2 files; `nil` for chips that have none.
  public var uf2Family: UInt32? {
    if case .uf2(_, let family, _) = bootLoader { return family }
    return UF2Family.ofChip(chip)?.id
  }

  /// The kind of packages that its boot loader takes on a serial port; `nil` if it takes none.
  public var package: DFUPackage.Kind? {
    guard waysIn.contains(.serialDFU) else { return nil }
    switch bootLoader {
    case .nordicDFU: return .secure
    case .uf2(_, _, let major):
      let known = SoftDevice.all.first { $0.major == major }
      return .legacy(softDevices: known?.numbers ?? [SoftDevice.absent])
    default: return nil
    }
  }
}
