import ArgumentParser
import HeraldLinux

/// The arguments of the program, preceded by those of the file given by `--config`, so that the command line
/// has precedence.
enum ConfiguredArguments {
  /// Boolean options: `scan = no` in a file is `--no-scan`.
  static let switches: Set = [
    "advertise", "scan", "active-scan", "sharing", "read-model", "keep-connections",
    "stay-open", "bluetooth-management",
  ]
  /// Options that may be given more than once.
  private static let lists: Set = ["link", "neighbour"]
  /// Options that are valid only on the command line.
  private static let others: Set = ["config", "help", "version"]

  /// Returns `arguments` preceded by those of the file given in them; unchanged if there is none.
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

  /// The argument for an entry. Throws if the program does not accept it.
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
    // Together with the required options, so that only the entry can be invalid.
    let needed = ["--radio=tcp:localhost:1", "--storage=.", "--payload=test:1"]
    do { _ = try HeraldNodeCommand.parse(needed + [argument]) } catch {
      let message = HeraldNodeCommand.message(for: error)
      // Help and version requests of the argument parser are no errors of the parser, but unknown in a file.
      let isUnknown =
        message.hasPrefix("Unknown option") || HeraldNodeCommand.exitCode(for: error) == .success
      guard isUnknown else { throw Refusal(reason: message) }
      let parts = message.split(separator: "Did you mean '--", maxSplits: 1)
      let nearest = parts.count == 2 ? "; did you mean `\(parts[1].prefix { $0 != "'" })`?" : ""
      throw Refusal(reason: "there is no option `\(entry.name)`\(nearest)")
    }
    return argument
  }

  /// The path of the file given in the arguments.
  private static func configurationPath(_ arguments: [String]) throws -> String? {
    var path: String?
    for (index, argument) in arguments.enumerated() where optionName(argument) == "config" {
      guard path == nil else { throw ValidationError("--config may be given once.") }
      if let sign = argument.firstIndex(of: "=") {
        path = String(argument[argument.index(after: sign)...])
      } else {
        guard index + 1 < arguments.count else { return nil }  // the parser reports the error
        path = arguments[index + 1]
      }
    }
    return path
  }

  /// The name of the option set by an argument, as in files; `nil` if it sets none.
  private static func optionName(_ argument: String) -> String? {
    guard argument.hasPrefix("--"), argument.utf8.count > 2 else { return nil }
    let name = String(argument.dropFirst(2).prefix { $0 != "=" })
    guard name.hasPrefix("no-"), switches.contains(String(name.dropFirst(3))) else { return name }
    return String(name.dropFirst(3))
  }
}
