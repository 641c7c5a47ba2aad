import TestInputs
import Testing

@testable import HeraldFlash
@testable import HeraldImages

@Suite("Packages for Nordic's boot loader")
struct DFUPackageTests {
  /// What nrfdfu (infsoft-locaware, 5371b34) sent for an application of 4100 bytes.
  private static let foreign = hexBytes(
    """
    0a3c 0801 1238 0801 1034 1a0100 2000 2800 3000 388420
    4224 0803 1220 7a5417bb0aa8f7fe092028066f2316f44f56c00534a5483cbc3eb5ecef0cb4f9 4800
    """)

  @Test("An init packet, byte for byte as another program makes it")
  func initPacket() throws {
    var packet = DFUInitPacket(application: [])
    packet.size = 4100
    packet.hash = hexBytes("f9b40cefecb53ebc3c48a53405c0564ff416236f06282009fef7a80abb17547a")
    #expect(packet.bytes == Self.foreign)
    #expect(try DFUInitPacket(Self.foreign) == packet)
    packet.isDebug = true
    #expect(packet.bytes.suffix(2) == [0x48, 0x01])
  }

  @Test("A signed packet is read, too; what is none is refused")
  func signed() throws {
    // SignedCommand: command, ECDSA_P256_SHA256, signature.
    let command = Array(Self.foreign.dropFirst(2))
    let inner =
      ProtocolBuffer.field(1, command) + ProtocolBuffer.field(2, 0) + ProtocolBuffer.field(3, [1, 2, 3])
    #expect(try DFUInitPacket(ProtocolBuffer.field(2, inner)).size == 4100)
    for count in 0..<Self.foreign.count {
      #expect(throws: FirmwareError.self) { try DFUInitPacket(Array(Self.foreign.prefix(count))) }
    }
    // A boot loader's: type 2.
    var other = Self.foreign
    other[14] = 2
    #expect(throws: FirmwareError.self) { try DFUInitPacket(other) }
  }

  @Test("Numbers of variable length")
  func varint() {
    #expect(ProtocolBuffer.varint(127) == [0x7F])
    #expect(ProtocolBuffer.varint(128) == [0x80, 0x01])
    #expect(ProtocolBuffer.varint(300) == [0xAC, 0x02])
    #expect(ProtocolBuffer.varint(.max) == [UInt8](repeating: 0xFF, count: 9) + [0x01])
    #expect(ProtocolBuffer.fields([0x08, 0xAC, 0x02])?.map(\.index) == [1])
    for broken in [[0x08], [0x08, 0x80], [0x12, 0x02, 0x00], [0x0D, 0, 0, 0, 0]] as [[UInt8]] {
      #expect(ProtocolBuffer.fields(broken) == nil)
    }
    #expect(ProtocolBuffer.fields([0x08] + [UInt8](repeating: 0xFF, count: 9) + [0x02]) == nil)
  }

  @Test("A zip archive, byte by byte from PKWARE's note")
  func zip() throws {
    let archive = StoredZip([("a", Array("12345678".utf8))])
    #expect(
      archive.bytes
        == hexBytes(
          """
          504b0304 1400 0000 0000 0000 2100 afdae09a 08000000 08000000 0100 0000 61 3132333435363738
          504b0102 1400 1400 0000 0000 0000 2100 afdae09a 08000000 08000000 0100 0000 0000 0000 0000 00000000 00000000 61
          504b0506 0000 0000 0100 0100 2f000000 27000000 0000
          """))
    #expect(try StoredZip(archive.bytes) == archive)
    // A comment behind it is skipped; a byte of the file that is another one is noticed.
    var commented = archive.bytes
    commented[commented.count - 2] = 3
    #expect(try StoredZip(commented + Array("abc".utf8)) == archive)
    var damaged = archive.bytes
    damaged[31] ^= 1
    #expect(throws: FirmwareError.self) { try StoredZip(damaged) }
  }

  @Test("An archive of Python's zipfile is read; a compressed one is refused by its file's name")
  func foreignZip() throws {
    let archive = try StoredZip(hexBytes(PythonZip.stored))
    #expect(archive == StoredZip([("a.bin", Array("12345678".utf8)), ("m", Array("{}".utf8))]))
    let error = #expect(throws: FirmwareError.self) { try StoredZip(hexBytes(PythonZip.deflated)) }
    #expect(
      error?.description
        == "a.bin in the zip archive is compressed: unpack it, and pack it again with `zip -0`")
  }

  @Test("An archive with two entries over the same bytes is refused")
  func overlappingZip() {
    // The archive of the test above it, with its one entry twice in the directory.
    let entry =
      "504b0102 1400 1400 0000 0000 0000 2100 afdae09a 08000000 08000000 0100 0000 0000 0000 0000 00000000 00000000 61"
    let archive = hexBytes(
      "504b0304 1400 0000 0000 0000 2100 afdae09a 08000000 08000000 0100 0000 61 3132333435363738 \(entry) \(entry)"
        + "504b0506 0000 0000 0200 0200 5e000000 27000000 0000")
    let error = #expect(throws: FirmwareError.self) { try StoredZip(archive) }
    #expect(error?.description == "a in the zip archive overlaps another file of it")
  }

  @Test("A damaged archive is refused wherever it is damaged, and never more than that")
  func damaged() {
    let whole = hexBytes(PythonZip.stored)
    for count in 0..<whole.count {
      #expect(throws: FirmwareError.self) { try StoredZip(Array(whole.prefix(count))) }
    }
    for index in whole.indices {
      var archive = whole
      archive[index] ^= 0xFF
      _ = try? StoredZip(archive)
      _ = try? DFUPackage(file: archive)
    }
  }

  @Test("What is made is read again, and its parts agree")
  func package() throws {
    let image = try FirmwareImage.linked(at: 0x1000, size: 301)
    let package = try DFUPackage(image, .secure)
    #expect(package.application == image.segments[0].bytes + [0xFF, 0xFF, 0xFF])
    #expect(try DFUPackage(file: package.file) == package)
    let archive = try StoredZip(package.file)
    #expect(archive.files.map(\.name) == ["manifest.json", "application.dat", "application.bin"])
    var other = archive
    other.files[2].bytes[200] ^= 1
    #expect(throws: FirmwareError.self) { try DFUPackage(file: other.bytes) }
    other.files.removeLast()
    let error = #expect(throws: FirmwareError.self) { try DFUPackage(file: other.bytes) }
    #expect(error?.description == "the package has no application.bin")
  }

  /// The error for a package with this manifest and these files.
  private static func refusal(_ manifest: String, _ names: [String]) -> String? {
    do {
      let files = names.map { (name: $0, bytes: Array("content".utf8)) }
      _ = try DFUPackage(file: StoredZip([("manifest.json", Array(manifest.utf8))] + files).bytes)
      return nil
    } catch {
      return error.description
    }
  }

  @Test("A package with more than an application is refused by what it holds")
  func others() {
    func part(_ name: String) -> String {
      "\"\(name)\": {\"bin_file\": \"\(name).bin\", \"dat_file\": \"\(name).dat\"}"
    }
    func manifest(_ names: String...) -> String {
      "{\"manifest\": {\(names.map(part).joined(separator: ", "))}}"
    }
    let rest =
      ", and herald-flash writes an application alone: make a package of it (`nrfutil pkg generate --application`), or write this one with the program that made it"
    for (names, held) in [
      (["application", "bootloader"], "a boot loader and an application"),
      (["application", "softdevice"], "a SoftDevice and an application"),
      (["softdevice_bootloader", "application"], "a SoftDevice with a boot loader and an application"),
      (["bootloader"], "a boot loader"), (["external_application"], "an application for another chip"),
      (["application", "modem\\u001b"], "an application and modem?"),
    ] {
      let text = "{\"manifest\": {\(names.map(part).joined(separator: ", "))}}"
      #expect(
        Self.refusal(text, ["application.bin", "application.dat"]) == "the package holds \(held)\(rest)")
    }
    let several =
      "{\"manifest\": {\"application\": [{\"bin_file\": \"a.bin\", \"dat_file\": \"a.dat\"}, {\"bin_file\": \"b.bin\"}]}}"
    #expect(Self.refusal(several, ["a.bin"]) == "the package holds 2 parts of the kind application\(rest)")
    #expect(Self.refusal("{\"manifest\": {}}", []) == "the package holds no application")
  }

  @Test("Packages of other makers are refused by their form, with what works")
  func foreignPackages() {
    let files = [
      "{\"type\": \"application\", \"board\": \"nrf5340dk_nrf5340_cpuapp\", \"soc\": \"nrf5340\", \"load_address\": 49152, \"image_index\": \"0\", \"slot_index_primary\": \"1\", \"slot_index_secondary\": \"2\", \"version_MCUBOOT\": \"1.0.0\", \"size\": 7, \"file\": \"app_update.bin\", \"modtime\": 1}",
      "{\"type\": \"application\", \"board\": \"nrf5340dk_nrf5340_cpunet\", \"image_index\": \"1\", \"size\": 7, \"file\": \"net_core_app_update.bin\"}",
    ]
    let manifest =
      "{\"format-version\": 1, \"time\": 1, \"files\": [\(files.joined(separator: ", "))], \"name\": \"x\"}"
    #expect(
      Self.refusal(manifest, ["app_update.bin", "net_core_app_update.bin"])
        == "this is a package of nRF Connect SDK with 2 images (app_update.bin, net_core_app_update.bin): unpack it, and write the application (`herald-flash write app_update.bin --board mcuboot`); images for other cores and slots are written with the tools of that SDK"
    )
    #expect(
      Self.refusal("{\"format-version\": 0, \"files\": [\(files[0])]}", ["app_update.bin"])?.contains(
        "with one image (app_update.bin)") == true)
    #expect(
      Self.refusal("{\"name\": \"x\"}", [])
        == "the package's manifest is not one of nrfutil or adafruit-nrfutil")
    for damaged in [
      "", "{", "7", "[]", String(repeating: "[", count: 60_000), String(repeating: " ", count: 65_537),
    ] {
      #expect(Self.refusal(damaged, [])?.contains("manifest") == true)
    }
    let plain = #expect(throws: FirmwareError.self) {
      try DFUPackage(file: StoredZip([("a.hex", [1]), ("\u{1B}[2Jb", [2])]).bytes)
    }
    #expect(
      plain?.description
        == "the zip archive is no DFU package, as it has no manifest.json: it holds a.hex, ?[2Jb. Unpack it, and name the image in it"
    )
  }

  @Test("Nothing in a package is left out in silence: files that no manifest names, names that come twice")
  func leftOver() throws {
    let package = try DFUPackage(FirmwareImage.linked(at: 0x1000, size: 300), .secure)
    var archive = try StoredZip(package.file)
    archive.files.append(("bootloader.bin", [1, 2]))
    let error = #expect(throws: FirmwareError.self) { try DFUPackage(file: archive.bytes) }
    #expect(
      error?.description.hasPrefix("the package holds bootloader.bin, which its manifest does not name")
        == true)
    archive.files[3].name = "application.bin"
    let twice = #expect(throws: FirmwareError.self) { try DFUPackage(file: archive.bytes) }
    #expect(twice?.description == "application.bin is twice in the zip archive")
    // A folder is no file.
    archive.files[3] = ("folder/", [])
    #expect(try DFUPackage(file: archive.bytes) == package)
  }

  @Test("A package for older boot loaders: its manifest is that of adafruit-nrfutil, letter for letter")
  func legacy() throws {
    var packet = LegacyInitPacket(
      application: LegacyPacketTests.application, softDevices: [0xA9, 0xAE, 0xB6])
    (packet.deviceRevision, packet.applicationVersion) = (0x1234, 7)
    let package = DFUPackage(legacy: packet, application: LegacyPacketTests.application)
    #expect(package.kind == .legacy(softDevices: [0xA9, 0xAE, 0xB6]))
    #expect(try DFUPackage(file: package.file) == package)
    let manifest = try StoredZip(package.file).files[0].bytes
    #expect(
      String(decoding: manifest, as: UTF8.self) == """
        {
            "manifest": {
                "application": {
                    "bin_file": "application.bin",
                    "dat_file": "application.dat",
                    "init_packet_data": {
                        "application_version": 7,
                        "device_revision": 4660,
                        "device_type": 82,
                        "firmware_crc16": 56715,
                        "softdevice_req": [
                            169,
                            174,
                            182
                        ]
                    }
                },
                "dfu_version": 0.5
            }
        }
        """)
    var other = try StoredZip(package.file)
    other.files[2].bytes[3] ^= 1
    let error = #expect(throws: FirmwareError.self) { try DFUPackage(file: other.bytes) }
    #expect(error?.description == "the package's init packet is that of another application")
  }

  @Test("Where the application of a package goes: where its SoftDevice ends, or where somebody says")
  func places() throws {
    let image = try FirmwareImage.linked(at: 0x2_6000, size: 301)
    for (numbers, start) in [
      ([0xB6], 0x2_6000), ([0xA9, 0xAE, 0xB6], 0x2_6000), ([0x123], 0x2_7000),
      ([0xC1, 0xCA, 0x100], 0x2_7000),
      ([0xFFFF], 0x1000), ([0xFFFE], nil), ([0xB6, 0x123], nil), ([0x1234], nil), ([], nil),
    ] as [([UInt16], UInt32?)] {
      let file = try DFUPackage(image, .legacy(softDevices: numbers)).file
      #expect(try FirmwareImage(file, packageBase: 0x5000).segments[0].address == start ?? 0x5000)
      #expect(try FirmwareImage(file, base: 0x6000, packageBase: 0x5000).segments[0].address == 0x6000)
      if start == nil { #expect(throws: FirmwareError.self) { try FirmwareImage(file) } }
    }
    let read = try FirmwareImage(try DFUPackage(image, .legacy(softDevices: [0xB6])).file)
    #expect(read.format == .package)
    #expect(read.segments[0].bytes == image.segments[0].bytes + [0xFF, 0xFF, 0xFF])
    #expect(try read.moved(to: 0x1000).package == read.package)
  }

  @Test(
    "Without a SoftDevice the application goes as far as one would have its number, which is erased with it")
  func withoutSoftDevice() throws {
    for (size, expected) in [(300, 0x2004), (0x2000, 0x2004), (0x2004, 0x2004), (0x2005, 0x2008)] {
      let image = try FirmwareImage.linked(at: 0x1000, size: size)
      let package = try DFUPackage(image, .legacy(softDevices: [0xFFFF]))
      #expect(package.application.count == expected)
      #expect(package.application.dropFirst(size).allSatisfy { $0 == 0xFF })
    }
  }

  @Test("What kind of package a board takes")
  func kinds() throws {
    for (name, kind) in [
      ("nrf52840-dongle", .secure), ("nrf52840dongle-adafruit", .legacy(softDevices: [0xA9, 0xAE, 0xB6])),
      ("feather-nrf52840", .legacy(softDevices: [0xA9, 0xAE, 0xB6])),
      ("feather-nrf52840-s140v7", .legacy(softDevices: [0xC1, 0xCA, 0x100, 0x123])),
      ("feather-nrf52840-mbr", .legacy(softDevices: [0xFFFF])), ("microbit", nil), ("nrf52840dk", nil),
    ] as [(String, DFUPackage.Kind?)] {
      #expect(BoardCatalogue.named(name)?.package == kind, "\(name)")
    }
    #expect(throws: FirmwareError.self) { try FirmwareImage.linked(at: 0x1000).file(.package) }
  }
}

/// What Python's zipfile makes.
private enum PythonZip {
  /// `a.bin` with 12345678 and `m` with {}.
  static let stored =
    """
    504b030414000000000000002100afdae09a080000000800000005000000612e62696e3132333435363738
    504b03041400000000000000210043bfa6a30200000002000000010000006d7b7d
    504b0102140314000000000000002100afdae09a0800000008000000050000000000000000000000800100000000612e62696e
    504b010214031400000000000000210043bfa6a3020000000200000001000000000000000000000080012b0000006d
    504b05060000000002000200620000004c0000000000
    """
  /// `a.bin` with a hundred 1, compressed.
  static let deflated =
    """
    504b0304140000000800b653765de297742a060000006400000005000000612e62696e3334a43d0000
    504b01021403140000000800b653765de297742a0600000064000000050000000000000000000000800100000000612e62696e
    504b0506000000000100010033000000290000000000
    """
}
