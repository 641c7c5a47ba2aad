import Foundation
import Testing

@testable import HeraldHostLink

@Suite("The folder of a pulled log")
struct PageStoreTests {
  @Test("Files of a page folder have mode 0600, also where a partial file was left")
  func modes() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/new"
    let pageStore = try PageStore(path: path, create: true)
    #expect(FileManager.default.createFile(atPath: path + "/messages.csv.part", contents: nil))
    #expect(chmod(path + "/messages.csv.part", 0o644) == 0)
    try pageStore.write([0x61], named: "messages.csv")
    try pageStore.write([0x61], named: "visits.csv")
    func mode(_ file: String) -> mode_t {
      var attributes = stat()
      return stat(file, &attributes) == 0 ? attributes.st_mode & 0o777 : 0
    }
    #expect(mode(path) == 0o700 && mode(path + "/pages") == 0o700)
    #expect(mode(path + "/messages.csv") == 0o600 && mode(path + "/visits.csv") == 0o600)
  }

  @Test("Two programs cannot work on one folder")
  func locked() throws {
    let folder = TemporaryFolder()
    let pageStore = try PageStore(path: folder.path, create: true)
    #expect(throws: HostLinkError.self) { try PageStore(path: folder.path, create: true) }
    _ = pageStore.device
  }

  @Test("Only names that were made here are pages")
  func names() {
    #expect(PageName(epoch: 0xAB, sequence: 7, isOpen: false).fileName == "000000ab-0000000007.page")
    #expect(PageName(fileName: "000000ab-0000000007.page")?.sequence == 7)
    #expect(PageName(fileName: "000000ab-0000000007.open.page")?.isOpen == true)
    for bad in [
      "", ".page", "ab-7.page", "000000AB-0000000007.page", "000000ab-0000000007.page.part", "../x-1.page",
      "000000ab--000000007.page", "000000ab-0000000007", "+00000ab-0000000007.page",
      "000000ab-9999999999.page",
    ] { #expect(PageName(fileName: bad) == nil) }
  }
}
