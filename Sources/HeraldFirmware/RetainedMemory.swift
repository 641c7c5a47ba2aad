import HeraldEmbedded
import HeraldHAL

/// The record of the previous run in memory that is retained over a reset: 16 words that the start-up code
/// does not initialise.
///
/// After power-on their contents are undefined; both parts therefore have a checksum. The first eight words
/// are written by the fault handler (`boards/startup`): a mark, the cause, the registers. The next eight are
/// written by the program: its uptime, and the state of earlier runs. A part is valid only as a whole.
public struct RetainedMemory: ~Copyable {
  private let words: UnsafeMutablePointer<UInt32>

  /// The number of words.
  public static var count: Int { 16 }
  private static var faultMark: UInt32 { 0x746C_6148 }
  private static var runMark: UInt32 { 0x736E_7552 }
  private static var runStart: Int { 8 }

  /// Uses the memory at `words`, `count` words, which no other code may write while the program runs.
  public init(_ words: UnsafeMutablePointer<UInt32>) { unsafe self.words = words }

  /// The record of the fault handler.
  public struct Fault: Equatable, BitwiseCopyable, Sendable {
    /// The cause.
    public var cause: RestartCause
    /// The program counter.
    public var programCounter: UInt32
    /// The link register.
    public var linkRegister: UInt32
    /// The program status register.
    public var programStatus: UInt32
    /// The fault status register.
    public var faultStatus: UInt32
    /// The address whose access caused the fault.
    public var faultAddress: UInt32
  }

  /// The record that the program writes while it runs.
  public struct Run: Equatable, BitwiseCopyable, Sendable {
    /// The uptime in seconds.
    public var uptime: UInt32 = 0
    /// The number of consecutive short runs that ended with a fault.
    public var streak: UInt8 = 0
    /// The number of times safe mode was entered since the last long normal run.
    public var safeStarts: UInt8 = 0
    /// The operating mode.
    public var mode = StartMode.normal
    /// The cause of a restart requested by the program: `.requested` or `.safeModeOver`.
    public var intent: RestartCause?
    /// The number of starts caused by faults since power-on.
    public var faults: UInt32 = 0

    /// Creates the record of a first run.
    public init() {}
  }

  /// Returns the fault that ended the previous run, and clears it.
  public mutating func takeFault() -> Fault? {
    guard unsafe words[0] == Self.faultMark, unsafe words[7] == check(from: 0) else { return nil }
    unsafe words[0] = 0
    let cause: RestartCause
    switch unsafe words[1] {
    case 2: cause = .panic
    case 3: cause = .stackOverflow
    case 4: cause = .watchdog
    default: cause = .fault
    }
    return unsafe Fault(
      cause: cause, programCounter: words[2], linkRegister: words[3], programStatus: words[4],
      faultStatus: words[5], faultAddress: words[6])
  }

  /// The last record of the program; `nil` if there is none.
  public mutating func run() -> Run? {
    let start = Self.runStart
    guard unsafe words[start] == Self.runMark, unsafe words[start &+ 7] == check(from: start),
      let mode = unsafe StartMode(rawValue: UInt8(truncatingIfNeeded: words[start &+ 2] &>> 16))
    else { return nil }
    var run = Run()
    unsafe run.uptime = words[start &+ 1]
    unsafe run.streak = UInt8(truncatingIfNeeded: words[start &+ 2])
    unsafe run.safeStarts = UInt8(truncatingIfNeeded: words[start &+ 2] &>> 8)
    run.mode = mode
    let intent = unsafe UInt8(truncatingIfNeeded: words[start &+ 2] &>> 24)
    run.intent = intent == 0 ? nil : RestartCause(rawValue: intent)
    unsafe run.faults = words[start &+ 3]
    return run
  }

  /// Stores `run` for the next start.
  public mutating func note(_ run: Run) {
    let start = Self.runStart
    unsafe words[start] = Self.runMark
    unsafe words[start &+ 1] = run.uptime
    unsafe words[start &+ 2] =
      UInt32(run.streak) | UInt32(run.safeStarts) &<< 8 | UInt32(run.mode.rawValue) &<< 16
      | UInt32(run.intent?.rawValue ?? 0) &<< 24
    unsafe words[start &+ 3] = run.faults
    var index = 4
    while index < 7 {
      unsafe words[start &+ index] = 0
      index &+= 1
    }
    unsafe words[start &+ 7] = check(from: start)
  }

  /// The checksum of the seven words from `start` on: words of all zeros or all ones are invalid.
  private func check(from start: Int) -> UInt32 {
    var check: UInt32 = 0
    var index = 0
    while index < 7 {
      check = unsafe (check &<< 1 | check &>> 31) ^ words[start &+ index]
      index &+= 1
    }
    return ~check
  }
}
