import Glibc
import HeraldEmbedded
import HeraldNeighbours
import HeraldText

/// The day codes of C19X, as exported by a host: only the remaining days, never the secret.
///
/// A text file with one entry per line: `first-day N`; `epoch-day N` (days since 1970-01-01) if day 0 is not
/// 2020-01-01 as on phones; then the code of each day, 16 hexadecimal digits, at most 90. `#` begins a
/// comment.
///
/// The memory is wiped when the value is destroyed.
package struct DayCodeFile: ~Copyable {
  private static let capacity = 16384

  private let path: String
  private var firstDay = -1
  private var epochDay = C19X.phonesEpochDay
  private var codes: SecretBytes
  /// Whether users other than the owner can read or write the file.
  package private(set) var isOpenToOthers = false

  /// Reads a file.
  package init(_ path: String) throws(SystemFailure) {
    self.path = path
    codes = SecretBytes(capacity: C19X.longestWindow * C19XSchedule.dayCodeSize)
    let file = FileDescriptor(open(path, O_RDONLY | O_CLOEXEC))
    guard file.isOpen else {
      throw SystemFailure("read", path, code: errno, advice: "c19x:FILE names a file with day codes")
    }
    var attributes = stat()
    isOpenToOthers = fstat(file.number, &attributes) == 0 && attributes.st_mode & 0o077 != 0
    var text = SecretBytes(capacity: Self.capacity)
    let code = text.append(contentsOf: file)
    guard code == 0 else { throw SystemFailure("read", path, code: code) }
    let lines = text.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let words = line.prefix { $0 != UInt8(ascii: "#") }.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
      guard words.isEmpty || take(words) else {
        throw SystemFailure(
          "use", path, reason: "line \(index + 1) makes no sense, or is the code of a 91st day")
      }
    }
    guard firstDay >= 0 else { throw SystemFailure("use", path, reason: "it has no line `first-day N`") }
    guard codes.count > 0 else { throw SystemFailure("use", path, reason: "it has no codes") }
  }

  /// Passes the codes to a device.
  package func provide(to c19x: inout C19X) throws(SystemFailure) {
    do throws(KeyScheduleError) { try c19x.provide(firstDay: firstDay, dayCodes: codes.bytes.span) } catch {
      throw SystemFailure(
        "use", path,
        reason:
          "its last day is after day \(C19XSchedule.lastDay), where the schedule ends: a new epoch is needed"
      )
    }
    c19x.epochDay = epochDay
  }

  private typealias Word = Slice<UnsafeBufferPointer<UInt8>>

  private mutating func take(_ words: [Word]) -> Bool {
    if words.count == 1 { return takeCode(words[0]) }
    guard words.count == 2, words[1].allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let value = UInt16(String(decoding: words[1], as: UTF8.self))
    else { return false }
    switch String(decoding: words[0], as: UTF8.self) {
    case "first-day": firstDay = Int(value)
    case "epoch-day": epochDay = Int32(value)
    default: return false
    }
    return true
  }

  private mutating func takeCode(_ digits: Word) -> Bool {
    guard digits.count == 2 * C19XSchedule.dayCodeSize else { return false }
    var rest = digits
    while let high = rest.popFirst(), let low = rest.popFirst() {
      guard let high = Hexadecimal.value(of: high), let low = Hexadecimal.value(of: low) else { return false }
      guard codes.append(high << 4 | low) else { return false }
    }
    return true
  }
}
