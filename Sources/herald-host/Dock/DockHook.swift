import Foundation
import HeraldHostLink

/// A program that is run for each collected device. It is started directly, without a shell and without
/// arguments: text from a device is in environment variables only.
struct DockHook: Sendable {
  /// The time in seconds after which the program is ended.
  static let longest: TimeInterval = 60

  private let path: String

  /// - Throws: `.usage` if `path` is not a program.
  init(_ path: String) throws(HostLinkError) {
    let absolute = URL(fileURLWithPath: path).standardizedFileURL.path
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: absolute, isDirectory: &isFolder), !isFolder.boolValue,
      access(absolute, X_OK) == 0
    else {
      throw HostLinkError(
        .usage, "--exec \(path) is not a program that can be run",
        advice: "name a file, and make it executable with `chmod +x`; it is run without a shell and arguments"
      )
    }
    self.path = absolute
  }

  /// Runs the program with these variables, and waits for it. Its output goes to standard error.
  /// - Throws: `.partial` if it could not be run, failed, or did not end.
  func run(_ variables: [String: String]) throws(HostLinkError) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.environment = ProcessInfo.processInfo.environment.merging(variables) { _, new in new }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.standardError
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    do { try process.run() } catch {
      throw HostLinkError(.partial, "\(path) could not be run", advice: "check the file and its first line")
    }
    if ended.wait(timeout: .now() + Self.longest) == .timedOut {
      kill(process.processIdentifier, SIGKILL)
      ended.wait()
      throw HostLinkError(
        .partial, "\(path) did not end within \(Int(Self.longest)) s and was killed",
        advice: "have it start what takes longer in the background")
    }
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      let how = process.terminationReason == .exit ? "status" : "signal"
      throw HostLinkError(
        .partial, "\(path) ended with \(how) \(process.terminationStatus)",
        advice: "what it printed is above")
    }
  }
}
