import ArgumentParser
import HeraldConsole
import HeraldHostLink
import HeraldText

/// A file with a passphrase.
struct PassphraseOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A file whose first line is the key's passphrase; /dev/fd/3 is a descriptor. Without it the terminal asks.",
      valueName: "file"))
  var passphraseFile: String?

  /// The passphrase that was given; otherwise the terminal asks for that of the file `name`. `nil` without a
  /// terminal.
  func existing(of name: String) throws(HostLinkError) -> Passphrase? {
    if let passphraseFile { return try Self.read(passphraseFile) }
    return try Passphrase.ask("Passphrase of \(PrintableText.of(name, limit: 256)): ")
  }

  /// The passphrase for a new key; `nil` if it is to have none.
  func new(asks: Bool) throws(HostLinkError) -> Passphrase? {
    if let passphraseFile { return try Self.read(passphraseFile) }
    guard asks, let first = try Passphrase.ask("Passphrase (nothing: none): ", isOptional: true) else {
      return nil
    }
    guard let second = try Passphrase.ask("The same again: "), first.isSame(as: second) else {
      throw HostLinkError(
        .usage, "the two passphrases differ; no key was made", advice: "run the command again")
    }
    return first
  }

  private static func read(_ path: String) throws(HostLinkError) -> Passphrase {
    let passphrase = try Passphrase.read(path)
    if passphrase.isOpenToOthers { OwnerOptions.warn(path) }
    return passphrase
  }
}

/// The keys of the owner of sealed logs.
struct OwnerOptions: ParsableArguments {
  @Option(
    name: .customLong("owner-key"),
    help: ArgumentHelp(
      "The owner's private key, which opens sealed pages: a file that `herald-host owner-key make` made; or an opening, which `herald-host archive day-keys` made. May be repeated.",
      valueName: "file"))
  var ownerKey: [String] = []

  @OptionGroup var passphrase: PassphraseOptions

  /// Reads the keys; `nil` if none is named.
  func keys() throws(HostLinkError) -> SealedPageKeys? {
    guard !ownerKey.isEmpty else { return nil }
    return try SealedPageKeys.read(
      ownerKey, passphrase: { path throws(HostLinkError) in try passphrase.existing(of: path) },
      openToOthers: Self.warn)
  }

  /// Says that other users have access to a file with a secret.
  static func warn(_ path: String) {
    Console.note(
      "herald-host: users other than its owner have access to \(PrintableText.of(path, limit: 256)); `chmod 600` it"
    )
  }
}
