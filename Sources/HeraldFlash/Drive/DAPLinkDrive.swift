import HeraldHostLink
import HeraldImages
import HeraldText

/// The drive of a DAPLink debug probe: an Intel HEX file copied there is programmed, the drive is unmounted
/// and mounted again, and contains `FAIL.TXT` after an error.
///
/// DAPLink erases the whole chip first, unless it is configured to erase pages.
final class DAPLinkDrive: WriteOnlyDrive {
  /// The file's name on the drive; DAPLink checks its extension.
  private static let fileName = "HERALD.HEX"

  let location: String
  private let folder: DriveFolder
  private let watch: DriveWatch

  /// The drive in `folder`; `watch`: the timeout of programming, and of remounting.
  init(_ folder: DriveFolder, watch: DriveWatch = .seconds(60)) {
    self.folder = folder
    self.watch = watch
    location = "drive:\(PrintableText.of(folder.path, limit: 256))"
  }

  /// Whether `folder` is such a drive.
  static func isOne(_ folder: DriveFolder) -> Bool {
    folder.text("DETAILS.TXT").map { DriveFolder.value("Unique ID", in: $0) != nil } ?? false
  }

  func identify() throws(FlashFailure) -> BoardIdentification {
    guard folder.mount != nil, let text = folder.text("DETAILS.TXT"),
      let unique = DriveFolder.value("Unique ID", in: text)
    else { throw gone(.untouched) }
    var details = [(name: "unique ID", value: unique)]
    if let version = DriveFolder.value("Interface Version", in: text) {
      details.append(("DAPLink version", version))
    }
    let mode = DriveFolder.value("Daplink Mode", in: text) ?? "Interface"
    details.append(("mode", mode))
    // In boot loader mode it accepts firmware for the probe, not for the board.
    guard mode.lowercased() == "interface" else { return BoardIdentification(boards: [], details: details) }
    let boards = BoardCatalogue.boards(reachedBy: .drive).filter { candidate in
      guard case .dapLink(let ids) = candidate.bootLoader else { return false }
      return ids.contains { unique.hasPrefix($0) }
    }
    return BoardIdentification(boards: boards, details: details)
  }

  func write(_ plan: FlashPlan, progress: (FlashProgress) -> Void) throws(FlashFailure) {
    guard try identify().boards.contains(plan.board) else {
      throw FlashFailure(
        .doesNotFit, "the drive \(location) is not that of a \(plan.board.name)", state: .untouched,
        advice: "name the right board with --board, or the right drive with --to")
    }
    if let obstacle = FlashFailure.onDrive(plan, location) { throw obstacle }
    let keepsPages = folder.text("DETAILS.TXT").flatMap { DriveFolder.value("Page erasing", in: $0) } == "1"
    if plan.board.settings != nil || plan.board.log != nil {
      guard plan.erasesAll != keepsPages else {
        throw keepsPages
          ? .driveCannot(
            "erases nothing but what it writes", location,
            advice: "leave out --erase-all, or write through a debug probe: --via probe")
          : .driveCannot(
            "erases the whole chip", location,
            advice:
              "to keep log and settings write through the debug probe: --via probe; to lose them: --erase-all"
          )
      }
    }
    let bytes = IntelHex.write(plan.image)
    if let room = folder.room, room < UInt64(bytes.count) { throw full(bytes.count, .untouched) }
    guard let before = folder.mount else { throw gone(.untouched) }
    // The file of an earlier assertion remains until the probe is reconnected.
    let oldAssertion = folder.text("ASSERT.TXT")
    progress(FlashProgress(.writing, done: 0, total: bytes.count))
    var state = FlashFailure.BoardState.untouched
    do throws(DriveFile.Failure) {
      let file = try DriveFile("\(folder.path)/\(Self.fileName)")
      defer { try? file.close() }
      state = .unknown
      // In one piece and in order: DAPLink interprets a pause as the end of the file.
      try file.write(bytes[...])
      // It programs while it receives the bytes, and disconnects after the last one, which is checked next.
      try? file.synchronise()
    } catch {
      if folder.mount != before {
        throw gone(state)
      }
      guard !error.isFull else { throw full(bytes.count, state) }
      throw FlashFailure(
        .link(.storage), "writing to \(location) failed (\(error.text))", state: state, advice: Self.again)
    }
    progress(FlashProgress(.writing, done: bytes.count, total: bytes.count))
    progress(FlashProgress(.waiting, done: 0, total: 0))
    guard watch.wait({ _ in folder.mount != before }) else {
      throw FlashFailure(
        .link(.noAnswer), "\(location) took the file, and did not program it", state: .unknown,
        advice: Self.again)
    }
    guard watch.wait({ _ in folder.mount != nil && folder.text("DETAILS.TXT") != nil }) else {
      throw FlashFailure(
        .link(.noAnswer), "the drive \(location) did not come back to say whether it worked",
        state: .unverified,
        advice:
          "mount the drive: without a FAIL.TXT on it, it worked; or write through the debug probe: --via probe"
      )
    }
    for name in ["FAIL.TXT", "ASSERT.TXT"] {
      guard let text = folder.text(name), name == "FAIL.TXT" || text != oldAssertion else { continue }
      let reason =
        DriveFolder.value("error", in: text)
        ?? PrintableText.of(text.split(whereSeparator: \.isNewline).first ?? "it does not say why")
      throw FlashFailure(
        .link(.refused), "DAPLink at \(location) did not program it: \(reason)", state: .unknown,
        advice: "write through the debug probe: --via probe")
    }
  }

  static let again =
    "unplug the board, plug it in and run `herald-flash write` again, or write through the debug probe: --via probe"

  private func full(_ size: Int, _ state: FlashFailure.BoardState) -> FlashFailure {
    FlashFailure(
      .link(.storage), "the drive \(location) has no room for a file of \(size) bytes", state: state,
      advice: "delete what is not DAPLink's on it, or \(Self.again)")
  }
}
