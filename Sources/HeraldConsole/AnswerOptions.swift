import ArgumentParser
import Foundation

/// What every conversation with a device needs: timeout, and the key of a device that is locked.
package struct AnswerOptions: ParsableArguments, Sendable {
  @Option(help: ArgumentHelp("How long an answer may take.", valueName: "seconds"))
  private var timeout: Double = 2

  @Option(
    name: .customLong("key-file"),
    help: ArgumentHelp(
      "The file with the access key of a device that is locked; {serial} in it stands for the device's serial number. The variable HERALD_KEY_FILE says the same.",
      valueName: "file"))
  private var namedKeyFile: String?

  /// Whether a device may have no access key although there is a file with one for it.
  @Flag(
    name: .customLong("new-device"),
    help:
      "The device is new, or was reset: go on although it has no access key and this computer has a file with one for it."
  )
  package var isNewDevice = false

  /// Options as if none were given.
  package init() {}

  /// Refuses a time that is none.
  package mutating func validate() throws {
    guard timeout > 0, timeout <= 3600 else {
      throw ValidationError("--timeout takes seconds, more than 0 and at most 3600.")
    }
  }

  /// Timeout of a response.
  package var responseTimeout: Duration { .milliseconds(Int64(timeout * 1000)) }

  /// The file with the access key, by the command line or else by the environment; `nil` if neither names
  /// one.
  package var keyFile: String? { namedKeyFile ?? ProcessInfo.processInfo.environment["HERALD_KEY_FILE"] }
}
