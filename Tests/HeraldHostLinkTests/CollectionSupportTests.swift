import Foundation
import Testing

@testable import HeraldHostLink

@Suite("Pages on the disk, and devices that lack theirs")
struct CollectionSupportTests {
  @Test("A file that is not the page of its name is found; pages that were there before are not read")
  func stored() throws {
    let folder = TemporaryFolder()
    let store = try PageStore(path: folder.path, create: true)
    func name(_ sequence: UInt32) -> PageName {
      PageName(epoch: FakeDevice.epoch, sequence: sequence, isOpen: false)
    }
    try store.store([1, 2, 3], as: name(1))
    try store.store([UInt8](repeating: 0xFF, count: 4096), as: name(2))
    let all = try StoredPages(checking: store)
    #expect(all.checked == 2 && all.wrong.count == 2 && all.damaged == [])
    #expect(all.wrong.allSatisfy { $0.hasSuffix("has no valid header") })
    let later = try StoredPages(checking: store, except: [name(1), name(2)])
    #expect(later.checked == 0 && later.wrong == [])
  }

  @Test("A pull of a device that lacks its pages ends after 1,024 of them")
  func gone() throws {
    let device = FakeDevice(pages: 3000)
    for sequence in 1...2500 as ClosedRange<UInt32> { device.pages[sequence] = nil }
    let report = try pull(device, TemporaryFolder())
    #expect(report.stoppedBy?.cause == .protocolViolation && report.lostPages == 1025)
    // Fewer are overwritten ones.
    let other = FakeDevice(pages: 1100)
    for sequence in 1...1000 as ClosedRange<UInt32> { other.pages[sequence] = nil }
    let partial = try pull(other, TemporaryFolder())
    #expect(partial.stoppedBy == nil && partial.lostPages == 1000 && partial.newPages == 100)
  }

  @Test("Of a USB/IP server that does not exist the watch tells, and of one that is no host nothing is asked")
  func watch() throws {
    let watch = try DeviceWatch(usesUSB: false, servers: ["127.0.0.1:1"])
    defer { watch.end() }
    var presence = watch.next(after: -1, by: .distantPast)
    while !presence.isComplete {
      presence = watch.next(after: presence.version, by: Date(timeIntervalSinceNow: 10))
    }
    #expect(presence.places == [] && presence.failures.count == 1)
    #expect(presence.failures.first?.location == "usbip://127.0.0.1:1")
    #expect(presence.failures.first?.error.cause == .link)
    #expect(throws: HostLinkError.self) { try DeviceWatch(usesUSB: false, servers: ["a:b:c"]) }
  }
}
