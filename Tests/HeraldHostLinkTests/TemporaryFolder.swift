import Foundation

/// A folder that is gone when the test is.
final class TemporaryFolder {
  let path: String

  init() {
    path = NSTemporaryDirectory() + "herald-" + UUID().uuidString
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
