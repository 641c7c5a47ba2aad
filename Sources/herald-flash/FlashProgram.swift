import ArgumentParser
import HeraldConsole
import HeraldEmbedded
import HeraldFlash
import HeraldHostLink
import HeraldSystem

/// The command line tool that writes firmware to boards: `herald-flash`.
@main
struct FlashProgram: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "herald-flash",
    abstract: "Gets firmware onto boards, and looks at firmware images.",
    discussion: """
      WHERE, for --to, is one of the places that `herald-flash list` prints:
      \(ProgrammingMethod.all.map { "  \($0.kind.rawValue):\($0.form)" }.joined(separator: "\n"))
      Without --to it is the only board that can be reached and is the right one.

      Exit status: 0 done; 1 the file is no firmware image, or none can be made of it; 2 no board; 3 several boards; 4 no permission; 5 in use; \
      6 the link could not be opened, or broke; 7 no answer; 8 the board answered nonsense; 9 the board refused; 10 done in part; \
      11 a file could not be read or written; 12 image and board do not fit; 13 the chip is locked; 14 the board holds something else than the image; \
      15 this way in cannot do that; 16 not confirmed; 18 the device did not prove that it is the one whose access key this computer has; \
      19 the image is not signed with a trusted key; 20 it is older than what runs; 64 the command line makes no sense; 130 interrupted.
      """,
    version: "\(HeraldRelease.version)",
    subcommands: [
      List.self, WriteImage.self, Verify.self, Erase.self, Lock.self, Reset.self, Confirm.self, Info.self,
      Convert.self,
      Sign.self, Boards.self,
    ])

  static func main() {
    CoreDumps.prevent()
    let arguments = Array(CommandLine.arguments.dropFirst())
    if let mistake = CommandWords.mistake(in: arguments, of: Self.self) {
      fail(
        FlashFailure(.link(.usage), mistake.what, state: .untouched, advice: mistake.advice),
        saysState: false, asJSON: arguments.contains("--json"))
    }
    do {
      var command = try parseAsRoot()
      do {
        try command.run()
      } catch let failure as FlashFailure {
        let reporting = command as? any ReportsFailures
        fail(
          failure, saysState: reporting?.changesBoard ?? false, asJSON: reporting?.display.json ?? false)
      }
    } catch {
      if arguments.contains("--json"), exitCode(for: error) == .validationFailure {
        let failure = FlashFailure(.link(.usage), message(for: error), state: .untouched)
        try? Console.printJSON(FailureRow(failure))
      }
      exit(withError: error)
    }
  }

  private static func fail(_ failure: FlashFailure, saysState: Bool, asJSON: Bool) -> Never {
    Console.complain(failure, saysState: saysState)
    if asJSON { try? Console.printJSON(FailureRow(failure)) }
    exit(withError: failure.cause.exitStatus)
  }
}

extension FlashFailure.Cause {
  /// The exit status for the cause. These numbers are documented and stable; those for links are the same as
  /// in herald-host.
  var exitStatus: ExitCode {
    switch self {
    case .link(let cause): ExitCode(cause.exitStatus)
    case .image: ExitCode(1)
    case .doesNotFit: ExitCode(12)
    case .locked: ExitCode(13)
    case .different: ExitCode(14)
    case .cannot: ExitCode(15)
    case .signature: ExitCode(19)
    case .older: ExitCode(20)
    }
  }
}
