import HeraldEmbedded
import Testing

@testable import HeraldHostLink

/// Pages that are decoded once on their way from the device to the database.
@Suite("Decoded pages")
struct DecodedPagesTests {
  private func page(_ sequence: UInt32, records: Int = 1) -> LogPage {
    let record = BootRecord(epoch: 1, boot: 1, uptimeMilliseconds: 0, event: .started(reason: 0))
    return LogPage(
      sequence: sequence, epoch: 1, records: Array(repeating: record, count: records), clocks: [])
  }

  private func name(_ sequence: UInt32) -> PageName { PageName(epoch: 1, sequence: sequence, isOpen: false) }

  @Test("A page is handed over once, and only to who has the same bytes")
  func once() {
    var pages = DecodedPages()
    pages.add(page(1), as: name(1), [1, 2])
    pages.add(page(2), as: name(2), [3])
    #expect(pages.take(name(1), [1, 2])?.sequence == 1)
    #expect(pages.take(name(1), [1, 2]) == nil)
    #expect(pages.take(name(2), [4]) == nil)
    #expect(pages.take(name(2), [3]) == nil)
  }

  @Test("Pages beyond the room are not kept, and a page that is stored anew takes no more room")
  func bound() {
    var pages = DecodedPages()
    for _ in 0..<3 { pages.add(page(1, records: 100_000), as: name(1), [1]) }
    pages.add(page(2, records: 100_000), as: name(2), [2])
    pages.add(page(3, records: 100_000), as: name(3), [3])
    #expect(pages.take(name(3), [3]) == nil)
    #expect(pages.take(name(2), [2])?.records.count == 100_000)
    pages.add(page(3, records: 100_000), as: name(3), [3])
    #expect(pages.take(name(3), [3]) != nil)
  }
}
