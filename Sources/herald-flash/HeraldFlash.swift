import ArgumentParser
import Foundation
import HeraldFlash
import HeraldHostLink

/// The command line for firmware files: `herald-flash`.
@main
struct HeraldFlash: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "herald-flash",
    abstract: "Looks at firmware images for Herald boards.",
    discussion: """
      This version reads ELF and Intel HEX files and says what they would put where. It writes nothing to any board: copy \
      the file to the board's drive, or use the tool that came with its debug probe.
      """,
    subcommands: [Info.self])

  /// `herald-flash info`
  struct Info: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Says what an ELF or Intel HEX file puts where.",
      discussion: "Exit status: 0 the file is sound; 1 it is not; 64 the command line makes no sense.")

    @Argument(help: "The file.")
    var image: String
    @Flag(help: "Print the result as JSON.")
    var json = false

    private struct Row: Encodable {
      struct Segment: Encodable {
        let address: UInt32
        let bytes: Int
      }
      let format: String
      let segments: [Segment]
      let bytes: Int
      let entry: UInt32?
      let initialStackPointer: UInt32?
      let resetHandler: UInt32?
      let vectorTablePlausible: Bool
    }

    func run() throws {
      let shown = PrintableText.of(image, limit: 256)
      guard let size = (try? FileManager.default.attributesOfItem(atPath: image))?[.size] as? Int,
        size <= FirmwareImage.largestFile, let data = FileManager.default.contents(atPath: image)
      else { throw failure("\(shown) cannot be read, or is larger than 64 MiB") }
      let parsed: FirmwareImage
      do {
        parsed = try FirmwareImage([UInt8](data))
      } catch {
        throw failure("\(shown): \(error)")
      }
      if json { try printJSON(parsed) } else { printText(parsed, shown) }
    }

    private func failure(_ text: String) -> ExitCode {
      FileHandle.standardError.write(Data("herald-flash: \(text)\n".utf8))
      return ExitCode(1)
    }

    private func printJSON(_ parsed: FirmwareImage) throws {
      let table = parsed.vectorTable
      let row = Row(
        format: parsed.format.rawValue,
        segments: parsed.segments.map { Row.Segment(address: $0.address, bytes: $0.bytes.count) },
        bytes: parsed.byteCount, entry: parsed.entry, initialStackPointer: table?.initialStackPointer,
        resetHandler: table?.resetHandler, vectorTablePlausible: table?.isPlausible ?? false)
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      encoder.keyEncodingStrategy = .convertToSnakeCase
      print(String(decoding: try encoder.encode(row), as: UTF8.self))
    }

    private func printText(_ parsed: FirmwareImage, _ shown: String) {
      print("\(shown): \(parsed.format.rawValue), \(parsed.byteCount) bytes")
      for segment in parsed.segments {
        let last = UInt32(truncatingIfNeeded: segment.end - 1)
        print(
          "  0x\(segment.address.hexadecimal(8)) to 0x\(last.hexadecimal(8))  \(segment.bytes.count) bytes")
      }
      if let entry = parsed.entry { print("Entry:          0x\(entry.hexadecimal(8))") }
      guard let table = parsed.vectorTable, table.isPlausible else {
        print("Vector table:   none at the first address that a Cortex-M could start from")
        return
      }
      print("Vector table:   0x\(table.address.hexadecimal(8))")
      print("Stack pointer:  0x\(table.initialStackPointer.hexadecimal(8))")
      print("Reset handler:  0x\(table.resetHandler.hexadecimal(8))")
    }
  }
}
