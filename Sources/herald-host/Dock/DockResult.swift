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

/// What was collected from a device.
struct DockResult: Encodable, Sendable {
  var folder = ""
  var clockSet = false
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
  static let heading = ["NEW PAGES", "ERASED", "CLOCK", "FOLDER"]
  var columns: [String] { [String(newPages), String(trimmedPages), clockSet ? "set" : "right", folder] }
}
