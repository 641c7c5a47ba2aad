import Foundation
import HeraldConsole
import HeraldHostLink
import HeraldText

/// Remarks on devices and their files, each of which is printed once with all that it is about. Thread-safe.
final class FleetRemarks: @unchecked Sendable {
  /// The subject of a remark; what it is about is a file or a device.
  enum Kind: Hashable {
    /// A file with a new access key, or a new secret.
    case newKey, newSecret
    /// A file that other users can read, or that git would commit.
    case openToOthers, committable
    /// A device that gets its first access key, or keys of a payload, over an open link.
    case firstKey, plainPayload
    /// A device with an open debug port.
    case openDebugPort
    /// A device whose payload any other one provisioned with the same file would offer, too.
    case sharedPayload
    /// A device whose clock or settings are worth this remark.
    case device(String)
  }

  /// The most subjects that are named.
  private static let mostNamed = 3

  private let lock = NSLock()
  private var kinds: [Kind] = []
  private var subjects: [Kind: [String]] = [:]

  /// Adds a remark on a file or device.
  func note(_ kind: Kind, _ subject: String) {
    let subject = PrintableText.of(subject, limit: 256)
    lock.withLock {
      if subjects[kind] == nil { kinds.append(kind) }
      if subjects[kind]?.contains(subject) != true { subjects[kind, default: []].append(subject) }
    }
  }

  /// Adds a remark on the file of a secret.
  func note(_ remark: PayloadFile.Remark) {
    switch remark {
    case .made(let path):
      note(.newSecret, path)
      noteNew(file: path)
    case .openToOthers(let path): note(.openToOthers, path)
    }
  }

  /// Adds a remark on a new file with a secret that git would commit.
  func noteNew(file path: String) {
    if CheckoutExclusion.isMissing(of: path) { note(.committable, path) }
  }

  /// Prints the remarks on standard error.
  func print() {
    for line in lock.withLock({ kinds.map { Self.text($0, subjects[$0]?.sorted() ?? []) } }) {
      Console.note("herald-host: \(line)")
    }
  }

  private static func text(_ kind: Kind, _ subjects: [String]) -> String {
    let rest = subjects.count - mostNamed
    let names = subjects.prefix(mostNamed).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    let count = subjects.count
    let isOne = count == 1
    return switch kind {
    case .newKey:
      isOne
        ? "wrote a new access key to \(names); keep this file, the device cannot be opened without it"
        : "wrote \(count) new access keys, \(names); keep these files, the devices cannot be opened without them"
    case .newSecret:
      isOne
        ? "made the secret \(names); keep it: nobody can tell without it whose the identifiers were"
        : "made \(count) secrets, \(names); keep them: nobody can tell without them whose the identifiers were"
    case .openToOthers:
      "users other than \(isOne ? "its owner" : "their owner") have access to \(names); `chmod 600` \(isOne ? "it" : "them")"
    case .committable:
      "\(names) \(isOne ? "lies" : "lie") in a git checkout whose .gitignore does not exclude \(isOne ? "it" : "them"): add \(isOne ? "it" : "them") before the next commit"
    case .firstKey:
      isOne
        ? "\(names) gets its first access key: whoever listens on this cable learns it"
        : "\(count) devices get their first access keys, \(names): whoever listens on their cables learns them"
    case .plainPayload:
      isOne
        ? "\(names) has no access key: whoever listens on this cable learns the keys of its payload"
        : "\(count) devices have no access key, \(names): whoever listens on their cables learns the keys of their payloads"
    case .openDebugPort:
      isOne
        ? "the debug port of \(names) is open: who has the device reads its keys by it; `herald-flash lock` closes it"
        : "the debug ports of \(count) devices are open, \(names): who has a device reads its keys by it; `herald-flash lock` closes them"
    case .sharedPayload:
      "every device that gets this payload offers the same one: for badges of persons `family: fixed` with `identifier: random` gives each its own; `shared: true` says that one for all is meant"
    case .device(let remark): isOne ? "\(names): \(remark)" : "\(count) devices, \(names): \(remark)"
    }
  }
}
