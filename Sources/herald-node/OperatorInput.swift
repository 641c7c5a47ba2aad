import HeraldLinux
import Logging

/// Standard input: commands to the running device.
struct OperatorInput: ~Copyable {
  private var input = LineInput(descriptor: 0)
  private let logger: Logger

  init(_ logger: Logger) { self.logger = logger }

  func prepare(_ polls: inout PollSet) { input.prepare(&polls) }

  /// Reads available commands; `obey` executes one and returns the error text, if any.
  mutating func serve(_ obey: (DeviceCommand) -> String?) {
    let logger = logger
    var line = input.lineCount
    input.read {
      line += 1
      if let complaint = Self.answer($0, obey) { logger.error("standard input, line \(line): \(complaint)") }
    }
  }

  private static func answer(_ line: LineInput.Line, _ obey: (DeviceCommand) -> String?) -> String? {
    switch line {
    case .tooLong: return "it has more than \(LineInput.longestLine) bytes"
    case .text(let bytes):
      do throws(DeviceCommandError) {
        guard let command = try DeviceCommand(bytes) else { return nil }
        return obey(command)
      } catch {
        return error.rawValue
      }
    }
  }
}
