import HeraldText

/// The result of inspecting a page as it is received.
public enum PageInspection: Equatable, Sendable {
  /// The bytes are the page that was requested, valid as far as it was received.
  case good
  /// The bytes are the requested page, and its end is damaged: it is kept, and reported.
  case damaged(String)
  /// The bytes are not the requested page.
  case wrong(String)

  /// Checks a page by its header and checksums.
  public static func inspect(_ bytes: [UInt8], epoch: UInt32, sequence: UInt32) -> PageInspection {
    PageInspection(LogPage(bytes), epoch: epoch, sequence: sequence)
  }

  /// Checks a decoded page; `nil` if it has no valid header.
  init(_ page: LogPage?, epoch: UInt32, sequence: UInt32) {
    guard let page else {
      self = .wrong("has no valid header")
      return
    }
    guard page.epoch == epoch, page.sequence == sequence else {
      self = .wrong("is page \(page.sequence) of epoch \(page.epoch.hexadecimal(8))")
      return
    }
    self =
      switch page.ending {
      case .complete, .reading: .good
      case .torn: .damaged("was cut off by a loss of power after \(page.records.count) records")
      case .malformed: .damaged("contradicts the format after \(page.records.count) records")
      }
  }
}
