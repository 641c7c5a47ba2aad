import HeraldHostLink
import HeraldImages

/// A board whose boot loader is Adafruit's, or another with the serial DFU of nRF5 SDK 11, on a serial port.
///
/// The boot loader reports only its presence. It erases the application before it checks the requirements of
/// the new one; if they are not met it restarts, and it does not start damaged data. It disconnects when it
/// has started the application: only this is success.
final class LegacyDFUProgrammer: SerialBootLoader {
  let location: String
  let owner = "Adafruit"
  let check = "the CRC-16"

  private var link: LegacyLink
  private let timeout: Duration
  private let reopen: () throws(HostLinkError) -> any SerialLine
  private var hasBegun = false

  /// How long the erasure of a page may take.
  private static let erasure = Duration.milliseconds(90)
  /// The number of presence checks after the transfer, while the boot loader checks and starts the
  /// application.
  private static let glances = 20
  /// Time in which a response shows that it is still present.
  private static let glance = Duration.milliseconds(500)

  /// Over an open line; `timeout`: how long an acknowledgement may take. `reopen` waits until a boot loader
  /// that restarted is there again.
  init(
    _ line: any SerialLine, location: String, timeout: Duration,
    reopen: @escaping () throws(HostLinkError) -> any SerialLine
  ) {
    self.location = location
    self.timeout = timeout
    self.reopen = reopen
    link = LegacyLink(line, name: location, timeout: timeout)
  }

  func identify() throws(FlashFailure) -> BoardIdentification {
    try carryOut(.untouched) { () throws(HostLinkError) in try begin() }
    let boards = BoardCatalogue.boards(reachedBy: .serialDFU).filter {
      if case .legacy = $0.package { true } else { false }
    }
    return BoardIdentification(
      boards: boards, details: [("boot loader", "serial DFU of nRF5 SDK 11, such as Adafruit's")])
  }

  private func begin() throws(HostLinkError) {
    guard !hasBegun else { return }
    try link.begin()
    hasBegun = true
  }

  // MARK: Writing

  func write(_ plan: FlashPlan, progress: (FlashProgress) -> Void) throws(FlashFailure) {
    try makeSure(plan)
    let package = try Self.package(plan)
    try announce(package, progress)
    try send(package.application, plan.board, progress)
    progress(FlashProgress(.waiting, done: 0, total: 0))
    try waitForStart()
  }

  /// The package to send. It always requires the board's SoftDevice, unless the image's package requires
  /// another one: otherwise an application could be written to an address for which it was not linked. A
  /// signed package is sent unchanged.
  static func package(_ plan: FlashPlan) throws(FlashFailure) -> DFUPackage {
    let board = plan.board
    guard case .legacy(let wanted)? = board.package else {
      throw FlashFailure(
        .doesNotFit, "there are no packages of this kind for \(board.name)", state: .untouched)
    }
    var given: DFUPackage?
    if let package = plan.image.package, case .legacy(let named) = package.kind {
      guard named.contains(SoftDevice.any) || named.contains(where: wanted.contains) else {
        throw FlashFailure(
          .doesNotFit, "the package is for another SoftDevice than that of \(board.name)", state: .untouched,
          advice: "name the board that it is for with --board")
      }
      given = package
    }
    do throws(FirmwareError) {
      let ours = try DFUPackage(plan.image, .legacy(softDevices: wanted))
      guard let given else { return ours }
      let packet = try LegacyInitPacket(given.initPacket)
      guard packet.isPlain else {
        guard given.application.count % 4 == 0 else {
          throw FirmwareError("the package's application is no whole number of words, and it is signed")
        }
        return given
      }
      return DFUPackage(
        legacy: packet.with(application: ours.application, softDevices: wanted), application: ours.application
      )
    } catch {
      throw FlashFailure(.image, error.description, state: .untouched)
    }
  }

  /// Erases the present application, and sends the start packet of the new one. A boot loader in an
  /// interrupted upload restarts on this; then the packet is sent again.
  private func announce(_ package: DFUPackage, _ progress: (FlashProgress) -> Void) throws(FlashFailure) {
    progress(FlashProgress(.erasing, done: 0, total: package.application.count))
    // The erasure may still run: it is acknowledged before it ends.
    try carryOut(.unknown) { () throws(HostLinkError) in
      do throws(HostLinkError) {
        try tell(package)
      } catch {
        guard error.cause == .link else { throw error }
        try restart()
        try tell(package)
      }
    }
  }

  private func tell(_ package: DFUPackage) throws(HostLinkError) {
    var sizes: [UInt8] = []
    // An application; bytes of a SoftDevice, a boot loader, an application.
    for number in [4, 0, 0, UInt32(clamping: package.application.count)] {
      sizes.append(littleEndian: number)
    }
    try link.send(.start, sizes)
    // Two more bytes, as the length is rounded up to a word.
    let pages = package.application.count / 4096 + 1
    try link.send(.initial, package.initPacket + [0, 0], extra: Self.erasure * pages)
  }

  private func restart() throws(HostLinkError) {
    link.close()
    link = LegacyLink(try reopen(), name: location, timeout: timeout)
    try link.begin()
  }

  private func send(
    _ bytes: [UInt8], _ board: BoardDescription, _ progress: (FlashProgress) -> Void
  ) throws(FlashFailure) {
    var state = FlashFailure.BoardState.erased
    do throws(HostLinkError) {
      var rest = bytes[...]
      while !rest.isEmpty {
        progress(FlashProgress(.writing, done: bytes.count - rest.count, total: bytes.count))
        try link.send(.data, rest.prefix(LegacyPacket.most))
        rest = rest.dropFirst(LegacyPacket.most)
        state = .partlyWritten
      }
      progress(FlashProgress(.writing, done: bytes.count, total: bytes.count))
      // A last page that is not whole is written only now.
      state = .unverified
      try link.send(.stop, [])
    } catch {
      // It restarted after the init packet, which it has rejected.
      if state == .erased, error.cause == .link, (try? restart()) != nil {
        throw FlashFailure(
          .link(.refused),
          "the boot loader at \(location) refuses the image: what lies in front of the application there is not what \(board.name) has, or it takes signed firmware only",
          state: state,
          advice:
            "name the right board with --board (`herald-flash boards`) and write an image for it: the application that was there is erased"
        )
      }
      throw failure(error, state)
    }
  }

  /// Waits until the boot loader has disconnected. It does not acknowledge packets while it starts the
  /// application.
  private func waitForStart() throws(FlashFailure) {
    var signs = 0
    for _ in 0..<Self.glances {
      do throws(HostLinkError) {
        if try link.isThere(within: min(Self.glance, timeout)) { signs += 1 }
      } catch {
        guard error.cause != .link else { return }
        throw failure(error, .unverified)
      }
      guard signs < 2 else {
        throw FlashFailure(
          .link(.protocolViolation),
          "the boot loader at \(location) received all of the image, but not as it was sent, and does not start it",
          state: .partlyWritten,
          advice: "press the board's reset button and run `herald-flash write` again")
      }
    }
    throw failure(
      HostLinkError(
        .noAnswer, "the boot loader at \(location) received the image, and has stopped responding"),
      .unverified)
  }

  // MARK: Failures

  private func carryOut(_ state: FlashFailure.BoardState, _ body: () throws(HostLinkError) -> Void)
    throws(FlashFailure)
  {
    do throws(HostLinkError) {
      try body()
    } catch {
      throw failure(error, state)
    }
  }

  private func failure(_ error: HostLinkError, _ state: FlashFailure.BoardState) -> FlashFailure {
    let again =
      "run `herald-flash write` again; if nothing answers, press the board's reset button twice before"
    let reported = FlashFailure(error, state: state)
    guard reported.isTransient else { return reported }
    return FlashFailure(
      reported.cause, reported.what, state: state,
      advice: state == .untouched ? error.advice ?? again : again)
  }

  func close() { link.close() }
}
