import ArgumentParser
import HeraldConsole
import HeraldHostLink

/// The key of the owner of sealed logs.
struct OwnerOptions: ParsableArguments {
  @Option(
    name: .customLong("owner-key"),
    help: ArgumentHelp(
      "The owner's private key, which opens sealed pages: a file that `herald-host owner-key make` made.",
      valueName: "file"))
  var ownerKey: String?

  /// Reads the key; `nil` if none is named.
  func key() throws(HostLinkError) -> OwnerKey? {
    guard let ownerKey else { return nil }
    let key = try OwnerKey.read(ownerKey)
    if key.isOpenToOthers {
      Console.note("herald-host: users other than its owner have access to \(ownerKey); `chmod 600` it")
    }
    return key
  }
}
