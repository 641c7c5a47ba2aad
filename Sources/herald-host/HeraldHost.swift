import ArgumentParser
import HeraldConsole
import HeraldHostLink

/// The command line for people who have Herald devices: `herald-host`.
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

      Exit status: 0 done; 1 doctor found a problem; 2 no device; 3 several devices; 4 no permission; 5 in use; 6 the link could not be
      opened, or broke; 7 no answer; 8 the device answered nonsense; 9 the device refused; 10 done in part, what is here is kept;
      11 a file could not be read or written; 64 the command line makes no sense.
      """,
    subcommands: [
      Devices.self, Info.self, Status.self, Time.self, LogCommands.self, Report.self, Stats.self,
      Simulate.self, PayloadCommands.self, Provision.self, Capture.self, Doctor.self, Config.self,
      FactoryReset.self,
      UdevRule.self,
    ])

  static func main() {
    do {
      var command = try parseAsRoot()
      do {
        try command.run()
      } catch let error as HostLinkError {
        Console.complain(error)
        exit(withError: ExitCode(error.cause.exitStatus))
      }
    } catch {
      exit(withError: error)
    }
  }
}
