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
    discussion: """
      Exit status: 0 the file is sound; 1 it is none, or its hash or signature is wrong.

      Example: `herald-flash info app.signed.bin --key key.pub.pem`
      """)

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
    let content = try FirmwareFile.read(image, base: base?.value)
    let signer = try key.map { try KeyFile.read($0) }
    let row = InfoRow(content, key: signer)
    try display.show(row) { printText(content, row) }
    if let signed = content.mcuboot {
      if signed.hashState == .wrong {
        throw failure("its hash differs from the one in the image: it is damaged")
      }
      if let signer {
        switch signed.signatureState(key: signer) {
        case .valid, .validForHash: break
        case .hidden:
          throw failure("its signature is over the program before encryption, and cannot be checked")
        case .absent: throw failure("it is not signed")
        case .present: throw failure("it is not signed with this key")
        case .invalid: throw failure("its signature is wrong")
        }
      }
    } else if signer != nil {
      throw failure("it is not in MCUboot's form, which alone has signatures")
    }
  }

  /// The maximum number of segments that are printed.
  private static let mostLines = 64

  private func failure(_ what: String) -> FlashFailure {
    FlashFailure(.image, "\(PrintableText.of(image, limit: 256)): \(what)", state: .untouched)
  }

  private static func hashState(of image: MCUbootImage) -> String {
    switch image.hashState {
    case .right: "right"
    case .wrong: "WRONG"
    case .absent: "none"
    case .unknown where image.isEncrypted: "not compared: it is that of the program before encryption"
    case .unknown: "not compared: OpenSSL's libcrypto has no such function here"
    }
  }

  private func printText(_ content: FirmwareImage, _ row: InfoRow) {
    Console.line("\(PrintableText.of(image, limit: 256)): \(content.format.rawValue), \(row.bytes) bytes")
    for segment in content.segments.prefix(Self.mostLines) {
      Console.line("  \(Wording.span(segment))  \(segment.bytes.count) bytes")
    }
    if content.segments.count > Self.mostLines {
      Console.line("  and \(content.segments.count - Self.mostLines) more segments (--json lists all)")
    }
    var facts: [[String]] = []
    func add(_ name: String, _ value: String?) { if let value { facts.append(["\(name):", value]) } }
    add("SHA-256", row.sha256)
    add("Entry", content.entry.map { "0x\($0.hexadecimal(8))" })
    if let table = content.vectorTable, table.isPlausible {
      add("Vector table", "0x\(table.address.hexadecimal(8))")
      add("Stack pointer", "0x\(table.initialStackPointer.hexadecimal(8))")
      add("Reset handler", "0x\(table.resetHandler.hexadecimal(8))")
    } else if let hidden = content.mcuboot?.hiddenProgram {
      add("Vector table", "not known: the program \(hidden)")
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
      add("Program", "\(shown.programSize) bytes" + (signed.hiddenProgram.map { ", which \($0)" } ?? ""))
      add("Hash", signed.hash.map { "\($0.hexadecimal) (\(Self.hashState(of: signed)))" } ?? "none")
      if !shown.protectedEntries.isEmpty {
        add("Protected", shown.protectedEntries.joined(separator: ", "))
      }
      if !shown.entries.isEmpty { add("Entries", shown.entries.joined(separator: ", ")) }
      add("Signature", shown.signature)
      add("Not for write", signed.unsupported.map { "it \($0)" })
      add("Trailer", content.trailer.map(Wording.summary))
      if shown.bytesBehind > 0 {
        add("Behind it", "\(shown.bytesBehind) bytes that are neither the image nor its trailer")
      }
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
    let encrypted: Bool
    let compression: String?
    /// Why `write` refuses it; absent if its kind of hash and signature are supported.
    let unsupported: String?
    let trailer: Trailer?
    let bytesBehind: Int
  }
  struct Trailer: Encodable {
    let address: UInt32
    let alignment: Int
    let confirmed: Bool
    let copied: Bool
    let swapInfo: UInt8?
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
        signature: state.text, signatureState: state.word, encrypted: signed.isEncrypted,
        compression: signed.compression, unsupported: signed.unsupported,
        trailer: content.trailer.map { trailer in
          Trailer(
            address: trailer.address, alignment: trailer.alignment, confirmed: trailer.isConfirmed,
            copied: trailer.isCopied, swapInfo: trailer.swapInfo)
        }, bytesBehind: content.bytesBehindImage)
    }
  }
}
