import ArgumentParser
import Foundation
import HeraldConsole
import HeraldFlash
import HeraldHostLink
import HeraldImages
import HeraldText

/// `herald-flash info`
struct Info: ParsableCommand, ReportsFailures {
  static let configuration = CommandConfiguration(
    abstract: "Says what an image puts where, which boards it fits, and whether it is signed.",
    discussion: "Exit status: 0 the file is sound; 1 it is none, or its hash or signature is wrong.")

  @Argument(
    help: "The file: ELF, Intel HEX, UF2, MCUboot's form, a DFU package, or a raw binary with --base.")
  var image: String
  @Option(help: ArgumentHelp("Where a raw binary goes, such as 0x1000.", valueName: "address"))
  var base: Address?
  @Option(
    help: ArgumentHelp(
      "Check an MCUboot image's signature with the key in this PEM file, public or private.",
      valueName: "file"))
  var key: String?
  @OptionGroup var display: DisplayOptions

  var changesBoard: Bool { false }

  func run() throws {
    let content = try ImageFile.read(image, base: base?.value)
    let signer = try key.map { try KeyFile.read($0) }
    let row = InfoRow(content, key: signer)
    try display.show(row) { printText(content, row) }
    if let signed = content.mcuboot {
      if signed.hashState == .wrong { throw failure("its SHA-256 is not the one it carries: it is damaged") }
      if let signer {
        switch signed.signatureState(key: signer) {
        case .valid: break
        case .absent: throw failure("it is not signed")
        case .present: throw failure("it is not signed with this key")
        case .invalid: throw failure("its signature is wrong")
        }
      }
    } else if signer != nil {
      throw failure("it is not in MCUboot's form, which alone has signatures")
    }
  }

  private func failure(_ what: String) -> FlashFailure {
    FlashFailure(.image, "\(PrintableText.of(image, limit: 256)): \(what)", state: .untouched)
  }

  private func printText(_ content: FirmwareImage, _ row: InfoRow) {
    Console.line("\(PrintableText.of(image, limit: 256)): \(content.format.rawValue), \(row.bytes) bytes")
    for segment in content.segments {
      Console.line("  \(Wording.span(segment))  \(segment.bytes.count) bytes")
    }
    var facts: [[String]] = []
    func add(_ name: String, _ value: String?) { if let value { facts.append(["\(name):", value]) } }
    add("SHA-256", row.sha256)
    add("Entry", content.entry.map { "0x\($0.hexadecimal(8))" })
    if let table = content.vectorTable, table.isPlausible {
      add("Vector table", "0x\(table.address.hexadecimal(8))")
      add("Stack pointer", "0x\(table.initialStackPointer.hexadecimal(8))")
      add("Reset handler", "0x\(table.resetHandler.hexadecimal(8))")
    } else {
      add("Vector table", "none at the first address that a Cortex-M could start from")
    }
    add(
      "UF2 family",
      content.uf2Family.map { family in
        "0x\(family.hexadecimal(8))" + (UF2Family.name(of: family).map { " (\($0))" } ?? "")
      })
    add("Package for", row.packageFor)
    add("Built for", row.builtFor)
    add("Fits", row.fits.isEmpty ? "no board that herald-flash knows" : row.fits.joined(separator: ", "))
    if let signed = content.mcuboot, let shown = row.mcuboot {
      add("MCUboot version", shown.version)
      add("Header", "\(shown.headerSize) bytes, flags 0x\(shown.flags.hexadecimal(8))")
      add("Program", "\(shown.programSize) bytes")
      add(
        "Hash",
        signed.hash.map { "\($0.hexadecimal) (\(signed.hashState == .right ? "right" : "WRONG"))" } ?? "none")
      let protected = signed.protectedEntries.map { MCUbootImage.EntryType.name($0.type) }
      if !protected.isEmpty { add("Protected", protected.joined(separator: ", ")) }
      add("Signature", shown.signature)
    }
    Console.printTable(facts)
  }
}

/// The result of `info`, for JSON output.
struct InfoRow: Encodable {
  struct Segment: Encodable {
    let address: UInt32
    let bytes: Int
  }
  struct MCUboot: Encodable {
    let version: String
    let headerSize: Int
    let programSize: Int
    let loadAddress: UInt32
    let flags: UInt32
    let hash: String?
    let hashState: String
    let entries: [String]
    let protectedEntries: [String]
    let signature: String
    let signatureState: String
  }
  let format: String
  let segments: [Segment]
  let bytes: Int
  let sha256: String
  let entry: UInt32?
  let initialStackPointer: UInt32?
  let resetHandler: UInt32?
  let vectorTablePlausible: Bool
  let uf2Family: UInt32?
  let packageFor: String?
  let builtFor: String?
  let fits: [String]
  let mcuboot: MCUboot?

  init(_ content: FirmwareImage, key: MCUbootKey?) {
    let table = content.vectorTable
    format = content.format.rawValue
    segments = content.segments.map { Segment(address: $0.address, bytes: $0.bytes.count) }
    bytes = content.byteCount
    sha256 = content.contentHash.hexadecimal
    entry = content.entry
    initialStackPointer = table?.initialStackPointer
    resetHandler = table?.resetHandler
    vectorTablePlausible = table?.isPlausible ?? false
    uf2Family = content.uf2Family
    packageFor = content.package.map { Wording.summary($0.kind) }
    builtFor = content.builtFor
    fits = content.fittingBoards.map(\.name)
    mcuboot = content.mcuboot.map { signed in
      let state = signed.signatureState(key: key)
      return MCUboot(
        version: signed.version.description, headerSize: signed.headerSize, programSize: signed.programSize,
        loadAddress: signed.loadAddress, flags: signed.flags, hash: signed.hash?.hexadecimal,
        hashState: signed.hashState.rawValue,
        entries: signed.entries.map { MCUbootImage.EntryType.name($0.type) },
        protectedEntries: signed.protectedEntries.map { MCUbootImage.EntryType.name($0.type) },
        signature: state.text, signatureState: state.word)
    }
  }
}
