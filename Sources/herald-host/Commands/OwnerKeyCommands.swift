import ArgumentParser
import Foundation
import HeraldConsole
import HeraldHostLink
import HeraldText

/// `herald-host owner-key`
struct OwnerKeyCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "owner-key", abstract: "Makes the key pair that logs are sealed with, and keeps it.",
    discussion: "Example: `herald-host owner-key make ward.key`",
    subcommands: [Make.self, Recovery.self, Restore.self])

  /// What was written.
  private struct Row: Encodable {
    let file: String
    let publicFile: String
    let publicKey: String
    let isProtected: Bool

    init(_ key: OwnerKey, _ file: String, isProtected: Bool) {
      (self.file, publicFile, publicKey) = (file, "\(file).pub", key.publicKey.hexadecimal)
      self.isProtected = isProtected
    }

    func show() {
      Console.line(
        "Private key: \(file)\(isProtected ? ", protected with the passphrase" : ", not protected with a passphrase")"
      )
      Console.line("Public key: \(file).pub, \(publicKey)")
    }
  }

  /// `herald-host owner-key make`
  struct Make: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Makes a key pair: FILE opens logs, FILE.pub seals them.",
      discussion: """
        Devices get FILE.pub with `herald-host provision --owner-key-public FILE.pub`. FILE goes to no device. Without it no sealed log can be \
        read, by nobody: there is no other way to its contents. `herald-host owner-key recovery FILE` prints a copy for paper.

        With a passphrase FILE is PKCS #8 in PEM (PBES2 with scrypt and AES-256), which `openssl pkey` opens; without one it has the 32 bytes of the key.

        Example: `herald-host owner-key make ward.key`
        """)

    @Argument(help: "The file of the private key; it must not exist yet.")
    var file: String
    @OptionGroup var passphrase: PassphraseOptions
    @Flag(help: "Ask nothing: neither for a confirmation nor for a passphrase.")
    var yes = false
    @OptionGroup var display: DisplayOptions

    func run() throws {
      Console.note(
        "herald-host: whoever loses this key loses every log that is sealed for it; keep a copy of \(PrintableText.of(file, limit: 256)) where nobody else finds it"
      )
      let isInteractive = !yes && isatty(STDIN_FILENO) == 1
      guard !isInteractive || Confirmation.isGiven("Make it?") else {
        throw HostLinkError(
          .notConfirmed, "not confirmed; no key was made", advice: "with --yes no confirmation is requested")
      }
      let given = try passphrase.new(asks: isInteractive)
      let key = OwnerKey.generate()
      try key.write(to: file, passphrase: given)
      let row = Row(key, file, isProtected: given != nil)
      try display.show(row) { row.show() }
    }
  }

  /// `herald-host owner-key recovery`
  struct Recovery: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Prints a private key for paper: 14 groups of five characters.",
      discussion: """
        Whoever has the paper has the key: no passphrase protects it. `herald-host owner-key restore` reads it back, and names a group with a typing error.

        Example: `herald-host owner-key recovery ward.key`
        """)

    @Argument(help: "The file of the private key.")
    var file: String
    @OptionGroup var passphrase: PassphraseOptions

    func run() throws {
      let key = try OwnerKey.read(file) { () throws(HostLinkError) in try passphrase.existing(of: file) }
      if key.isOpenToOthers { OwnerOptions.warn(file) }
      key.showRecoveryCode { Console.data($0) }
      Console.note(
        "herald-host: whoever has this paper can read every log that is sealed for \(key.publicKey.prefix(4).hexadecimal)…"
      )
    }
  }

  /// `herald-host owner-key restore`
  struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Makes the files of a key again, from its copy on paper.",
      discussion: """
        Type the 14 groups, with spaces or new lines between them, and end with Ctrl-D; or name a file with --from. Capital and small letters are the same, and \
        the letters I, L and O are read as 1, 1 and 0.

        Example: `herald-host owner-key restore ward.key`
        """)

    @Argument(help: "The file of the private key; it must not exist yet.")
    var file: String
    @Option(help: ArgumentHelp("A file with the groups, instead of standard input.", valueName: "file"))
    var from = "/dev/stdin"
    @OptionGroup var passphrase: PassphraseOptions
    @OptionGroup var display: DisplayOptions

    func run() throws {
      let isInteractive = isatty(STDIN_FILENO) == 1
      if isInteractive, from == "/dev/stdin" { Console.note("Type the groups, then Ctrl-D:") }
      let key = try OwnerKey.restore(from)
      let given = try passphrase.new(asks: isInteractive)
      try key.write(to: file, passphrase: given)
      let row = Row(key, file, isProtected: given != nil)
      try display.show(row) { row.show() }
    }
  }
}
