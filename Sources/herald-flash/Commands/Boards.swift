import ArgumentParser
import HeraldConsole
import HeraldFlash
import HeraldHostLink
import HeraldImages
import HeraldText

/// `herald-flash boards`
struct Boards: ParsableCommand, ReportsFailures {
  static let configuration = CommandConfiguration(
    abstract: "Lists the boards that herald-flash knows, and where their firmware goes.")

  @OptionGroup var display: DisplayOptions

  var changesBoard: Bool { false }

  private struct Row: Encodable {
    struct Region: Encodable {
      let start: UInt32
      let size: UInt32

      init(_ region: BoardDescription.Region) {
        start = region.start
        size = region.size
      }
    }
    let name: String
    let title: String
    let chip: String
    let firmware: Region
    let settings: Region?
    let log: Region?
    let ram: Region
    let pageSize: UInt32
    let waysIn: [String]
    let uf2Family: UInt32?
    let hasFirmware: Bool
  }

  private struct Rows: Encodable {
    let boards: [Row]
  }

  func run() throws {
    let rows = BoardCatalogue.all.map { board in
      Row(
        name: board.name, title: board.title, chip: board.chip, firmware: .init(board.firmware),
        settings: board.settings.map(Row.Region.init), log: board.log.map(Row.Region.init),
        ram: .init(board.ram), pageSize: board.pageSize, waysIn: board.waysIn.map(\.rawValue),
        uf2Family: board.uf2Family, hasFirmware: board.hasFirmware)
    }
    try display.show(Rows(boards: rows)) {
      var table = [["BOARD", "", "CHIP", "FIRMWARE AT", "WAYS IN", "OUR FIRMWARE"]]
      for board in BoardCatalogue.all {
        let ways = board.waysIn.map(\.rawValue).joined(separator: ", ")
        table.append([
          board.name, board.title, board.chip, Wording.span(board.firmware),
          ways.isEmpty ? "none: it cannot be flashed" : ways,
          board.hasFirmware ? "script/build \(board.name)" : "none",
        ])
      }
      Console.printTable(table)
    }
  }
}

/// Formatting of addresses and images as text.
enum Wording {
  /// `0x00000000 to 0x00017fff`
  static func span(_ region: BoardDescription.Region) -> String {
    "0x\(region.start.hexadecimal(8)) to 0x\((region.end - 1).hexadecimal(8))"
  }

  /// `0x00000000 to 0x00017fff`
  static func span(_ segment: FirmwareImage.Segment) -> String {
    "0x\(segment.address.hexadecimal(8)) to 0x\((segment.end - 1).hexadecimal(8))"
  }

  /// The image's format, size and address range.
  static func summary(_ image: FirmwareImage) -> String {
    let places =
      image.segments.count == 1 ? Wording.span(image.segments[0]) : "\(image.segments.count) segments"
    let version = image.mcuboot.map { ", MCUboot version \($0.version)" } ?? ""
    return "\(image.format.rawValue), \(image.byteCount) bytes, \(places)\(version)"
  }

  /// The boot loader for which a package is intended.
  static func summary(_ kind: DFUPackage.Kind) -> String {
    switch kind {
    case .secure: return "Secure DFU"
    case .legacy(let softDevices):
      let numbers = softDevices.map { "0x\($0.hexadecimal(4))" }.joined(separator: ", ")
      return "the DFU of nRF5 SDK 11, SoftDevices \(numbers)"
    }
  }
}
