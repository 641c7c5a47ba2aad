import Foundation
import HeraldEnergy
import Testing

@testable import HeraldFlash
@testable import HeraldImages

@Suite("The catalogue of boards")
struct BoardCatalogueTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  @Test("A board that nobody knows is answered with the nearest name")
  func unknown() {
    #expect(FlashFailure.unknownBoard("micorbit").advice == "did you mean microbit?")
    #expect(FlashFailure.unknownBoard("toaster").advice == "`herald-flash boards` lists those that are known")
  }

  /// The regions that a linker script names.
  private static func regions(of map: String) throws -> [String: BoardDescription.Region] {
    let script = try String(
      contentsOf: root.appendingPathComponent("linker/\(map).ld"), encoding: .utf8)
    var regions: [String: BoardDescription.Region] = [:]
    let pattern = /(\w+)\s*\(r?w?x?\)\s*:\s*ORIGIN\s*=\s*0x([0-9A-Fa-f]+),\s*LENGTH\s*=\s*([0-9]+)K/
    for match in script.matches(of: pattern) {
      let start = try #require(UInt32(match.output.2, radix: 16))
      let kibibytes = try #require(UInt32(match.output.3))
      regions[String(match.output.1)] = .init(start: start, size: kibibytes * 1024)
    }
    return regions
  }

  @Test(
    "Boards that script/build makes images for are those in boards, with the regions of their linker scripts")
  func linkerScripts() throws {
    let folder = Self.root.appendingPathComponent("boards")
    let built = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
      FileManager.default.fileExists(atPath: folder.appendingPathComponent("\($0)/board.json").path)
    }
    #expect(Set(built) == Set(BoardCatalogue.all.filter(\.hasFirmware).map(\.name)))
    for name in built {
      let board = try #require(BoardCatalogue.named(name))
      let description = try JSONSerialization.jsonObject(
        with: Data(contentsOf: folder.appendingPathComponent("\(name)/board.json")))
      let chip = try #require((description as? [String: Any])?["chip"] as? String)
      #expect(board.chip == chip)
      let map = (description as? [String: Any])?["map"] as? String
      let regions = try Self.regions(of: map ?? chip)
      #expect(regions.count == 4)
      #expect(board.firmware == regions["FLASH"], "\(name)")
      #expect(board.settings == regions["SETTINGS"], "\(name)")
      // The keys are in the processor's own flash, which is below this address, never in one beside it.
      let settings = try #require(board.settings)
      #expect(settings.start + settings.size <= 0x10_0000 || name == "mps2-an386", "\(name)")
      // A log in a serial NOR flash is at no address of the chip.
      #expect(board.log == regions["LOG"].flatMap { $0.size == 0 ? nil : $0 }, "\(name)")
      #expect(board.ram == regions["RAM"], "\(name)")
    }
  }

  @Test("Boards whose currents are known have the chip of the catalogue")
  func currents() {
    for power in BoardPower.all {
      #expect(BoardCatalogue.named(power.board)?.chip == power.chip, "\(power.board)")
    }
  }

  @Test("Firmware, settings and log share no page, and names are unique")
  func apart() {
    for board in BoardCatalogue.all {
      let kept = [board.settings, board.log].compactMap { $0 }
      for region in kept {
        #expect(region.start % board.pageSize == 0, "\(board.name)")
        #expect(
          region.end <= board.firmware.start || UInt64(region.start) >= board.firmware.end, "\(board.name)")
      }
    }
    #expect(Set(BoardCatalogue.all.map(\.name)).count == BoardCatalogue.all.count)
  }

  @Test(
    "Behind a boot loader, images leave out what is the boot loader's, and keep settings from being overwritten"
  )
  func bootLoaders() throws {
    // README.md of each board: the first address of an image, its limit, and that of settings and log.
    for (name, start, limit, end) in [
      ("nrf52840-dongle", 0x1000, 0xD_D000, 0xE_0000), ("xiao-nrf52840", 0x2_7000, 0xE_A000, 0xF_4000),
      ("feather-nrf52840", 0x2_6000, 0xE_A000, 0xF_4000),
    ] as [(String, UInt32, UInt64, UInt64)] {
      let board = try #require(BoardCatalogue.named(name))
      #expect(board.firmware.start == start)
      #expect(board.firmware.end <= limit)
      for region in [board.settings, board.log].compactMap({ $0 }) { #expect(region.end <= end, "\(name)") }
    }
    // Adafruit's older boot loaders take images up to 0xED000.
    for name in ["xiao-nrf52840", "feather-nrf52840"] {
      #expect(try #require(BoardCatalogue.named(name)?.settings).start >= 0xE_D000)
    }
  }

  @Test("Former names of boards are accepted")
  func formerNames() {
    #expect(BoardCatalogue.named("nrf52840dongle")?.name == "nrf52840-dongle")
    #expect(BoardCatalogue.named("microbit-v2")?.name == "microbit2")
    #expect(BoardCatalogue.named("nrf52840dongle-adafruit")?.name == "nrf52840dongle-adafruit")
  }

  @Test("Families by name, board, chip and number, as the format's list has them")
  func families() {
    #expect(UF2Family.parse("NRF52840") == 0xADA5_2840)
    #expect(UF2Family.parse("nrf52833") == 0x621E_937A)
    #expect(UF2Family.parse("feather-nrf52840") == 0xADA5_2840)
    #expect(UF2Family.parse("rp2040") == 0xE48B_FF56)
    #expect(UF2Family.parse("0x1b57745f") == 0x1B57_745F)
    #expect(UF2Family.parse("microbit") == nil)
    #expect(UF2Family.parse("nrf51822") == nil)
    #expect(UF2Family.parse("nonsense") == nil)
    #expect(UF2Family.parse("0x123456789") == nil)
  }
}
