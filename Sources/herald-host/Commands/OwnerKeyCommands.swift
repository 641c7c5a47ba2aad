import ArgumentParser
import HeraldConsole
import HeraldHostLink
import HeraldText

/// `herald-host owner-key`
struct OwnerKeyCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "owner-key", abstract: "Makes the key pair that logs are sealed with.",
    subcommands: [Make.self])

  /// `herald-host owner-key make`
  struct Make: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Makes a key pair: FILE opens logs, FILE.pub seals them.",
      discussion: """
        Devices get FILE.pub with `herald-host provision --owner-key-public FILE.pub`. FILE goes to no device. Without it no sealed log can be \
        read, by nobody: there is no other way to its contents.
        """)

    @Argument(help: "The file of the private key; it must not exist yet.")
    var file: String
    @OptionGroup var display: DisplayOptions

    private struct Row: Encodable {
      let file: String
      let publicFile: String
      let publicKey: String
    }

    func run() throws {
      Console.note(
        "herald-host: whoever loses this key loses every log that is sealed for it; keep a copy of \(PrintableText.of(file, limit: 256)) where nobody else finds it"
      )
      let key = OwnerKey.generate()
      try key.write(to: file)
      try display.show(
        Row(file: file, publicFile: "\(file).pub", publicKey: key.publicKey.hexadecimal)
      ) {
        Console.line("Private key: \(file)")
        Console.line("Public key: \(file).pub, \(key.publicKey.hexadecimal)")
      }
    }
  }
}
