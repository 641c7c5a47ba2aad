import HeraldDeviceLink
import HeraldEmbedded

/// The ways in which a device can be managed: a serial line, USB, both, or none.
public protocol ManagementLinks: ~Copyable {
  /// Takes what has come, has it answered, sends. Never waits. Returns when to be called again at the latest: the present moment if there is
  /// more to do at once.
  mutating func serve<Device: ManagedDevice & ~Copyable>(at now: Instant, device: inout Device) -> Instant
}

/// No way at all.
public struct NoLinks: ManagementLinks {
  /// The only one there is.
  public init() {}
  /// Does nothing.
  public mutating func serve<Device: ManagedDevice & ~Copyable>(at now: Instant, device: inout Device)
    -> Instant
  {
    .never
  }
}

extension ManagedNode
where
  RadioType: ~Copyable, FlashType: ~Copyable, RandomType: ~Copyable, SupplierType: ~Copyable,
  DelegateType: ~Copyable, BoardType: ~Copyable
{
  /// One round of a board's loop: polls the node, serves the links, feeds the watchdog if there is progress, and sleeps until the earlier of
  /// the next deadline and an interrupt.
  public mutating func round<Hardware: FirmwareHardware & ~Copyable, Links: ManagementLinks & ~Copyable>(
    serving links: inout Links
  ) where BoardType == Firmware<Hardware> {
    let now = board.hardware.now()
    var next = Instant.never
    if board.mode != .bare {
      node.core.openLog(at: now, startReason: board.report.cause.rawValue)
      reportStart(at: now)
    }
    if board.mode == .normal {
      next = node.poll(at: now)
      let tending = board.saw(node.radio.state, at: now)
      if tending < next { next = tending }
    }
    let serving = links.serve(at: now, device: &self)
    if serving < next { next = serving }
    board.rest(until: next, from: now)
  }

  /// Tells the log, once, of the fault that brought this start about. It is kept at once: the next fault may be near.
  private mutating func reportStart<Hardware: FirmwareHardware & ~Copyable>(
    at now: Instant
  ) where BoardType == Firmware<Hardware> {
    guard !board.hasReported else { return }
    board.hasReported = true
    guard board.report.cause.isFault else { return }
    var bytes: [32 of UInt8] = .init(repeating: 0)
    var room = bytes.mutableSpan
    guard board.report.write(to: &room) else { return }
    do throws(LogError) {
      try node.core.log.append(.restarted, bytes: bytes.span, at: now, clock: node.core.clock)
    } catch {
      // A log that takes nothing says so in its own counters.
      return
    }
    node.core.log.commit()
  }
}
