import ArgumentParser
import HeraldText

/// The words of a command line that choose a command.
package enum CommandWords {
  /// A word that stands where a command is wanted, and is none.
  package struct Mistake: Equatable, Sendable {
    /// What is wrong.
    package let what: String
    /// The command that was probably meant, or the one that lists all.
    package let advice: String
  }

  /// The first word of `arguments` that is no command of `root`'s; `nil` if all are, or an option comes
  /// first.
  package static func mistake(in arguments: [String], of root: any ParsableCommand.Type) -> Mistake? {
    var command = root
    var path = [root._commandName]
    for (index, word) in arguments.enumerated() {
      // Behind `help` are the words of a command.
      if index == 0, word == "help" { continue }
      let below = command.configuration.subcommands
      guard !below.isEmpty, !word.hasPrefix("-") else { return nil }
      guard let next = below.first(where: { $0._commandName == word }) else {
        return mistake(word, under: command, path, root)
      }
      command = next
      path.append(word)
    }
    return nil
  }

  private static func mistake(
    _ word: String, under command: any ParsableCommand.Type, _ path: [String],
    _ root: any ParsableCommand.Type
  ) -> Mistake {
    let commandText = path.joined(separator: " ")
    let what = "there is no command `\(commandText) \(PrintableText.of(word, limit: 40))`"
    // A command of the same group is meant before one of another.
    let near = candidates(below: command, path)
    let all = near + candidates(below: root, [root._commandName])
    guard let name = NearestWord.of(word, in: all.map(\.name)),
      let meant = all.first(where: { $0.name == name })
    else { return Mistake(what: what, advice: "`\(commandText) --help` lists the commands") }
    return Mistake(what: what, advice: "did you mean `\(meant.line)`?")
  }

  /// Every command below one, with the line that calls it; those nearest to it first.
  private static func candidates(below command: any ParsableCommand.Type, _ path: [String]) -> [(
    name: String, line: String
  )] {
    let below = command.configuration.subcommands
    return below.map { ($0._commandName, (path + [$0._commandName]).joined(separator: " ")) }
      + below.flatMap { candidates(below: $0, path + [$0._commandName]) }
  }
}
