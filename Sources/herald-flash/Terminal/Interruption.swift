import Dispatch
import Foundation
import HeraldConsole
import HeraldFlash
import HeraldHostLink
import HeraldText

/// Handles SIGINT while a board is being changed: prints the state of the board and advice.
final class Interruption: @unchecked Sendable {
  private let lock = NSLock()
  private var state = FlashFailure.BoardState.untouched
  private let stateHalfWay: FlashFailure.BoardState
  private let source: any DispatchSourceSignal

  /// Installs the handler; `advice` is the next command.
  init(stateHalfWay: FlashFailure.BoardState, advice: String) {
    self.stateHalfWay = stateHalfWay
    signal(SIGINT, SIG_IGN)
    source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
    source.setEventHandler { [self] in
      lock.lock()
      Console.note("")
      Console.note("herald-flash: interrupted")
      Console.note("  \(state.words)")
      Console.note("  → \(advice)")
      // The operation of the other thread is not awaited, except by a session that is being closed.
      OpenSessions.endAll()
      _exit(130)
    }
    // A signal that arrives before the source is active would be lost, and on a busy machine activation may
    // take longer than the first packets.
    let isThere = DispatchSemaphore(value: 0)
    source.setRegistrationHandler { isThere.signal() }
    source.resume()
    isThere.wait()
  }

  /// Records the state of the board during this step.
  func update(_ progress: FlashProgress) {
    lock.lock()
    defer { lock.unlock() }
    switch progress.step {
    case .erasing, .writing: state = stateHalfWay
    case .verifying: state = stateHalfWay == .partlyWritten ? .unverified : stateHalfWay
    case .waiting: break
    }
  }

  /// Restores the default action of SIGINT.
  func end() {
    source.cancel()
    signal(SIGINT, SIG_DFL)
  }
}

/// The command line of this process, for repetition.
enum GivenCommand {
  /// The command line, quoted for a shell.
  static var text: String {
    (["herald-flash"] + CommandLine.arguments.dropFirst()).map(quoted).joined(separator: " ")
  }

  /// A word, quoted for a shell.
  static func quoted(_ word: String) -> String {
    let isPlain =
      !word.isEmpty
      && word.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
          || "-_./:=+,@%".utf8.contains(byte)
      }
    if isPlain { return word }
    if PrintableText.of(word, limit: .max) == word {
      return "'" + word.replacingOccurrences(of: "'", with: "'\\''") + "'"
    }
    // What has an effect on a terminal is written in numbers, in a form of bash and zsh.
    let text = word.utf8.map { byte in
      let isPlain = (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "'") && byte != UInt8(ascii: "\\")
      return isPlain ? String(UnicodeScalar(byte)) : "\\x" + CollectionOfOne(byte).hexadecimal
    }
    return "$'\(text.joined())'"
  }
}
