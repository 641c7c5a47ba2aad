import Foundation
import Testing

@testable import HeraldFlash

@Suite("Built images")
struct BuiltImagesTests {
  @Test("the folder of the environment alone, else those above here and above the program")
  func folders() {
    #expect(
      BuiltImages(named: "/srv/images", workingFolder: "/home/a", program: "/usr/bin/herald-flash").folders
        == ["/srv/images"])
    #expect(
      BuiltImages(named: nil, workingFolder: "/home/a", program: "/usr/bin/herald-flash").folders == [
        "/home/a/.build/boards", "/home/.build/boards", "/.build/boards", "/usr/bin/.build/boards",
        "/usr/.build/boards", "/usr/share/herald/boards",
      ])
    #expect(BuiltImages(named: nil, workingFolder: "/", program: "").folders == ["/.build/boards"])
  }

  @Test("an image is found from a folder far from the sources that the program was built in")
  func found() throws {
    let root = FileManager.default.temporaryDirectory.appendingPathComponent("images-\(UUID().uuidString)")
      .path
    defer { try? FileManager.default.removeItem(atPath: root) }
    let folder = "\(root)/source/.build/boards/microbit"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data([0x3A]).write(to: URL(fileURLWithPath: "\(folder)/beacon.hex"))
    let images = BuiltImages(
      named: nil, workingFolder: "/tmp", program: "\(root)/source/.build/debug/herald-flash")
    #expect(images.path(board: "microbit", role: "beacon") == "\(folder)/beacon.hex")
    #expect(images.path(board: "microbit", role: "wearable") == nil)
  }
}
