import HeraldBluetooth
import HeraldDeviceLink
import HeraldEmbedded
import HeraldHAL

/// The state of every board's loop: restart cause, operating mode, progress, and time asleep.
///
/// It is the board of a `ManagedNode`; the loop itself is the node's `round`.
public struct Firmware<Hardware: FirmwareHardware & ~Copyable>: ManagedBoard, ~Copyable {
  /// The board.
  public var hardware: Hardware
  /// The button, light and cable of the board.
  public var panel = Hardware.PanelType()
  /// The restart report.
  public let report: RestartReport

  private var memory: RetainedMemory
  private var run: RetainedMemory.Run
  private var gate = ProgressGate()
  private var reset = ControllerReset()
  private var asleep = TimeAsleep()
  private var rounds: UInt32 = 0
  private var sleeps: UInt32 = 0
  private var hungry: UInt32 = 0
  /// The time of the next call of `runPeriodic`: once a second, and at the time of a requested restart.
  private var periodicAt = Instant.start
  private var restartAt = Instant.never
  /// Whether the requested restart is one into the boot loader.
  private var isForBootLoader = false
  /// The data that the device stores besides its log.
  public var settings: SettingsStore<Hardware.SettingsFlash>
  /// Whether the settings have been applied to the node.
  var hasTakenSettings = false
  /// Whether the log may be opened: its keys are made, if it is sealed.
  var hasOpenedLog = false
  /// Whether the restart cause has been logged.
  var hasReported = false

  /// Creates the firmware of a board after its start. `settings` stores the state of the device over restarts
  /// (docs/herald-host.md); `hint` is the reset reason reported by the chip.
  @inline(never)
  public init(
    hardware: consuming Hardware, memory: consuming RetainedMemory,
    settings: consuming Hardware.SettingsFlash, hint: RestartCause?
  ) {
    let decision = StartDecision(&memory, hint: hint)
    self.hardware = hardware
    self.memory = memory
    self.settings = SettingsStore(flash: settings)
    report = decision.report
    run = decision.run
    if run.mode != .normal { restartAt = .start + StartDecision.safeTime(run.safeStarts) }
  }

  /// The operating mode of the device.
  public var mode: StartMode { run.mode }

  /// Passes the radio's state to the controller's reset line and the watchdog. Returns when to be called
  /// again at the latest.
  ///
  /// Not inlined, to keep the loop's stack frame small.
  @inline(never)
  mutating func saw(_ state: RadioState, at now: Instant) -> Instant {
    gate.saw(state, at: now)
    guard Hardware.hasControllerReset else { return .never }
    switch reset.step(state, at: now) {
    case .none: break
    case .hold: hardware.holdController(true)
    case .release: hardware.holdController(false)
    }
    return reset.deadline
  }

  /// Records that a factory reset has erased a page of the log, which counts as progress: the number of pages
  /// is finite.
  mutating func erased(at now: Instant) { gate.rested(at: now) }

  /// Ends a round of the loop: sleeps until `deadline` or an interrupt.
  @inline(never)
  mutating func rest(until deadline: Instant, from now: Instant) {
    rounds &+= 1
    if now >= periodicAt { runPeriodic(at: now) }
    let until = deadline < periodicAt ? deadline : periodicAt
    guard until > now else { return }
    let slept = hardware.sleep(until: until)
    let end = hardware.now()
    if slept {
      sleeps &+= 1
      asleep.slept(from: now, to: end)
    }
    gate.rested(at: end)
  }

  /// Stores the uptime, restarts if requested, and feeds the watchdog if there is progress. Called once a
  /// second, not in each of possibly hundreds of rounds; this is sufficient also for a clock whose counter
  /// wraps.
  @inline(never)
  private mutating func runPeriodic(at now: Instant) {
    let uptime = now.milliseconds / 1000
    let next = Instant(milliseconds: uptime &* 1000 &+ 1000)
    note(uptime)
    if now >= restartAt { restartNow() }
    periodicAt = restartAt < next ? restartAt : next
    if gate.isOpen(at: now, hasRadio: mode == .normal) { hardware.feedWatchdog() } else { hungry &+= 1 }
  }

  private mutating func note(_ uptime: UInt64) {
    guard uptime.low32 != run.uptime else { return }
    run.uptime = uptime.low32
    if run.uptime >= StartDecision.longRun, run.mode == .normal {
      run.streak = 0
      run.safeStarts = 0
    }
    memory.note(run)
  }

  private mutating func restartNow() {
    if run.intent == nil { run.intent = .safeModeOver }
    memory.note(run)
    if Hardware.entersBootLoader, isForBootLoader {
      hardware.enterBootLoader()
    } else {
      hardware.restart()
    }
  }

  // MARK: Management

  /// The value of `field` from the board.
  public mutating func information(_ field: InformationField, into text: inout MutableSpan<UInt8>) -> Int {
    hardware.information(field, into: &text)
  }

  /// By the chip.
  public mutating func debugPort() -> DebugPortState { hardware.debugPort() }

  /// Schedules a restart in 250 ms, after the response to the request has been sent.
  @inline(never)
  public mutating func restart(at now: Instant) {
    run.intent = .requested
    restartAt = now + .milliseconds(250)
    if restartAt < periodicAt { periodicAt = restartAt }
  }

  /// Whether the board can start a boot loader.
  public static var entersBootLoader: Bool { Hardware.entersBootLoader }

  /// Schedules a restart into the boot loader.
  public mutating func enterBootLoader(at now: Instant) {
    isForBootLoader = true
    restart(at: now)
  }

  /// Permission is given at the board, if it has a button.
  public mutating func takeResetPermission(at now: Instant) -> Bool { panel.takeResetPermission(at: now) }

  /// Whether the board has a light for hosts.
  public static var hasSignal: Bool { Hardware.PanelType.isThere }
  /// By the panel.
  public mutating func signal(_ signal: CollectionSignal, at now: Instant) -> Bool {
    panel.signal(signal, at: now)
  }

  /// The restart report.
  public mutating func restartReport() -> RestartReport? { report }

  /// The name of the statistics group: "firmware".
  public static var statisticsName: StaticString { "firmware" }
  /// The number of counters.
  public static var statisticsCount: Int { 11 }
  /// The name of counter `index`.
  public static func statisticName(_ index: Int) -> StaticWord {
    StaticWord(
      index,
      of: """
        rounds sleeps asleep_ms asleep_permille watchdog_withheld controller_resets uart_overruns stack_used faults settings_damaged settings_errors
        """)
  }
  /// The value of counter `index`.
  public mutating func statistic(_ index: Int) -> UInt32 {
    switch index {
    case 0: return rounds
    case 1: return sleeps
    case 2: return asleep.milliseconds.low32
    case 3:
      let now = hardware.now()
      return UInt32(truncatingIfNeeded: asleep.perMille(at: now))
    case 4: return hungry
    case 5: return reset.count
    case 6: return hardware.overruns()
    case 7: return hardware.stackUsed()
    case 8: return run.faults
    case 9, 10: return settings.statistic(index &- 9)
    default: return 0
    }
  }
}
