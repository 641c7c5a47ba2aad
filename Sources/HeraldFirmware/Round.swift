import HeraldBluetooth
import HeraldDeviceLink
import HeraldEmbedded
import HeraldHAL

/// The management links of a device: a serial line, USB, both, or none.
public protocol ManagementLinks: ~Copyable {
  /// Whether there is a link. Without one, the code for a factory reset is omitted.
  static var areThere: Bool { get }
  /// Receives, processes requests and sends responses, without blocking. Returns when to call again at the
  /// latest: `now` if there is more work.
  mutating func serve<Device: ManagedDevice & ~Copyable>(at now: Instant, device: inout Device) -> Instant
}

extension ManagementLinks where Self: ~Copyable {
  public static var areThere: Bool { true }
}

/// A device without a management link.
public struct NoLinks: ManagementLinks {
  public init() {}
  public static var areThere: Bool { false }
  public mutating func serve<Device: ManagedDevice & ~Copyable>(at now: Instant, device: inout Device)
    -> Instant
  {
    .never
  }
}

extension ManagedNode where RadioType: ~Copyable {
  /// One round of a board's loop: continues a factory reset in progress, polls the node, serves the links,
  /// once a second feeds the watchdog if there is progress, and sleeps until the next deadline or an
  /// interrupt. A board with a panel also samples its button and drives its light.
  @inline(never)
  public mutating func round<Hardware: FirmwareHardware & ~Copyable, Links: ManagementLinks & ~Copyable>(
    serving links: inout Links
  ) where Parts.BoardType == Firmware<Hardware> {
    let now = board.hardware.now()
    // Before the node is polled: a log that is to be erased is not opened.
    var next = Links.areThere ? continueReset(at: now) : .never
    if board.mode != .bare {
      if !board.hasTakenSettings { takeWhatIsKept(at: now) }
      let isBusy = Links.areThere && advanceSealing(at: now)
      if isBusy { next = now }
      if !isBusy || board.hasOpenedLog {
        board.hasOpenedLog = true
        node.core.openLog(at: now, startReason: board.report.cause.rawValue)
        if !board.hasReported { reportStart(at: now) }
      }
    }
    if board.mode == .normal, board.hasOpenedLog {
      loadPayload(at: now)
      let polling = node.poll(at: now)
      if polling < next { next = polling }
      let supervising = board.saw(node.radio.state, at: now)
      if supervising < next { next = supervising }
    }
    if Hardware.PanelType.isThere {
      let showing = updatePanel(at: now)
      if showing < next { next = showing }
    }
    let serving = links.serve(at: now, device: &self)
    if serving < next { next = serving }
    if next > now { node.core.log.rest() }
    board.rest(until: next, from: now)
  }

  @inline(never)
  private mutating func continueReset<Hardware: FirmwareHardware & ~Copyable>(at now: Instant) -> Instant
  where Parts.BoardType == Firmware<Hardware> {
    let erased = factoryReset().done
    let next = continueFactoryReset(at: now)
    if factoryReset().done != erased { board.erased(at: now) }
    return next
  }

  /// Applies the stored identity and settings to the node, once, before it starts.
  @inline(never)
  private mutating func takeWhatIsKept<Hardware: FirmwareHardware & ~Copyable>(at now: Instant)
  where Parts.BoardType == Firmware<Hardware> {
    board.hasTakenSettings = true
    if node.core.key.isNone { node.core.key = board.settings.addressKey(random: &node.core.random) }
    takeSettings(at: now)
  }

  /// Logs the fault that caused this start, once, and commits at once, as another fault may follow.
  @inline(never)
  private mutating func reportStart<Hardware: FirmwareHardware & ~Copyable>(
    at now: Instant
  ) where Parts.BoardType == Firmware<Hardware> {
    board.hasReported = true
    guard board.report.cause.isFault else { return }
    var bytes: [32 of UInt8] = .init(repeating: 0)
    var room = bytes.mutableSpan
    guard board.report.write(to: &room) else { return }
    do throws(LogError) {
      try node.core.log.append(.restarted, bytes: bytes.span, at: now, clock: node.core.clock)
    } catch {
      // The log counts the failure itself.
      return
    }
    node.core.log.commit()
  }
}
