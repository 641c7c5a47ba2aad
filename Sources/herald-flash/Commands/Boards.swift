import ArgumentParser
import HeraldConsole
import HeraldFlash
import HeraldHostLink
import HeraldImages
import HeraldText

/// `herald-flash boards`
struct Boards: ParsableCommand, ReportsFailures {
  static let configuration = CommandConfiguration(
    abstract: "Lists the boards that herald-flash knows, and where their firmware goes.",
    discussion: "Example: `herald-flash boards --json`")

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
    let programmingMethods: [String]
    let uf2Family: UInt32?
    let hasFirmware: Bool

    private enum CodingKeys: String, CodingKey {
      case name, title, chip, firmware, settings, log, ram, pageSize
      case programmingMethods = "waysIn"
      case uf2Family, hasFirmware
    }
  }

  private struct Rows: Encodable {
    let boards: [Row]
  }

  func run() throws {
    let rows = BoardCatalogue.all.map { board in
      Row(
        name: board.name, title: board.title, chip: board.chip, firmware: .init(board.firmware),
        settings: board.settings.map(Row.Region.init), log: board.log.map(Row.Region.init),
        ram: .init(board.ram), pageSize: board.pageSize,
        programmingMethods: board.programmingMethods.map(\.rawValue),
        uf2Family: board.uf2Family, hasFirmware: board.hasFirmware)
    }
    try display.show(Rows(boards: rows)) {
      var table = [["BOARD", "", "CHIP", "FIRMWARE AT", "WAYS IN", "OUR FIRMWARE"]]
      for board in BoardCatalogue.all {
        let methods = board.programmingMethods.map(\.rawValue).joined(separator: ", ")
        table.append([
          board.name, board.title, board.chip, Wording.span(board.firmware),
          methods.isEmpty ? "none: it cannot be flashed" : methods,
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
    let regions =
      image.segments.count == 1 ? Wording.span(image.segments[0]) : "\(image.segments.count) segments"
    let version = image.mcuboot.map { ", MCUboot version \($0.version)" } ?? ""
    return "\(image.format.rawValue), \(image.byteCount) bytes, \(regions)\(version)"
  }

  /// What is known of an image for MCUboot before it is sent, and what of its file is not sent.
  static func fitness(of signed: MCUbootImage, _ trailer: MCUbootTrailer?) -> [String] {
    var lines = [
      signed.hashState == .right
        ? "fits    the SHA-256 in the image is valid"
        : "fits    its form is right; the SHA-256 is that of the program before encryption, and was not compared"
    ]
    if let hidden = signed.hiddenProgram {
      lines.append("        its program \(hidden): the boot loader has to be made for this")
    }
    if let trailer {
      lines.append(
        "        the trailer in the file is not sent"
          + (trailer.isConfirmed ? ": it says confirmed, for which there is --permanent" : ""))
    }
    return lines
  }

  /// What MCUboot's trailer says.
  static func summary(_ trailer: MCUbootTrailer) -> String {
    var words = [
      trailer.isConfirmed
        ? "confirmed: the image stays" : "test: the image is tried once, until it is confirmed"
    ]
    if trailer.isCopied { words.append("copied by the boot loader") }
    if let info = trailer.swapInfo {
      let kinds: [UInt8: String] = [1: "none", 2: "test", 3: "permanent", 4: "revert", 5: "failed"]
      words.append("swap \(kinds[info & 0x0F] ?? "\(info & 0x0F)") of image \(info >> 4)")
    }
    return "at 0x\(trailer.address.hexadecimal(8)), \(words.joined(separator: ", "))"
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
