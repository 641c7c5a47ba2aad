import HeraldText

/// What is made of a page as it arrives.
public enum PageInspection: Equatable, Sendable {
  /// It is the page that was asked for, whole as far as it goes.
  case good
  /// It is that page, and its end is damaged: good to keep, worth a word.
  case damaged(String)
  /// It is not that page.
  case wrong(String)

  /// Looks at a page by its own header and checksums.
  public static func inspect(_ bytes: [UInt8], epoch: UInt32, sequence: UInt32) -> PageInspection {
    guard let page = LogPage(bytes) else { return .wrong("has no valid header") }
    guard page.epoch == epoch, page.sequence == sequence else {
      return .wrong("is page \(page.sequence) of epoch \(page.epoch.hexadecimal(8))")
    }
    switch page.ending {
    case .complete, .reading: return .good
    case .torn: return .damaged("was cut off by a loss of power after \(page.records.count) records")
    case .malformed: return .damaged("contradicts the format after \(page.records.count) records")
    }
  }
}
