import Foundation
import HeraldHostLink
import HeraldImages
import HeraldText

/// A boot loader with a drive for UF2 files: `INFO_UF2.TXT` identifies the board.
///
/// It accepts files for other boards without an error, so the board is identified first. It starts the
/// application after it has received every block: the drive stays mounted until then, and its removal shows
/// that all blocks were received. The write of the last block may therefore fail; the file is first written
/// up to its last block, which has to succeed.
///
/// Adafruit's boot loader programs a page when a block of another page arrives, and after a restart it starts
/// what it has, unless the first two words are erased: it checks no length and no CRC after a UF2 file. The
/// page with the vector table is therefore erased first and written last (`UF2.writeTableLast`).
final class UF2Drive: WriteOnlyDrive {
  /// The file's name on the drive.
  private static let fileName = "HERALD.UF2"

  let location: String
  private let folder: DriveFolder
  private let watch: DriveWatch

  /// The drive in `folder`; `watch`: the timeout of the restart.
  init(_ folder: DriveFolder, watch: DriveWatch = .seconds(20)) {
    self.folder = folder
    self.watch = watch
    location = "drive:\(PrintableText.of(folder.path, limit: 256))"
  }

  /// Whether `folder` is such a drive.
  static func isOne(_ folder: DriveFolder) -> Bool { folder.text("INFO_UF2.TXT") != nil }

  func identify() throws(FlashFailure) -> BoardIdentification {
    guard folder.mount != nil, let text = folder.text("INFO_UF2.TXT") else { throw gone(.untouched) }
    let board = DriveFolder.value("Board-ID", in: text) ?? ""
    let softDevice = DriveFolder.value("SoftDevice", in: text)
    var details: [(name: String, value: String)] = []
    if let first = text.split(whereSeparator: \.isNewline).first {
      details.append(("boot loader", PrintableText.of(first)))
    }
    if let model = DriveFolder.value("Model", in: text) { details.append(("model", model)) }
    details.append(("board ID", board))
    if let softDevice { details.append(("SoftDevice", softDevice)) }
    let boards = BoardCatalogue.boards(reachedBy: .drive).filter { candidate in
      guard case .uf2(let ids, _, let version) = candidate.bootLoader else { return false }
      return ids.contains { board.hasPrefix($0) } && Self.agrees(softDevice, version)
    }
    return BoardIdentification(boards: boards, details: details)
  }

  /// Whether the SoftDevice reported by the drive, such as `S140 6.1.1` or `not found`, has major version
  /// `version`. Older boot loaders do not report it.
  private static func agrees(_ text: String?, _ version: String?) -> Bool {
    guard let text else { return true }
    guard text.uppercased().hasPrefix("S1") else { return version == nil }
    let numbers = text.split(separator: " ").dropFirst().compactMap { $0.split(separator: ".").first }
    guard let major = numbers.first(where: { $0.allSatisfy(\.isNumber) }) else { return true }
    return version.map { $0 == major } ?? false
  }

  func write(_ plan: FlashPlan, progress: (FlashProgress) -> Void) throws(FlashFailure) {
    guard try identify().boards.contains(plan.board), case .uf2(_, let family, _) = plan.board.bootLoader
    else {
      throw FlashFailure(
        .doesNotFit, "the drive \(location) is not that of a \(plan.board.name)", state: .untouched,
        advice: "name the right board with --board, or the right drive with --to")
    }
    if let obstacle = FlashFailure.onDrive(plan, location) { throw obstacle }
    guard !plan.erasesAll else {
      throw .driveCannot(
        "erases nothing but what it writes", location, advice: "leave out --erase-all")
    }
    let (bytes, tableStart) = UF2.writeTableLast(plan.image, family: family, pageSize: plan.board.pageSize)
    if let room = folder.room, room < UInt64(bytes.count) {
      throw full(bytes.count, .untouched)
    }
    guard let before = folder.mount else { throw gone(.untouched) }
    let last = bytes.count - UF2.blockSize
    var state = FlashFailure.BoardState.untouched
    do throws(DriveFile.Failure) {
      let file = try DriveFile("\(folder.path)/\(Self.fileName)")
      defer { try? file.close() }
      // From here on blocks may reach the board, in any order.
      state = .unknown
      var sent = 0
      while sent < last {
        progress(FlashProgress(.writing, done: sent, total: bytes.count))
        // The drive may receive what is written together in any order.
        let barrier = sent == 0 ? UF2.blockSize : sent < tableStart ? tableStart : last
        let next = min(last, barrier, sent + 64 * UF2.blockSize)
        try file.write(bytes[sent..<next])
        try file.synchronise()
        sent = next
      }
      progress(FlashProgress(.writing, done: last, total: bytes.count))
      // Removed before the last block: disconnected, or reset manually.
      guard folder.mount == before else { throw DriveFile.Failure(code: ENODEV) }
      // The board may restart before this write completes; the removal of the drive shows that it did.
      if (try? file.write(bytes[last...])) != nil { try? file.synchronise() }
    } catch {
      if folder.mount != before { throw gone(state) }
      guard !error.isFull else { throw full(bytes.count, state) }
      throw FlashFailure(
        .link(.storage), "writing to \(location) failed (\(error.text))", state: state,
        advice: Self.again)
    }
    progress(FlashProgress(.waiting, done: 0, total: 0))
    guard watch.wait({ _ in folder.mount != before }) else {
      throw FlashFailure(
        .link(.noAnswer), "\(location) took the file, and the board did not restart", state: .unknown,
        advice: Self.again)
    }
  }

  static let again =
    "press the board's reset twice, so that its drive is there, then run `herald-flash write` again"

  private func full(_ size: Int, _ state: FlashFailure.BoardState) -> FlashFailure {
    FlashFailure(
      .link(.storage), "the drive \(location) has no room for a file of \(size) bytes", state: state,
      advice: "delete what is not the boot loader's on it, or \(Self.again)")
  }
}
