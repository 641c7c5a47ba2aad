import Foundation
import Testing

@testable import HeraldFlash
@testable import HeraldImages

/// A folder that does as a drive does; what happens to it happens while it is looked at.
private final class FakeDrive {
  let url: URL
  var folder: DriveFolder { DriveFolder(path: url.path) }

  init(_ files: [String: String]) throws {
    let home = FileManager.default.temporaryDirectory.appending(path: "drive-\(UUID())")
    url = home.appending(path: "BOARD")
    try plugIn(files)
  }

  deinit { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }

  func plugIn(_ files: [String: String]) throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    for (name, text) in files { try Data(text.utf8).write(to: url.appending(path: name)) }
  }

  /// The drive is gone; what is on it is kept elsewhere.
  func unplug() {
    try? FileManager.default.moveItem(
      at: url, to: url.deletingLastPathComponent().appending(path: "\(UUID())"))
  }

  func bytes(_ name: String) -> [UInt8]? {
    let folders =
      (try? FileManager.default.subpathsOfDirectory(atPath: url.deletingLastPathComponent().path)) ?? []
    guard let path = folders.first(where: { $0.hasSuffix(name) }) else { return nil }
    return (try? Data(contentsOf: url.deletingLastPathComponent().appending(path: path))).map { [UInt8]($0) }
  }

  /// Looks without pause; before look `round` the world does `events[round]`.
  func watch(_ events: [Int: () -> Void] = [:]) -> DriveWatch {
    var round = 0
    return DriveWatch(rounds: 5) {
      round += 1
      events[round]?()
    }
  }
}

private let feather = [
  "INFO_UF2.TXT":
    "UF2 Bootloader 0.9.2 lib/nrfx (v2.0.0)\r\nModel: Adafruit Feather nRF52840 Express\r\nBoard-ID: nRF52840-Feather-revD\r\nSoftDevice: S140 6.1.1\r\n"
]
private let microbit = [
  "DETAILS.TXT":
    "# DAPLink Firmware\r\nUnique ID: 9900000054974e450038500b0000004a0000000097969901\r\nInterface Version: 0255\r\nDaplink Mode: Interface\r\n"
]

private func failure(_ body: () throws -> Void) -> FlashFailure? {
  do {
    try body()
    return nil
  } catch {
    return error as? FlashFailure
  }
}

private func plan(_ board: String, at address: UInt32, size: Int = 600, erasesAll: Bool = false) throws
  -> FlashPlan
{
  try FlashPlan(
    image: FirmwareImage.linked(at: address, size: size), board: try #require(BoardCatalogue.named(board)),
    erasesAll: erasesAll)
}

@Suite("A UF2 drive")
struct UF2DriveTests {
  @Test("A UF2 drive names its board and its SoftDevice")
  func identify() throws {
    let drive = try FakeDrive(feather)
    let identification = try UF2Drive(drive.folder).identify()
    #expect(identification.boards.map(\.name) == ["feather-nrf52840"])
    #expect(
      identification.details.map { "\($0.name): \($0.value)" } == [
        "boot loader: UF2 Bootloader 0.9.2 lib/nrfx (v2.0.0)", "model: Adafruit Feather nRF52840 Express",
        "board ID: nRF52840-Feather-revD", "SoftDevice: S140 6.1.1",
      ])
    for (text, names) in [
      ("SoftDevice: S140 7.3.0", ["feather-nrf52840-s140v7"]),
      ("SoftDevice: not found", ["feather-nrf52840-mbr"]),
      ("", ["feather-nrf52840", "feather-nrf52840-s140v7", "feather-nrf52840-mbr"]),
    ] {
      let other = try FakeDrive([
        "info_uf2.txt": "UF2 Bootloader 0.2\nBoard-ID: nRF52840-Feather-revE\n\(text)\n"
      ])
      #expect(try UF2Drive(other.folder).identify().boards.map(\.name) == names)
    }
    for name in [
      "Seeed_XIAO_nRF52840", "Seeed_XIAO_nRF52840_Sense", "nRF52840-SeeedXiao-v1",
      "nRF52840-SeeedXiaoSense-v1",
    ] {
      let xiao = try FakeDrive([
        "INFO_UF2.TXT": "UF2 Bootloader 0.6.1\nBoard-ID: \(name)\nSoftDevice: S140 7.3.0\n"
      ])
      #expect(try UF2Drive(xiao.folder).identify().boards.map(\.name) == ["xiao-nrf52840"])
    }
    // A boot loader of a version that no document has; one without its first line; one of which nothing is
    // known.
    for (text, names) in [
      (
        "UF2 Bootloader 12.0-rc1\nBoard-ID: nRF52840-Feather-revZ\nSoftDevice: S140 6.9.9\n",
        ["feather-nrf52840"]
      ),
      ("Board-ID: nRF52840-Feather-revD\nSoftDevice: S140 8.0.0\n", []),
      ("UF2 Bootloader 0.9.2\nSoftDevice: S140 6.1.1\n", []), ("\u{0}\u{FFFD}:::\n:\n", []),
    ] {
      let drive = try FakeDrive(["INFO_UF2.TXT": text])
      #expect(try UF2Drive(drive.folder).identify().boards.map(\.name) == names)
    }
    let pico = try FakeDrive([
      "INFO_UF2.TXT": "UF2 Bootloader v3.0\nModel: Raspberry Pi RP2\nBoard-ID: RPI-RP2\n"
    ])
    #expect(try UF2Drive(pico.folder).identify().boards.isEmpty)
  }

  @Test("The file is there whole, and the drive has gone")
  func write() throws {
    let drive = try FakeDrive(feather)
    let plan = try plan("feather-nrf52840", at: 0x26000, size: 70000)
    var steps: [FlashProgress] = []
    let programmer = UF2Drive(drive.folder, watch: drive.watch([3: drive.unplug]))
    try programmer.write(plan) { steps.append($0) }
    #expect(
      drive.bytes("HERALD.UF2")
        == UF2.writeTableLast(plan.image, family: 0xADA5_2840, pageSize: 4096).file)
    // One block alone; up to the sixteen blocks of the first page, 64 at a time; these; the last one.
    #expect(
      steps == [0, 512, 33280, 66048, 98816, 131_584, 132_608, 140_288].map {
        FlashProgress(.writing, done: $0, total: 140_800)
      }
        + [FlashProgress(.waiting, done: 0, total: 0)])
    #expect(failure { try programmer.verify(plan) { _ in } }?.cause == .cannot)
    #expect(failure { try programmer.reset() }?.cause == .cannot)
  }

  @Test("A drive that stays has not taken it")
  func stays() throws {
    let drive = try FakeDrive(feather)
    let error = failure {
      try UF2Drive(drive.folder, watch: drive.watch()).write(try plan("feather-nrf52840", at: 0x26000)) { _ in
      }
    }
    #expect(error?.cause == .link(.noAnswer))
    #expect(error?.state == .unknown)
  }

  @Test("Unplugged before the last block is not restarted")
  func unplugged() throws {
    let drive = try FakeDrive(feather)
    let error = failure {
      try UF2Drive(drive.folder, watch: drive.watch()).write(try plan("feather-nrf52840", at: 0x26000)) { _ in
        drive.unplug()
      }
    }
    #expect(error?.cause == .link(.link))
    #expect(error?.state == .unknown)
    #expect(failure { _ = try UF2Drive(drive.folder).identify() }?.state == .untouched)
  }

  @Test("Another board's drive is not written to, and none is erased")
  func refused() throws {
    let drive = try FakeDrive(feather)
    let programmer = UF2Drive(drive.folder, watch: drive.watch())
    for (plan, cause) in [
      (try plan("feather-nrf52840-s140v7", at: 0x27000), FlashFailure.Cause.doesNotFit),
      (try plan("microbit", at: 0), .doesNotFit),
      (try plan("feather-nrf52840", at: 0x26000, erasesAll: true), .cannot),
    ] {
      let error = failure { try programmer.write(plan) { _ in } }
      #expect(error?.cause == cause)
      #expect(error?.state == .untouched)
    }
    #expect(drive.bytes("HERALD.UF2") == nil)
  }

  @Test("A full drive is told from a broken one")
  func full() throws {
    let file = try DriveFile("/dev/full")
    #expect(throws: DriveFile.Failure(code: ENOSPC)) { try file.write([1, 2, 3]) }
    #expect(DriveFile.Failure(code: ENOSPC).isFull)
    #expect(throws: DriveFile.Failure(code: ENOENT)) { _ = try DriveFile("/nowhere/at/all") }
  }
}

@Suite("A DAPLink drive")
struct DAPLinkDriveTests {
  @Test("A DAPLink drive names its board; as a boot loader it names none")
  func identify() throws {
    let drive = try FakeDrive(microbit)
    #expect(try DAPLinkDrive(drive.folder).identify().boards.map(\.name) == ["microbit"])
    let two = try FakeDrive(["DETAILS.TXT": "Unique ID: 9904360254974e45\r\nDaplink Mode: Interface\r\n"])
    #expect(try DAPLinkDrive(two.folder).identify().boards.map(\.name) == ["microbit2"])
    let maintenance = try FakeDrive([
      "DETAILS.TXT": "Unique ID: 9900000054974e45\r\nDaplink Mode: Bootloader\r\n"
    ])
    #expect(try DAPLinkDrive(maintenance.folder).identify().boards.isEmpty)
  }

  @Test("The drive goes and comes back without FAIL.TXT: it worked")
  func write() throws {
    let drive = try FakeDrive(microbit)
    let plan = try plan("microbit", at: 0, erasesAll: true)
    let watch = drive.watch([2: drive.unplug, 4: { try? drive.plugIn(microbit) }])
    try DAPLinkDrive(drive.folder, watch: watch).write(plan) { _ in }
    #expect(drive.bytes("HERALD.HEX") == IntelHex.write(plan.image))
  }

  @Test("What FAIL.TXT or a new ASSERT.TXT says is said", arguments: ["FAIL.TXT", "ASSERT.TXT"])
  func fails(name: String) throws {
    let drive = try FakeDrive(microbit)
    var files = microbit
    files[name] = "error: The hex file is damaged.\r\ntype: user\r\n"
    let watch = drive.watch([1: drive.unplug, 2: { try? drive.plugIn(files) }])
    let error = failure {
      try DAPLinkDrive(drive.folder, watch: watch).write(try plan("microbit", at: 0, erasesAll: true)) { _ in
      }
    }
    #expect(error?.cause == .link(.refused))
    #expect(error?.what == "DAPLink at drive:\(drive.url.path) did not program it: The hex file is damaged.")
    #expect(error?.state == .unknown)
  }

  @Test("A drive that stays, and one that does not come back, are no success")
  func silent() throws {
    let staying = try FakeDrive(microbit)
    let first = failure {
      try DAPLinkDrive(staying.folder, watch: staying.watch()).write(
        try plan("microbit", at: 0, erasesAll: true)
      ) { _ in }
    }
    #expect(first?.state == .unknown)
    let leaving = try FakeDrive(microbit)
    let second = failure {
      try DAPLinkDrive(leaving.folder, watch: leaving.watch([1: leaving.unplug])).write(
        try plan("microbit", at: 0, erasesAll: true)
      ) { _ in }
    }
    #expect(second?.state == .unverified)
  }

  @Test("Log and settings go with the chip: only if that is wanted, unless DAPLink erases pages")
  func keeping() throws {
    let drive = try FakeDrive(microbit)
    let error = failure { try DAPLinkDrive(drive.folder).write(try plan("microbit", at: 0)) { _ in } }
    #expect(error?.cause == .cannot)
    #expect(error?.state == .untouched)
    #expect(drive.bytes("HERALD.HEX") == nil)
    let details = ["DETAILS.TXT": (microbit["DETAILS.TXT"] ?? "") + "Page erasing: 1\r\n"]
    let careful = try FakeDrive(details)
    let watch = careful.watch([1: careful.unplug, 2: { try? careful.plugIn(details) }])
    try DAPLinkDrive(careful.folder, watch: watch).write(try plan("microbit", at: 0)) { _ in }
    #expect(
      failure {
        try DAPLinkDrive(careful.folder).write(try plan("microbit", at: 0, erasesAll: true)) { _ in }
      } != nil)
  }
}

@Suite("Finding drives")
struct DriveFolderTests {
  @Test("Folders of FAT file systems, with spaces in their names")
  func mounts() {
    let table = """
      proc /proc proc rw,relatime 0 0
      /dev/sda1 /media/me/FTHR840BOOT vfat rw,nosuid 0 0
      /dev/sdb /run/media/me/MY\\040BOARD\\134 vfat rw 0 0
      /dev/nvme0n1p2 / ext4 rw 0 0
      broken
      """
    #expect(DriveFolder.mounted(table).map(\.path) == ["/media/me/FTHR840BOOT", "/run/media/me/MY BOARD\\"])
  }

  @Test("Those with INFO_UF2.TXT or DETAILS.TXT are boards' drives")
  func found() throws {
    let (one, two, three) = (
      try FakeDrive(feather), try FakeDrive(microbit), try FakeDrive(["README.TXT": "hello"])
    )
    let found = ProgrammingMethod.findDrives([one.folder, two.folder, three.folder])
    #expect(found.map(\.location) == ["drive:\(one.url.path)", "drive:\(two.url.path)"])
    #expect(found.map { $0.identification?.boards.map(\.name) } == [["feather-nrf52840"], ["microbit"]])
    #expect(
      failure { _ = try ProgrammingMethod.open("drive:\(three.url.path)", FlashOptions()) }?.cause
        == .link(.noDevice))
    #expect(
      try ProgrammingMethod.open("drive:\(one.url.path)/", FlashOptions()).location == "drive:\(one.url.path)"
    )
  }
}
