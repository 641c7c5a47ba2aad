/// A cache of decoded pages between reception and conversion: a page decoded for inspection is not decoded
/// again.
struct DecodedPages {
  private struct Page {
    let page: LogPage
    let bytes: [UInt8]
  }

  /// The maximum number of records, about 15 MB: the log of an nRF52833. Further pages are decoded again.
  private static let mostRecords = 1 << 18

  private var pages: [PageName: Page] = [:]
  private var records = 0

  /// Stores the records of a page, if there is room.
  mutating func add(_ page: LogPage, as name: PageName, _ bytes: [UInt8]) {
    remove(name)
    guard records + page.records.count <= Self.mostRecords else { return }
    records += page.records.count
    pages[name] = Page(page: page, bytes: bytes)
  }

  /// The records of a page, if it has these bytes; they are removed.
  mutating func take(_ name: PageName, _ bytes: [UInt8]) -> LogPage? {
    let kept = pages[name]
    remove(name)
    return kept?.bytes == bytes ? kept?.page : nil
  }

  private mutating func remove(_ name: PageName) {
    guard let kept = pages.removeValue(forKey: name) else { return }
    records -= kept.page.records.count
  }
}
