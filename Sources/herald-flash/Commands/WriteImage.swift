import ArgumentParser
import Foundation
import HeraldConsole
import HeraldFlash
import HeraldHostLink
import HeraldImages
import HeraldText

/// `herald-flash write`
struct WriteImage: ParsableCommand, ReportsFailures {
  static let configuration = CommandConfiguration(
    commandName: "write", abstract: "Writes an image to a board, compares it, and starts it.",
    discussion: """
      Without a file it is the image that `script/build BOARD` made: in .build/boards of this folder, of one above it, or of where this program was built, in \
      share/herald/boards of where it was installed, or in the folder that the variable HERALD_IMAGES names. What is to be written where is shown first, and nothing is written unless image and \
      board fit, and the image is signed for this board by the release key or by --key (`herald-flash sign`); --unsigned writes a developer's build. The board's log and settings stay, unless --erase-all takes them. \
      With --device it is a device that runs: it starts its boot loader, takes the image, and is waited for until it is back.

      Example: `herald-flash write wearable.hex --board microbit2 --key release.pub.pem`
      """)

  @OptionGroup var image: ImageOptions
  @OptionGroup var location: LocationOptions
  @OptionGroup var trust: TrustOptions

  @Option(
    help: ArgumentHelp(
      "Update this device, which runs, through its boot loader: a serial number, or as for herald-host. --to then names the boot loader, if that is not at the same USB port.",
      valueName: "device"))
  var device: String?

  @Flag(help: "Erase the whole chip first, log and settings too, and a lock against debugging.")
  var eraseAll = false

  @Flag(help: "Leave the board as it is afterwards, without starting it.")
  var noReset = false

  @Flag(
    help:
      "Over SMP: have the device keep the image whatever comes of it, instead of trying it until it is confirmed."
  )
  var permanent = false

  @Flag(help: "Do not ask.")
  var yes = false

  @OptionGroup var display: DisplayOptions

  var changesBoard: Bool { true }

  private struct Row: Encodable {
    let result = "written"
    let board: String
    let location: String
    let bytes: Int
    let sha256: String
    let verified: Bool
    /// The version in a valid signature; null for an image whose signature was not checked.
    let signedVersion: String?
    let started: Bool
    let seconds: Double
    /// The serial number and the firmware's version of a device that was updated.
    var device: String?
    var firmware: String?
  }

  func run() throws {
    if let device { return try update(device) }
    let wanted = try location.wanted()
    let path = try image.path(for: wanted)
    let content = try FirmwareFile.read(path, base: image.base?.value, for: wanted)
    // Errors that can be detected without the board are reported before it is opened.
    if let wanted { _ = try FlashPlan(image: content, board: wanted, erasesAll: eraseAll) }
    let origin = try trust.origin(of: content, path: path)
    if let wanted { try origin?.check(wanted) }
    var options = location.search.options
    options.isPermanent = permanent
    try location.withBoard(wanted, options: options) { session throws(FlashFailure) in
      let board = try session.board(wanted, for: content)
      let plan = try session.plan(content, for: board, erasesAll: eraseAll)
      try check(origin, board, running: session.identification.version)
      show(plan, path, origin, session.programmer.location, session.identification.details)
      guard yes || Console.confirm("Write it?") else { throw Self.unconfirmed }
      let (outcome, elapsed) = try write(plan, session, again: GivenCommand.text)
      report(outcome, plan, origin, session.programmer, elapsed)
    }
  }

  /// Refuses an image that is signed for another board, or is older than what runs.
  private func check(
    _ origin: ImageTrust.Origin?, _ board: BoardDescription, running: MCUbootImage.Version?
  ) throws(FlashFailure) {
    try origin?.check(board)
    if !trust.allowOlder { try origin?.check(running: running) }
  }

  /// Writes a plan, with its progress shown. `again` is the command that continues after a failure.
  private func write(_ plan: FlashPlan, _ session: FlashSession, again: String) throws(FlashFailure) -> (
    FlashSession.Outcome, Duration
  ) {
    let interruption = Interruption(stateHalfWay: session.programmer.stateHalfWay, advice: again)
    let bar = StepProgress(isQuiet: display.quiet || display.json)
    defer {
      bar.finish()
      interruption.end()
    }
    let begun = ContinuousClock.now
    do throws(FlashFailure) {
      let outcome = try session.write(plan, isReset: !noReset) { progress in
        bar.update(progress)
        interruption.update(progress)
      }
      return (outcome, begun.duration(to: .now))
    } catch {
      throw device == nil ? error.continued(by: again) : error
    }
  }

  /// Updates a device that runs, through its boot loader.
  private func update(_ text: String) throws {
    guard !eraseAll, !noReset, !permanent else {
      throw FlashFailure(
        .link(.usage), "with --device there is no --erase-all, --no-reset or --permanent", state: .untouched,
        advice: "leave it out; `herald-host factory-reset` erases log and settings")
    }
    let options = location.search.options
    let wanted = try location.wanted()
    let selector: DeviceSelector
    do {
      selector = try DeviceSelector(text)
    } catch {
      throw FlashFailure(error, state: .untouched)
    }
    let update = DeviceUpdate(selector, options, bootLoader: location.to)
    let device = try RunningDevice.open(selector, options)
    var isOpen = true
    defer { if isOpen { device.close() } }
    if let wanted, wanted != device.board {
      throw FlashFailure(
        .doesNotFit, "\(device.location) is a \(device.board.name), not a \(wanted.name)", state: .untouched,
        advice: "name the right device, or leave --board out")
    }
    let path = try image.path(for: device.board)
    let content = try FirmwareFile.read(path, base: image.base?.value, for: device.board)
    let plan = try FlashPlan(image: content, board: device.board)
    let origin = try trust.origin(of: content, path: path)
    try check(origin, device.board, running: MCUbootImage.Version(mcumgr: device.state.version))
    let bootLoader = try update.bootLoaderLocation(of: device.location)
    show(
      plan, path, origin, device.location,
      [("serial number", device.state.serial), ("firmware", device.state.version)])
    guard yes || Console.confirm("Write it?") else { throw Self.unconfirmed }
    try device.enterBootLoader()
    device.close()
    isOpen = false
    let programmer = try update.bootLoader(at: bootLoader, of: device)
    // From here on the board is in its boot loader: the same image is written there without the device.
    let again =
      "herald-flash write --board \(device.board.name) --to \(GivenCommand.quoted(programmer.location)) \(GivenCommand.quoted(path))\(trust.words)"
    let (outcome, elapsed): (FlashSession.Outcome, Duration)
    do {
      defer { programmer.close() }
      let session = try FlashSession(programmer)
      _ = try session.board(device.board, for: content)
      do throws(FlashFailure) {
        (outcome, elapsed) = try write(plan, session, again: again)
      } catch {
        throw error.continued(by: again, isWaiting: true)
      }
    }
    let after = try update.device(after: device)
    report(outcome, plan, origin, programmer, elapsed, device: after)
  }

  /// Prints the planned operation.
  private func show(
    _ plan: FlashPlan, _ path: String, _ origin: ImageTrust.Origin?, _ location: String,
    _ details: [(name: String, value: String)]
  ) {
    let board = plan.board
    display.say("image   \(PrintableText.of(path, limit: 256)): \(Wording.summary(plan.image))")
    if let origin {
      display.say(
        "signed  version \(origin.version), by the key \(Array(origin.key.prefix(8)).hexadecimal)")
    } else {
      display.say("NOT SIGNED  its origin is not checked (--unsigned)")
    }
    display.say("board   \(board.title) (\(board.name)) at \(PrintableText.of(location, limit: 256))")
    for detail in details { display.say("        \(detail.name): \(detail.value)") }
    if board.bootLoader == .mcuboot, let signed = plan.image.mcuboot {
      for line in Wording.fitness(of: signed, plan.image.trailer) { display.say(line) }
    } else {
      display.say(
        "fits    firmware goes to \(Wording.span(board.firmware)): \(plan.image.byteCount) of \(board.firmware.size) bytes"
      )
    }
    if plan.erasesAll {
      display.say("ERASES  everything: the log and the settings, too")
    } else if let log = board.log, let settings = board.settings {
      display.say("keeps   the log (\(Wording.span(log))) and the settings (\(Wording.span(settings)))")
    } else if let settings = board.settings {
      display.say("keeps   the log (serial flash) and the settings (\(Wording.span(settings)))")
    }
  }

  private func report(
    _ outcome: FlashSession.Outcome, _ plan: FlashPlan, _ origin: ImageTrust.Origin?,
    _ programmer: any Programmer, _ elapsed: Duration, device: RunningDevice.State? = nil
  ) {
    let seconds =
      Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1_000_000_000_000_000_000
    let row = Row(
      board: plan.board.name, location: programmer.location, bytes: outcome.bytes,
      sha256: plan.image.contentHash.hexadecimal, verified: outcome.isVerified,
      signedVersion: origin?.version.description, started: outcome.isReset,
      seconds: (seconds * 1000).rounded() / 1000, device: device?.serial, firmware: device?.version)
    try? display.show(row) {
      let rate = StepProgress.rate(Double(outcome.bytes) / max(seconds, 0.001))
      let verified =
        outcome.isVerified
        ? "compared: it is right" : "not compared: this way in reads nothing back; the board took it as whole"
      Console.line(
        "done    \(outcome.bytes) bytes in \(String(format: "%.1f", seconds)) s (\(rate)), \(verified)")
      if let remark = programmer.remark(after: plan) { Console.line("        \(remark)") }
      if let device {
        Console.line(
          "back    \(device.serial), firmware \(device.version); its log and its settings are kept")
      }
    }
  }

  private static var unconfirmed: FlashFailure {
    FlashFailure(
      .link(.notConfirmed), "not confirmed; nothing was written", state: .untouched,
      advice: "with --yes no confirmation is requested")
  }
}
