import Foundation
import Testing

@testable import HeraldHostLink

@Suite("Secrets in a git checkout")
struct CheckoutExclusionTests {
  private let root = TemporaryFolder()

  private func folder(_ name: String) throws -> String {
    let path = "\(root.path)/\(name)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }

  private func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }

  @Test("A folder that was made for secrets is excluded as a whole")
  func newFolder() throws {
    _ = try folder(".git")
    try AccessKey.generate().write(to: "\(root.path)/keys/a.key")
    try AccessKey.generate().write(to: "\(root.path)/keys/b.key")
    #expect(text("\(root.path)/keys/.gitignore") == "# Secrets of herald-host\n*\n")
    #expect(!CheckoutExclusion.isMissing(of: "\(root.path)/keys/b.key"))
    #expect(try SecretFolder(path: "\(root.path)/keys").files.map(\.name) == ["a.key", "b.key"])
  }

  @Test("In a folder with other files each secret is excluded, and they are not")
  func otherFolder() throws {
    _ = try folder(".git")
    let place = try folder("plans")
    try Data("time: true\n".utf8).write(to: URL(fileURLWithPath: "\(place)/plan.yml"))
    try AccessKey.generate().write(to: "\(place)/a.key")
    try SimpleSecret.generate().write(to: "\(place)/b.secret")
    #expect(text("\(place)/.gitignore") == "# Secrets of herald-host\n/.gitignore\n/a.key\n/b.secret\n")
  }

  @Test("A .gitignore that somebody wrote is not changed: the secret is named instead")
  func foreign() throws {
    _ = try folder(".git")
    let place = try folder("plans")
    try Data("*.secret\n".utf8).write(to: URL(fileURLWithPath: "\(place)/.gitignore"))
    try AccessKey.generate().write(to: "\(place)/a.key")
    #expect(text("\(place)/.gitignore") == "*.secret\n")
    #expect(CheckoutExclusion.isMissing(of: "\(place)/a.key"))
    #expect(!CheckoutExclusion.isMissing(of: "\(place)/b.secret"))
  }

  @Test("Outside a checkout nothing is written")
  func outside() throws {
    try AccessKey.generate().write(to: "\(root.path)/keys/a.key")
    #expect(text("\(root.path)/keys/.gitignore") == nil)
    #expect(!CheckoutExclusion.isMissing(of: "\(root.path)/keys/a.key"))
  }
}
