import HeraldHAL
import HeraldHostLink
import HeraldImages
import HeraldText

/// A board whose boot loader is Nordic's open one, on a serial port: the nRF52840 Dongle.
///
/// The boot loader checks the SHA-256 of the application, starts it and disconnects. It reports the received
/// part of an interrupted upload by length and CRC-32: the next upload of the same application continues
/// there.
final class SerialDFUProgrammer: SerialBootLoader {
  let location: String
  let owner = "Nordic"
  let check = "the SHA-256"

  private let link: DFULink
  private var hasBegun = false

  /// How often a piece is sent that arrived damaged.
  private static let attempts = 3

  /// Over an open line; `timeout`: how long a response may take, such as to the erasure of a page.
  init(_ line: any SerialLine, location: String, timeout: Duration) {
    self.location = location
    link = DFULink(line, name: location, timeout: timeout)
  }

  // MARK: Identifying

  func identify() throws(FlashFailure) -> BoardIdentification {
    try carryOut(.untouched) { () throws(DFUError) in
      try begin()
      let part = try link.hardwarePart()
      let firmwares = try link.firmwares()
      var details = [(name: "boot loader", value: "Nordic Secure DFU")]
      if let part { details.append(("chip", "nrf\(part.hexadecimal(5))")) }
      for (kind, title) in [(0 as UInt8, "SoftDevice"), (1, "application"), (2, "boot loader version")] {
        guard let found = firmwares.first(where: { $0.kind == kind }) else { continue }
        details.append((title, "\(found.version)"))
      }
      // With a SoftDevice the application address would differ from that of these boards.
      let hasSoftDevice = firmwares.contains { $0.kind == 0 }
      let boards = BoardCatalogue.boards(reachedBy: .serialDFU).filter { board in
        board.bootLoader == .nordicDFU && !hasSoftDevice
          && (part.map { "nrf\($0.hexadecimal(5))" == board.chip } ?? true)
      }
      return BoardIdentification(boards: boards, details: details)
    }
  }

  private func begin() throws(DFUError) {
    guard !hasBegun else { return }
    try link.begin()
    hasBegun = true
  }

  // MARK: Writing

  func write(_ plan: FlashPlan, progress: (FlashProgress) -> Void) throws(FlashFailure) {
    try makeSure(plan)
    let package: DFUPackage
    if let given = plan.image.package, given.kind == .secure {
      package = given
    } else {
      do {
        package = try DFUPackage(plan.image, .secure)
      } catch {
        throw FlashFailure(.image, error.description, state: .untouched)
      }
    }
    try sendInit(package, isOurs: package != plan.image.package)
    // Until the upload is complete, it is unknown whether the previous application is still intact.
    try carryOut(.unknown) { () throws(DFUError) in
      try sendApplication(package.application, progress)
    }
  }

  /// Has the init packet checked. A version check can be disabled, which one made for debugging heeds, as the
  /// dongle's. An existing init packet is sent unchanged, or not at all.
  private func sendInit(_ package: DFUPackage, isOurs: Bool) throws(FlashFailure) {
    try carryOut(.untouched) { () throws(DFUError) in
      do throws(DFUError) {
        try sendInit(package.initPacket)
      } catch .refused(_, 0x0B, 0x05) where isOurs {
        try sendInit(DFUPackage(application: package.application, isDebug: true).initPacket)
      }
    }
  }

  private func sendInit(_ packet: [UInt8]) throws(DFUError) {
    let (_, there) = try link.select(.command)
    if there.offset != packet.count || there.checksum != CRC32.of(packet.span) {
      try link.create(.command, size: packet.count)
      try send(packet[...])
      let arrived = try link.checksum()
      guard arrived.offset == packet.count, arrived.checksum == CRC32.of(packet.span) else { throw damaged }
    }
    try link.execute()
  }

  private func sendApplication(_ bytes: [UInt8], _ progress: (FlashProgress) -> Void) throws(DFUError) {
    let (size, there) = try link.select(.data)
    var done = try resume(bytes, size, there)
    while done < bytes.count {
      progress(FlashProgress(.writing, done: done, total: bytes.count))
      let end = min(bytes.count, done + size)
      try sendObject(bytes, done..<end)
      done = end
    }
    progress(FlashProgress(.writing, done: done, total: bytes.count))
  }

  /// The offset to continue from: after the last complete object, which is executed first. Data that differ
  /// from `bytes` are sent again.
  private func resume(_ bytes: [UInt8], _ size: Int, _ there: DFULink.Progress) throws(DFUError) -> Int {
    let offset = Int(there.offset)
    guard offset > 0, offset <= bytes.count else { return 0 }
    let isRight = there.checksum == Self.checksum(bytes, offset)
    guard offset % size == 0 || offset == bytes.count else { return offset / size * size }
    guard isRight else { return (offset - 1) / size * size }
    do throws(DFUError) {
      try link.execute()
    } catch .refused {
      // It was executed before.
    }
    return offset
  }

  private static func checksum(_ bytes: [UInt8], _ count: Int) -> UInt32 {
    CRC32.of(bytes.span.extracting(0..<count))
  }

  private func sendObject(_ bytes: [UInt8], _ range: Range<Int>) throws(DFUError) {
    for attempt in 1...Self.attempts {
      try link.create(.data, size: range.count)
      try send(bytes[range])
      let arrived = try link.checksum()
      if Int(arrived.offset) == range.upperBound, arrived.checksum == Self.checksum(bytes, range.upperBound) {
        return try link.execute()
      }
      if attempt == Self.attempts { throw damaged }
    }
  }

  private func send(_ bytes: ArraySlice<UInt8>) throws(DFUError) {
    var rest = bytes
    while !rest.isEmpty {
      try link.write(rest.prefix(link.writeSize))
      rest = rest.dropFirst(link.writeSize)
    }
  }

  private var damaged: DFUError {
    .link(
      HostLinkError(
        .protocolViolation, "what arrives at \(location) is not what was sent",
        advice: "try another cable or port"))
  }

  // MARK: Failures

  private func carryOut<Result>(
    _ state: FlashFailure.BoardState, _ body: () throws(DFUError) -> Result
  ) throws(FlashFailure) -> Result {
    do throws(DFUError) {
      return try body()
    } catch {
      switch error {
      case .link(let reason):
        let next =
          "press the board's reset button and run `herald-flash write` again: it goes on where it was"
        throw FlashFailure(
          .link(reason.cause), reason.what, state: state, advice: state == .untouched ? reason.advice : next)
      case .refused(let request, let result, let extended):
        throw refusal(request, result, extended, state)
      }
    }
  }

  /// The text for the boot loader's results (`nrf_dfu_req_handler.h`: nrf_dfu_result_t,
  /// nrf_dfu_ext_error_code_t), with what to do.
  private func refusal(
    _ request: UInt8, _ result: UInt8, _ extended: UInt8?, _ state: FlashFailure.BoardState
  ) -> FlashFailure {
    let meaning: (what: String, advice: String?) =
      switch (result, extended) {
      case (0x0B, 0x05): ("has a later version of the firmware", "erase it with a debug probe: --via probe")
      case (0x0B, 0x06):
        (
          "is of other hardware than an nRF52",
          "name the right board with --board, or the right port with --to"
        )
      case (0x0B, 0x07):
        (
          "has a SoftDevice that the image was not made for",
          "write the factory's application first, or use a debug probe"
        )
      case (0x0B, 0x08): ("takes signed firmware only", "use a debug probe: --via probe")
      case (0x0B, 0x0C):
        ("found another SHA-256 in what it got", "try another cable or port, or a debug probe: --via probe")
      case (0x0B, 0x0D), (0x04, _):
        ("has no room for the image", "take a smaller image, or use a debug probe: --via probe")
      case (0x0B, let code?): ("refused (error 0x\(code.hexadecimal(2)))", "use a debug probe: --via probe")
      case (0x08, _), (0x05, _):
        ("is not ready for this step", "press the board's reset button and run the command again")
      default:
        (
          "refused request 0x\(request.hexadecimal(2)) with result 0x\(result.hexadecimal(2))",
          "press the board's reset button and run the command again"
        )
      }
    return FlashFailure(
      .link(.refused), "the boot loader at \(location) \(meaning.what)", state: state, advice: meaning.advice)
  }

  func close() { link.close() }
}
