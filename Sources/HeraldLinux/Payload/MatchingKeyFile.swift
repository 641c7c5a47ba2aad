import Glibc
import HeraldEmbedded
import HeraldText

/// The matching keys of a simple payload, as exported by a host: only the remaining days, never the secret.
///
/// A text file with one entry per line: `country`, `state`, `first-day` and, if it is not that of phones,
/// `epoch` (Unix seconds), each with its number; then the matching key of each day, 64 hexadecimal digits.
/// `#` begins a comment.
///
/// The memory is wiped when the value is destroyed.
struct MatchingKeyFile: ~Copyable {
  /// The maximum size of a file in bytes: several times that of 90 keys with comments.
  private static let capacity = 65536

  private let path: String
  private(set) var country: UInt16 = 0
  private(set) var state: UInt16 = 0
  private(set) var epoch = KeyScheduleEpoch.phones
  private var firstDay = -1
  /// Whether users other than the owner can read the file.
  let isOpenToOthers: Bool
  private var keys: SecretBytes

  private init(path: String, isOpenToOthers: Bool) {
    self.path = path
    self.isOpenToOthers = isOpenToOthers
    keys = SecretBytes(capacity: Self.capacity)
  }

  /// Reads a file.
  static func read(_ path: String) throws(SystemFailure) -> MatchingKeyFile {
    let file = FileDescriptor(open(path, O_RDONLY | O_CLOEXEC))
    guard file.isOpen else {
      throw SystemFailure(
        "read", path, code: errno,
        advice:
          "simple:KEYFILE names a file with matching keys; `herald-host payload simple --generate` makes one")
    }
    var attributes = stat()
    let isOpenToOthers = fstat(file.number, &attributes) == 0 && attributes.st_mode & 0o077 != 0
    var keys = MatchingKeyFile(path: path, isOpenToOthers: isOpenToOthers)
    try keys.take(contentsOf: file)
    guard keys.firstDay >= 0 else {
      throw SystemFailure("use", path, reason: "it has no line `first-day N`")
    }
    return keys
  }

  /// Creates a key store from the keys.
  func makeStore() throws(SystemFailure) -> InlineMatchingKeys<90> {
    var store = InlineMatchingKeys<90>()
    do throws(KeyScheduleError) { try store.provide(firstDay: firstDay, keys: keys.bytes.span) } catch {
      throw SystemFailure("use", path, reason: Self.words(for: error))
    }
    return store
  }

  private mutating func take(contentsOf file: borrowing FileDescriptor) throws(SystemFailure) {
    var text = SecretBytes(capacity: Self.capacity)
    let code = text.append(contentsOf: file)
    guard code == 0 else { throw SystemFailure("read", path, code: code) }
    let lines = text.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let words = line.prefix { $0 != UInt8(ascii: "#") }.split { Self.isBlank($0) }
      guard words.isEmpty || take(words) else {
        throw SystemFailure("use", path, reason: "line \(index + 1) makes no sense")
      }
    }
  }

  private typealias Word = Slice<UnsafeBufferPointer<UInt8>>

  private mutating func take(_ words: [Word]) -> Bool {
    if words.count == 1 { return takeKey(words[0]) }
    guard words.count == 2 else { return false }
    // `UInt64` would accept a sign.
    guard words[1].allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let value = UInt64(String(decoding: words[1], as: UTF8.self))
    else { return false }
    switch String(decoding: words[0], as: UTF8.self) {
    case "country":
      guard let value = UInt16(exactly: value) else { return false }
      country = value
    case "state":
      guard let value = UInt16(exactly: value) else { return false }
      state = value
    case "epoch": epoch = KeyScheduleEpoch(unixSeconds: value)
    case "first-day":
      guard let value = UInt16(exactly: value) else { return false }
      firstDay = Int(value)
    default: return false
    }
    return true
  }

  private mutating func takeKey(_ digits: Word) -> Bool {
    guard digits.count == 64 else { return false }
    var rest = digits
    while let high = rest.popFirst(), let low = rest.popFirst() {
      guard let high = Hexadecimal.value(of: high), let low = Hexadecimal.value(of: low) else { return false }
      guard keys.append(high << 4 | low) else { return false }
    }
    return true
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
  }

  /// The reason why keys were refused, for the user.
  private static func words(for error: KeyScheduleError) -> String {
    switch error {
    case .pastEnd: "its last day is after day 2000, where the schedule ends: a new epoch is needed"
    case .emptyWindow: "it has no keys"
    case .bufferTooSmall: "it has keys of more than 90 days"
    case .zeroKey: "one of its keys is all zeros"
    case .keyLength, .secretLength, .beforeEpoch: "its keys are not 32 bytes each"
    }
  }
}
