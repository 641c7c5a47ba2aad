import HeraldHostLink

/// The steps of the collection of a device.
enum DockPhase: String, Encodable, Sendable, CaseIterable {
  case identify, clock, pull, check, archive, trim

  /// The step as text.
  var words: String {
    switch self {
    case .identify: "identifying"
    case .clock: "setting the clock"
    case .pull: "pulling"
    case .check: "checking"
    case .archive: "adding to the archive"
    case .trim: "erasing what is safe here"
    }
  }
}

/// What became of the clock of a device at the dock.
enum DockClock: String, Encodable, Sendable {
  /// The clock was right, and was not changed.
  case right
  /// The clock got this computer's date.
  case set
  /// The clock was not set, for the reason in a remark.
  case refused
}

/// What was collected from a device.
struct DockResult: Encodable, Sendable {
  var folder = ""
  /// The person who wears the device; `nil` if nobody is known to.
  var person: String?
  private(set) var clockSet = false
  var clock = DockClock.right { didSet { clockSet = clock == .set } }
  var battery: BatteryRow?
  /// How much the device can still log before it overwrites its oldest records.
  var room: LogRoom?
  var newPages = 0
  var knownPages = 0
  /// The pages that the device overwrote before they were pulled.
  var lostPages = 0
  var bytes = 0
  var checkedPages = 0
  var trimmedPages = 0
  var trimmedThrough: UInt32?
  var remarks: [String] = []

  /// The columns of the table of `--once`.
  static let heading = ["PERSON", "NEW PAGES", "ERASED", "CLOCK", "BATTERY", "LOG FREE", "FOLDER"]
  var columns: [String] {
    [
      person ?? "-", String(newPages), String(trimmedPages), clock == .refused ? "NOT SET" : clock.rawValue,
      battery?.shortWords ?? "-", room?.words ?? "-", folder,
    ]
  }
}
