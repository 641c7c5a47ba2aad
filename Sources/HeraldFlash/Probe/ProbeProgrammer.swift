import HeraldHostLink
import HeraldImages
import HeraldText

/// A board behind a debug probe.
///
/// All operations can be repeated from the start: after a line error they are repeated at most twice, after a
/// line reset. The first page of firmware, which has the vector table, is erased before and written after all
/// others: a board that was interrupted does not start a partial program.
package final class ProbeProgrammer: Programmer {
  /// The location of the board.
  package var location: String { port.probe.location }

  private static let attempts = 3

  let port: DebugPort
  let core: CortexCore
  let flash: FlashController
  let control: ControlAccessPort
  private let readsBack: Bool
  private let timeout: Duration

  private var isConnected = false
  private var isDisturbed = false
  var examination: Examination?
  /// Runs on the chip between writing and comparing.
  private var loader: FlashLoader?
  /// Whether the core was stopped or runs the loader.
  var hasCore = false
  /// The state of the board after a failure at this point.
  private var state = FlashFailure.BoardState.untouched
  /// Whether the contents may be started: nothing was changed, or all was verified.
  private var isWhole = true

  /// The identification of the chip.
  struct Examination: Equatable {
    /// `nil` if it is locked, or none of these families.
    let chip: NordicChip?
    let isLocked: Bool
    /// Whether it has the access port of an nRF52 for erasing all.
    let hasControl: Bool
  }

  /// Over an open pipe; nothing is sent yet. `readsBack`: compare by reading every byte through the probe,
  /// instead of by CRC-32 computed on the chip. `timeout`: how long a chip may work on one thing, beyond what
  /// a probe waits by itself.
  init(_ pipe: any ProbePipe, readsBack: Bool, clock: UInt32, timeout: Duration = .seconds(20)) {
    port = DebugPort(DebugProbe(pipe), clock: clock)
    core = CortexCore(port)
    flash = FlashController(port)
    control = ControlAccessPort(port)
    self.readsBack = readsBack
    self.timeout = timeout
  }

  // MARK: Identifying

  /// Identifies the chip and whether it is locked. The firmware continues to run.
  package func identify() throws(FlashFailure) -> BoardIdentification {
    let seen = try carryOut { () throws(ProbeError) in
      if port.probe.version.isEmpty { try port.probe.askVersion() }
      return try examine()
    }
    let identity = port.probe.identity
    var details = [
      (name: "probe", value: identity.product), (name: "probe serial number", value: identity.serial),
      (name: "probe firmware", value: port.probe.version),
    ].filter { !$0.value.isEmpty }
    guard let chip = seen.chip else {
      details.append(
        ("chip", seen.isLocked ? "an nRF52, locked" : "unknown (DPIDR 0x\(port.identifier.hexadecimal(8)))"))
      let boards =
        seen.isLocked ? Self.boards.filter { $0.chip.hasPrefix(seen.hasControl ? "nrf52" : "nrf51") } : []
      return BoardIdentification(boards: boards, details: details, isLocked: seen.isLocked)
    }
    details += [
      ("chip", chip.variant.isEmpty ? chip.name : "\(chip.name) \(chip.variant)"),
      ("flash", "\(chip.flashSize >> 10) KB"), ("RAM", "\(chip.ramSize >> 10) KB"),
      ("chip serial number", chip.serialNumber.hexadecimal(16)),
      ("debug port", seen.isLocked ? "closed" : "open"),
    ]
    return BoardIdentification(
      boards: Self.boards.filter { $0.chip == chip.name }, details: details, isLocked: seen.isLocked)
  }

  private static var boards: [BoardDescription] { BoardCatalogue.boards(reachedBy: .probe) }

  func examine() throws(ProbeError) -> Examination {
    if let examination { return examination }
    let lock = try control.isLocked()
    var seen = Examination(chip: nil, isLocked: lock ?? false, hasControl: lock != nil)
    if !seen.isLocked {
      let chip = try NordicChip.identify(port)
      let isLocked = chip?.name == "nrf51822" ? try flash.isReadBackProtected() : false
      seen = Examination(chip: chip, isLocked: isLocked, hasControl: lock != nil)
    }
    examination = seen
    return seen
  }

  // MARK: Performing

  /// Does `body`, connecting before; again if the line was disturbed. What was seen of the chip is forgotten
  /// then: it may be another one.
  func carryOut<Result>(_ body: () throws(ProbeError) -> Result) throws(FlashFailure) -> Result {
    var attempt = 1
    while true {
      do throws(ProbeError) {
        if !isConnected {
          try port.connect()
          isConnected = true
        } else if isDisturbed {
          try port.recover()
        }
        isDisturbed = false
        return try body()
      } catch {
        isDisturbed = true
        loader = nil
        examination = nil
        let isTransient = [.wait, .fault, .silent].contains(error)
        if isTransient && attempt < Self.attempts {
          attempt += 1
          continue
        }
        let reason = error.reported(at: location)
        throw FlashFailure(.link(reason.cause), reason.what, state: state, advice: advice(reason.advice))
      }
    }
  }

  /// The advice for the cause and the state of the board.
  private func advice(_ cause: String?) -> String? {
    let board = state == .untouched ? nil : "then run `herald-flash write` again"
    let parts = [cause, board].compactMap { $0 }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  private func lockedFailure() -> FlashFailure {
    FlashFailure(
      .locked, "the chip at \(location) is locked", state: state,
      advice: "`herald-flash write --erase-all` erases everything on it, log and settings too, and unlocks it"
    )
  }

  /// The chip, if it is that of `board` and not locked.
  func usableChip(for board: BoardDescription) throws(FlashFailure) -> NordicChip {
    let seen = try carryOut { () throws(ProbeError) in try examine() }
    guard !seen.isLocked else { throw lockedFailure() }
    guard let chip = seen.chip, chip.name == board.chip, board.firmware.end <= UInt64(chip.flashSize),
      chip.pageSize == board.pageSize
    else {
      let name =
        seen.chip.map { "an \($0.name) with \($0.flashSize >> 10) KB of flash" } ?? "no chip that is known"
      throw FlashFailure(
        .doesNotFit, "\(location) leads to \(name), and \(board.name) has an \(board.chip)", state: state,
        advice: "name the right board with --board, or connect the right one")
    }
    return chip
  }

  /// The loader, running on the chip; stops the firmware if it is not yet.
  private func runningLoader(_ chip: NordicChip) throws(ProbeError) -> FlashLoader {
    if let loader { return loader }
    guard
      let loader = FlashLoader(
        port, core, ram: NordicChip.ram, ramSize: chip.ramSize, pageSize: chip.pageSize, timeout: timeout)
    else {
      throw .link(HostLinkError(.refused, "the chip at \(location) has too little RAM"))
    }
    try stopCore(chip)
    try loader.start()
    self.loader = loader
    return loader
  }

  /// Halts the core before the firmware's first instruction. A chip that is locked at every reset until its
  /// firmware unlocks it is halted at the current instruction: it must not be reset before it has such
  /// firmware.
  func stopCore(_ chip: NordicChip) throws(ProbeError) {
    hasCore = true
    loader = nil
    if chip.locksAtReset { try core.halt() } else { try core.resetAndHalt() }
    try flash.settle()
  }

  // MARK: Writing

  /// Writes the pages that differ from what is there, and the settings page of Adafruit's boot loader if the
  /// board has it.
  package func write(_ plan: FlashPlan, progress: (FlashProgress) -> Void) throws(FlashFailure) {
    state = .untouched
    if plan.erasesAll { try erase(.chip, of: plan.board, progress: progress) }
    let chip = try usableChip(for: plan.board)
    let settings = AdafruitSettings.segment(for: plan)
    let image = PagedImage(plan, pageSize: Int(chip.pageSize), and: settings.map { [$0] } ?? [])
    try carryOut { () throws(ProbeError) in
      let loader = try runningLoader(chip)
      let present = try checksums(image, loader)
      let changed = image.addresses.indices.filter { present[$0] != image.checksums[$0] }
      let old = try configuration(of: plan)
      let new = plan.image.replacing(old, at: plan.board.configuration?.start ?? 0)
      guard !changed.isEmpty || old != new else { return }
      let total = (changed.count + (changed.first == 0 ? 0 : 1)) * image.pageSize
      if present[0] != PagedImage.blankChecksum(pageSize: image.pageSize) {
        (state, isWhole) = (.unknown, false)
        try flash.erase(pages: [image.addresses[0]])
      }
      (state, isWhole) = (.partlyWritten, false)
      if old != new, let start = plan.board.configuration?.start {
        try flash.writeUICR(old, new, at: start, timeout)
      }
      var done = 0
      progress(FlashProgress(.writing, done: 0, total: total))
      let limit = loader.capacity / image.pageSize
      for range in image.stretches(of: changed.filter { $0 > 0 }, limit: limit) + [0..<1] {
        if range.lowerBound == 0 { state = .unknown }
        try loader.program(image.words(range), at: image.addresses[range.lowerBound])
        done += range.count * image.pageSize
        progress(FlashProgress(.writing, done: done, total: total))
      }
      try loader.finish()
      state = .unverified
    }
  }

  /// UICR as it is, if the plan has words for it; else nothing.
  private func configuration(of plan: FlashPlan) throws(ProbeError) -> [UInt32] {
    guard let region = plan.board.configuration,
      plan.image.segments.contains(where: { region.contains($0.address, $0.end) })
    else { return [] }
    return try port.perform { $0.readBlock(region.start, count: Int(region.size) / 4) }
  }

  private func checksums(_ image: PagedImage, _ loader: FlashLoader) throws(ProbeError) -> [UInt32] {
    var sums: [UInt32] = []
    for range in image.stretches {
      sums += try loader.checksums(
        of: image.addresses[range.lowerBound], size: image.pageSize, count: range.count)
    }
    return sums
  }

  // MARK: Comparing

  /// Compares by CRC-32 of each page, computed on the chip; or byte by byte, if this was asked for. A page
  /// whose CRC-32 differs is read.
  package func verify(_ plan: FlashPlan, progress: (FlashProgress) -> Void) throws(FlashFailure) {
    let chip = try usableChip(for: plan.board)
    let image = PagedImage(plan, pageSize: Int(chip.pageSize))
    let total = image.addresses.count * image.pageSize
    progress(FlashProgress(.verifying, done: 0, total: total))
    let difference = try carryOut { () throws(ProbeError) -> (UInt32, UInt8, UInt8)? in
      let loader = try runningLoader(chip)
      let sums = readsBack ? [] : try checksums(image, loader)
      for (index, address) in image.addresses.enumerated() {
        if !readsBack, sums[index] == image.checksums[index] { continue }
        let words = try port.perform { $0.readBlock(address, count: image.pageSize / 4) }
        if let found = plan.image.firstDifference(from: words, at: address) { return found }
        progress(FlashProgress(.verifying, done: (index + 1) * image.pageSize, total: total))
      }
      if let start = plan.board.configuration?.start {
        return plan.image.firstDifference(from: try configuration(of: plan), at: start)
      }
      return nil
    }
    if let (address, found, wanted) = difference {
      throw FlashFailure(
        .different,
        "at 0x\(address.hexadecimal(8)) the chip holds 0x\(found.hexadecimal(2)) and not 0x\(wanted.hexadecimal(2))",
        state: state, advice: "`herald-flash write` writes it")
    }
    progress(FlashProgress(.verifying, done: total, total: total))
    isWhole = true
  }

  // MARK: Erasing

  /// Erases the pages of the board's firmware, or the whole chip with its lock.
  package func erase(_ scope: EraseScope, of board: BoardDescription, progress: (FlashProgress) -> Void)
    throws(FlashFailure)
  {
    switch scope {
    case .firmware:
      let chip = try usableChip(for: board)
      let pages = Array(
        stride(from: board.firmware.start, to: UInt32(clamping: board.firmware.end), by: Int(chip.pageSize)))
      let total = pages.count * Int(chip.pageSize)
      try carryOut { () throws(ProbeError) in
        try stopCore(chip)
        for start in stride(from: 0, to: pages.count, by: 16) {
          progress(FlashProgress(.erasing, done: start * Int(chip.pageSize), total: total))
          if start == 0 { (state, isWhole) = (.unknown, false) }
          try flash.erase(pages: Array(pages[start..<min(start + 16, pages.count)]))
          state = .erased
        }
      }
      progress(FlashProgress(.erasing, done: total, total: total))
    case .chip:
      progress(FlashProgress(.erasing, done: 0, total: 0))
      try carryOut { () throws(ProbeError) in try eraseChip() }
    }
  }

  private func eraseChip() throws(ProbeError) {
    let seen = try examine()
    examination = nil
    if seen.isLocked, seen.hasControl {
      (state, isWhole) = (.unknown, false)
      try unlock()
    } else {
      guard let chip = seen.chip else {
        throw .link(HostLinkError(.refused, "\(location) leads to no chip that is known"))
      }
      if !seen.isLocked { try stopCore(chip) }
      (state, isWhole) = (.unknown, false)
      try flash.eraseEverything(timeout)
    }
    state = .erased
    if try examine().chip?.locksAtReset == true { try flash.keepOpen() }
  }

  /// Erases a locked chip completely. A chip that reports completion and is still locked was not erased: the
  /// command is repeated.
  private func unlock() throws(ProbeError) {
    for _ in 0..<Self.attempts {
      try control.eraseAll(timeout)
      if try control.isLocked() != true { return }
    }
    throw .link(
      HostLinkError(
        .refused,
        "the chip at \(location) is locked still: it says that it has erased everything, and has not",
        advice: "switch the board off and on"))
  }

  // MARK: Releasing

  /// Resets the chip and lets it run.
  package func reset() throws(FlashFailure) {
    let seen = try carryOut { () throws(ProbeError) in try examine() }
    guard !seen.isLocked else { throw lockedFailure() }
    try carryOut { () throws(ProbeError) in
      try core.restart()
      loader = nil
      hasCore = false
      do throws(ProbeError) {
        try core.waitForStart()
      } catch {
        // Firmware that locks its chip has started, too.
        try port.recover()
        guard try control.isLocked() == true else { throw error }
      }
    }
  }

  /// Starts the chip, unless its firmware is incomplete, and releases the probe. Errors are ignored.
  package func close() {
    if isConnected {
      if hasCore, isWhole { try? core.restart() }
      if !hasCore || isWhole { try? port.disconnect() }
    }
    isConnected = false
    port.probe.close()
  }
}

extension FirmwareImage {
  /// `words` from `address` on, with those bytes replaced that this image has.
  func replacing(_ words: [UInt32], at address: UInt32) -> [UInt32] {
    var words = words
    let end = UInt64(address) + UInt64(4 * words.count)
    for segment in segments where segment.address >= address && segment.end <= end {
      for (index, byte) in segment.bytes.enumerated() {
        let offset = Int(segment.address - address) + index
        let shift = UInt32(8 * (offset % 4))
        words[offset / 4] = words[offset / 4] & ~(0xFF << shift) | UInt32(byte) << shift
      }
    }
    return words
  }

  /// The first byte of this image that differs from `words` read from `address` on: where, what is there,
  /// what should be.
  func firstDifference(from words: [UInt32], at address: UInt32) -> (UInt32, UInt8, UInt8)? {
    let end = UInt64(address) + UInt64(4 * words.count)
    for segment in segments where segment.end > UInt64(address) && UInt64(segment.address) < end {
      let first = max(UInt64(segment.address), UInt64(address))
      for position in first..<min(segment.end, end) {
        let offset = Int(position - UInt64(address))
        let found = UInt8(truncatingIfNeeded: words[offset / 4] >> UInt32(8 * (offset % 4)))
        let wanted = segment.bytes[Int(position - UInt64(segment.address))]
        if found != wanted { return (UInt32(truncatingIfNeeded: position), found, wanted) }
      }
    }
    return nil
  }
}
