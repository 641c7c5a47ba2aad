import Foundation
import TestInputs
import Testing

@testable import HeraldHostLink

extension SplitMix64 {
  fileprivate mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}

@Suite("The life of a page store")
struct PageStoreLifeTests {
  /// The pages of an epoch in a folder, and the names of all its files but those of other epochs' pages.
  private static func contents(_ folder: TemporaryFolder, epoch: UInt32) throws -> [String] {
    let store = try PageStore(path: folder.path, create: true)
    let pages = try store.pages().filter { $0.epoch == epoch }
    let bytes = try pages.map { "\($0.fileName) \(try store.read($0))" }
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    let prefix = PageName(epoch: epoch, sequence: 1, isOpen: false).fileName.prefix(8)
    return bytes + files.filter { !$0.hasPrefix("pages/") || $0.hasPrefix("pages/\(prefix)") }.sorted()
  }

  @Test(
    "a folder is after a pull as one that was never pulled into, whatever was cut off and erased before",
    arguments: 0..<6 as Range<UInt64>)
  func pulled(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let used = TemporaryFolder()
    let device = FakeDevice(pages: 1 + UInt32(random.below(3)), openBytes: 1 + random.below(256))
    var kept: [String] = []
    for _ in 0..<random.below(7) {
      let isCut = random.below(3) > 0
      let steps = isCut ? random.below(12) : .max
      var count = 0
      _ = try? pull(
        device, used, window: 1 + random.below(4), cutAfter: isCut ? random.below(20) : .max
      ) { _ throws(HostLinkError) in
        count += 1
        if count > steps { throw HostLinkError(.storage, "cut") }
      }
      let size = device.pages[device.last]?.count ?? 0
      switch random.below(4) {
      case 0:
        // Nothing is left of what the erasure interrupts, and what is complete stays.
        kept += try PageStore(path: used.path, create: true).pages().filter { $0.epoch == device.epoch }
          .map(\.fileName)
        device.erase(openBytes: 1 + random.below(256))
      case 1: device.grow(pages: 0, openBytes: size + random.below(257 - size))
      default: device.grow(pages: UInt32(1 + random.below(3)), openBytes: 1 + random.below(256))
      }
    }
    let fresh = TemporaryFolder()
    let (report, expected) = (try pull(device, used), try pull(device, fresh))
    #expect(report.isComplete && expected.isComplete)
    #expect(report.newPages + report.knownPages == expected.newPages)
    #expect(report.problems.isEmpty, "\(report.problems)")
    let seen = try Self.contents(used, epoch: device.epoch)
    #expect(try Self.contents(fresh, epoch: device.epoch) == seen)
    let names = try FileManager.default.contentsOfDirectory(atPath: used.path + "/pages")
    #expect(kept.allSatisfy { names.contains($0) } && !names.contains { $0.hasSuffix(".part") })
    // Once more nothing is fetched.
    let bytes = device.bytesRead
    _ = try pull(device, used)
    #expect(device.bytesRead - bytes <= 1)
  }
}
