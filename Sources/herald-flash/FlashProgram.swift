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
      11 a file, or the output, could not be read or written; 12 image and board do not fit; 13 the chip is locked; 14 the board holds something else than the image; \
      15 this way in cannot do that; 16 not confirmed; 18 the device did not prove that it is the one whose access key this computer has; \
      19 the image is not signed with a trusted key; 20 it is older than what runs; 64 the command line makes no sense; 130 interrupted.

      Example: `herald-flash write --board microbit2`
      """,
    version: "\(HeraldRelease.version)",
    subcommands: [
      List.self, WriteImage.self, Verify.self, Erase.self, Lock.self, Reset.self, Confirm.self, Info.self,
      Convert.self,
      Sign.self, Boards.self,
    ])

  static func main() {
    StandardStream.prepare()
    CoreDumps.prevent()
    let arguments = Array(CommandLine.arguments.dropFirst())
    if let mistake = CommandWords.mistake(in: arguments, of: Self.self) {
      fail(
        FlashFailure(.link(.usage), mistake.what, state: .untouched, advice: mistake.advice),
        saysState: false, asJSON: arguments.contains("--json"))
    }
    var status: Int32 = 0
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
      status = Console.report(error, of: Self.self)
    }
    end(status, asJSON: arguments.contains("--json"))
  }

  private static func fail(_ failure: FlashFailure, saysState: Bool, asJSON: Bool) -> Never {
    Console.complain(failure, saysState: saysState)
    if asJSON { try? Console.printJSON(FailureRow(failure)) }
    end(failure.cause.exitStatus, asJSON: asJSON)
  }

  private static func end(_ status: Int32, asJSON: Bool) -> Never {
    Console.end(status, as: "herald-flash") { what, advice in
      // A failure of the command has been printed already.
      guard asJSON, status == 0 else { return }
      try? Console.printJSON(
        FailureRow(FlashFailure(.link(.storage), what, state: .untouched, advice: advice)))
    }
  }
}

extension FlashFailure.Cause {
  /// The exit status for the cause. These numbers are documented and stable; those for links are the same as
  /// in herald-host.
  var exitStatus: Int32 {
    switch self {
    case .link(let cause): cause.exitStatus
    case .image: 1
    case .doesNotFit: 12
    case .locked: 13
    case .different: 14
    case .cannot: 15
    case .signature: 19
    case .older: 20
    }
  }
}
