import ArgumentParser
import HeraldConsole
import HeraldHostLink

/// `herald-host doctor`
struct Doctor: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Looks at what keeps this computer and its devices from working together, and says what to do.",
    discussion: """
      Of the computer: USB, the udev rule, the group plugdev, ModemManager, serial lines. Of each device that can be opened: whether it answers, its \
      clock, its log and how much room that has, whether it offers a payload and until when, its radio, its battery by what the log says of it, its settings, its faults. \
      Exit status 1 says that there is a problem of this computer, 17 that there is one of a device and none of this computer.

      --fix installs the udev rule as /etc/udev/rules.d/70-herald.rules and has udev read it; that takes root, and nothing else is changed.

      Example: `herald-host doctor --json`
      """)

  @OptionGroup var fleet: FleetOptions
  @Option(
    name: .customLong("owner-key-public"),
    help: ArgumentHelp(
      "Your public key: a device that seals its log for another one is a problem; may be repeated.",
      valueName: "file"))
  var ownerKey: [String] = []
  @OptionGroup var display: DisplayOptions

  @Flag(help: "Install the udev rule; takes root.")
  var fix = false

  private struct Row: Encodable {
    let computer: [Finding]
    let devices: [DeviceRow]
    let fixed: [String]?
  }

  private struct DeviceRow: Encodable {
    let location: String
    let findings: [Finding]
  }

  func run() throws {
    let machine = MachineExamination()
    let owners = try ownerKey.map(OwnerKey.readPublic)
    let fixed = try fix ? machine.installRule() : nil
    var computer = machine.findings()
    var devices: [DeviceRow] = []
    do {
      _ = try LibUSB()
      computer.insert(Finding.usable, at: 0)
    } catch {
      computer.insert(Finding.unusable(error), at: 0)
    }
    computer.append(Finding.clock(.ofThisMachine))
    let muster = try muster()
    for selector in muster.selectors {
      devices.append(DeviceRow(location: selector?.text ?? "usb", findings: examine(selector, owners)))
    }
    for server in muster.absent {
      devices.append(DeviceRow(location: server.location, findings: [Finding.unreachable(server.error)]))
    }
    let row = Row(computer: computer, devices: devices, fixed: fixed)
    try display.show(row) {
      for line in fixed ?? [] { Console.line("doctor: \(line)") }
      show("This computer", computer)
      for device in devices { show(device.location, device.findings) }
      if devices.isEmpty {
        Console.line("")
        Console.line("No Herald device was found to be looked at.")
      }
    }
    func hasProblem(_ findings: [Finding]) -> Bool { findings.contains { $0.verdict == .problem } }
    if hasProblem(computer) { throw ExitCode(1) }
    if devices.contains(where: { hasProblem($0.findings) }) { throw ExitCode(17) }
  }

  /// The selected devices; all connected devices if none are selected.
  private func muster() throws -> FleetSelection {
    guard fleet.device.isEmpty, !fleet.all else { return try fleet.muster() }
    var muster = FleetSelection()
    for found in (try? DeviceDirectory.usbDevices()) ?? [] {
      muster.add(try DeviceSelector(found.location))
    }
    return muster
  }

  private func examine(_ selector: DeviceSelector?, _ owners: [[UInt8]]) -> [Finding] {
    do {
      return try fleet.link.withDevice(selector) { device, _ in
        DeviceExamination.findings(of: device, owners: owners)
      }
    } catch let error as HostLinkError {
      return [Finding.unreachable(error)]
    } catch {
      return []
    }
  }

  private func show(_ title: String, _ findings: [Finding]) {
    Console.line("")
    Console.line(title)
    for finding in findings {
      let mark =
        switch finding.verdict {
        case .good: "ok     "
        case .note: "note   "
        case .problem: "PROBLEM"
        }
      Console.line("  \(mark)  \(finding.what)")
      if let advice = finding.advice, finding.verdict != .good { Console.line("             → \(advice)") }
    }
  }
}
