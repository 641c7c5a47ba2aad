import ArgumentParser
import HeraldConsole
import HeraldEmbedded
import HeraldHostLink
import HeraldSystem

/// The command line tool for Herald devices: `herald-host`.
@main
struct HeraldHost: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "herald-host",
    abstract: "Talks to Herald wearables and beacons, and fetches their logs.",
    discussion: """
      DEVICE, for --device, is one of
        usb:BUS-PORT              a device plugged into this computer, by its place
        SERIAL                    the same, by its serial number
        usbip://HOST[:PORT]/BUSID a device that a USB/IP server offers, such as herald-node --usbip
        serial:/dev/NAME          a serial line or pseudo terminal
        serial:tcp:HOST:PORT      a serial line inside a TCP stream
      Without --device it is the only device plugged into this computer.

      Exit status: 0 done; 1 doctor found a problem of this computer; 2 no device; 3 several devices; 4 no permission; 5 in use; 6 the link could not be
      opened, or broke; 7 no answer; 8 the device answered nonsense; 9 the device refused; 10 done in part, what is here is kept;
      11 a file, or the output, could not be read or written; 12 nothing is recorded of what was asked for; 16 not confirmed; 17 doctor found a problem of a device, and none of this computer; \
      18 the device did not prove that it is the one whose access key this computer has; 64 the command line makes no sense. \
      With --json a failure without a result is the object {"error": {…}} on standard output.

      Example: `herald-host log pull --output logs/dora`
      """,
    version: "\(HeraldRelease.version)",
    subcommands: [
      Devices.self, Info.self, Status.self, Time.self, LogCommands.self, Report.self, Stats.self,
      Simulate.self, Practice.self, PayloadCommands.self, Provision.self, Capture.self, Doctor.self,
      Config.self,
      FactoryReset.self, ArchiveCommands.self, Contacts.self, Export.self, DockCommand.self,
      EfficacyCommand.self, OwnerKeyCommands.self, UdevRule.self,
    ])

  static func main() {
    StandardStream.prepare()
    CoreDumps.prevent()
    let arguments = Array(CommandLine.arguments.dropFirst())
    var status: Int32 = 0
    do {
      if let mistake = CommandWords.mistake(in: arguments, of: Self.self) {
        throw HostLinkError(.usage, mistake.what, advice: mistake.advice)
      }
      var command = try parseAsRoot()
      try command.run()
    } catch let error as HostLinkError {
      // `end` says that the output could not be written.
      if error.what != Console.complaint { Console.complain(error) }
      if arguments.contains("--json") { Console.printError(ErrorRow(error)) }
      status = error.cause.exitStatus
    } catch {
      // The argument parser prints its messages as text; with `--json` they are also printed as JSON.
      if arguments.contains("--json"), exitCode(for: error) == .validationFailure {
        Console.printError(ErrorRow(HostLinkError(.usage, message(for: error))))
      }
      status = Console.report(error, of: Self.self)
    }
    Console.end(status, as: "herald-host") { what, advice in
      if arguments.contains("--json") {
        Console.printError(ErrorRow(HostLinkError(.storage, what, advice: advice)))
      }
    }
  }
}
