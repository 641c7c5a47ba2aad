import ArgumentParser
import HeraldLinux

/// The arguments of the program with those of the file that `--config` names in front of them, so that the
/// command line has precedence.
enum ConfiguredArguments {
  /// Boolean options: `scan = no` in a file is `--no-scan`.
  static let switches: Set = [
    "advertise", "scan", "active-scan", "sharing", "read-model", "keep-connections",
    "stay-open",
  ]
  /// Options that may be given more than once.
  private static let lists: Set = ["link", "neighbour"]
  /// Options of the command line alone.
  private static let others: Set = ["config", "help", "version"]

  /// Puts `arguments` behind those of the file they name; they are the response if they name none.
  static func merged(_ arguments: [String]) throws -> [String] {
    guard let path = try configurationPath(arguments) else { return arguments }
    let file: ConfigurationFile
    do throws(SystemFailure) { file = try ConfigurationFile(path: path) } catch { throw ExitFailure(error) }
    let named = Set(arguments.compactMap(optionName))
    var merged: [String] = []
    var lines: [String: Int] = [:]
    for entry in file.entries {
      let argument: String
      do throws(Refusal) { argument = try self.argument(entry, after: lines[entry.name]) } catch {
        throw ExitFailure(file.failure(entry, error.reason))
      }
      lines[entry.name] = entry.line
      if !named.contains(entry.name) { merged.append(argument) }
    }
    return merged + arguments
  }

  /// The error of an entry of a file.
  private struct Refusal: Error {
    let reason: String
  }

  /// The argument an entry stands for, if the program takes it by itself.
  private static func argument(_ entry: ConfigurationFile.Entry, after earlier: Int?) throws(Refusal)
    -> String
  {
    if let earlier, !lists.contains(entry.name) {
      throw Refusal(reason: "`\(entry.name)` is already on line \(earlier)")
    }
    guard !others.contains(entry.name) else {
      throw Refusal(reason: "there is no option `\(entry.name)` for files")
    }
    let argument: String
    if switches.contains(entry.name) {
      switch entry.value {
      case "yes": argument = "--\(entry.name)"
      case "no": argument = "--no-\(entry.name)"
      default: throw Refusal(reason: "`\(entry.name)` is yes or no")
      }
    } else {
      argument = "--\(entry.name)=\(entry.value)"
    }
    // With what every command needs, so that nothing else can be wrong.
    let needed = ["--radio=tcp:localhost:1", "--storage=.", "--payload=test:1"]
    do { _ = try HeraldNodeCommand.parse(needed + [argument]) } catch {
      let message = HeraldNodeCommand.message(for: error)
      // The parser has requests of its own, which end the program well.
      let isUnknown =
        message.hasPrefix("Unknown option") || HeraldNodeCommand.exitCode(for: error) == .success
      throw Refusal(reason: isUnknown ? "there is no option `\(entry.name)`" : message)
    }
    return argument
  }

  /// The file the arguments name.
  private static func configurationPath(_ arguments: [String]) throws -> String? {
    var path: String?
    for (index, argument) in arguments.enumerated() where optionName(argument) == "config" {
      guard path == nil else { throw ValidationError("--config may be given once.") }
      if let sign = argument.firstIndex(of: "=") {
        path = String(argument[argument.index(after: sign)...])
      } else {
        guard index + 1 < arguments.count else { return nil }  // the parser says what is missing
        path = arguments[index + 1]
      }
    }
    return path
  }

  /// The name of the option an argument sets, as files have it; `nil` if it is none.
  private static func optionName(_ argument: String) -> String? {
    guard argument.hasPrefix("--"), argument.utf8.count > 2 else { return nil }
    let name = String(argument.dropFirst(2).prefix { $0 != "=" })
    guard name.hasPrefix("no-"), switches.contains(String(name.dropFirst(3))) else { return name }
    return String(name.dropFirst(3))
  }
}
