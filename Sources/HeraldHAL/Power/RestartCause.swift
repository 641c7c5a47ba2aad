/// Why a device started.
public enum RestartCause: UInt8, BitwiseCopyable, Sendable {
  /// Power came on, or nothing is known of a run before this one.
  case powerOn = 0
  /// Somebody or something outside pulled the reset line.
  case resetLine = 1
  /// A restart was requested, over the management link.
  case requested = 2
  /// The watchdog was not fed: the program hung, or made no progress.
  case watchdog = 3
  /// The program stopped itself, because something was true that cannot be.
  case panic = 4
  /// The processor found an instruction or an access that it cannot carry out.
  case fault = 5
  /// There was no room left on the stack.
  case stackOverflow = 6
  /// Safe mode was over.
  case safeModeOver = 7
  /// The processor was locked up: a fault within the handling of a fault.
  case lockup = 8

  /// Whether something went wrong.
  public var isFault: Bool {
    switch self {
    case .watchdog, .panic, .fault, .stackOverflow, .lockup: true
    case .powerOn, .resetLine, .requested, .safeModeOver: false
    }
  }
}
