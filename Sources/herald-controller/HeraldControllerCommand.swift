import ArgumentParser
import Glibc
import HeraldBluetooth
import HeraldConsole
import HeraldEmbedded
import HeraldLinux
import HeraldSystem

/// The controller as a process.
@main
struct HeraldControllerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "herald-controller",
    abstract: "Runs a Bluetooth LE controller as a process, on a simulated 2.4 GHz medium.",
    discussion: """
      The controller is Herald's own link layer. A host connects to it over TCP and speaks HCI with H4 framing, or attaches it as a USB device. The medium is another process \
      (Tests/Air/medium.py, or BabbleSim's phy), and simulated time begins when the host has connected: it stands while the host computes, and runs \
      faster than real time otherwise.

      On standard output it writes `hci HOST:PORT`, or `usbip HOST:PORT/BUSID`, when it waits for the host. It ends when the simulation ends or the host disconnects; \
      a device that is detached from USB can be attached again.

      Example: `herald-controller --air test:0 --hci tcp:0`
      """,
    version: "\(HeraldRelease.version)")

  @Option(
    help: ArgumentHelp(
      "The position on the medium: SIMULATION:N, the name of the simulation and the number of the device.",
      valueName: "simulation:n"), transform: { try PhyAddress($0) })
  var air: PhyAddress

  @Option(
    help: ArgumentHelp("Where to wait for the host: tcp:PORT (0: any).", valueName: "tcp:port"),
    transform: { try HostAddress($0) })
  var hci: HostAddress?

  @Option(
    help: ArgumentHelp(
      "Be a Bluetooth controller on USB, served as USB/IP on this port of this machine, in place of --hci; 0 takes any, 3240 is the usual one. Simulated time begins when a host has attached it, and is not faster than real time.",
      valueName: "port"))
  var usbip: UInt16?

  @Flag(help: "Have EDTT, a program of conformance tests on the same medium, as the host, in place of --hci.")
  var edtt = false

  @Option(
    help: ArgumentHelp(
      "The public device address, XX:XX:XX:XX:XX:XX, or none (default: one that contains the number of the device).",
      valueName: "address"), transform: { try PublicAddress($0) })
  var address: PublicAddress?

  @Option(help: "The seed of the random delays and access addresses. Equal seeds give equal simulations.")
  var seed: UInt32 = 1

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How much too fast the device's clock is, in ppm, -500 to 500. The controller declares the accuracy that follows.",
      valueName: "ppm"))
  var drift = 0

  @Option(
    help: ArgumentHelp(
      "How often the controller looks for commands and data of its host, in milliseconds of simulated time, 1 to 100. Simulations of many devices are faster with longer intervals.",
      valueName: "ms"))
  var poll = 1

  func validate() throws {
    guard [hci != nil, usbip != nil, edtt].count(where: { $0 }) == 1 else {
      throw ValidationError("The host is one of --hci tcp:PORT, --usbip PORT and --edtt.")
    }
    guard (1...100).contains(poll) else { throw ValidationError("--poll takes 1 to 100 milliseconds.") }
    guard (-500...500).contains(drift) else { throw ValidationError("--drift takes -500 to 500 ppm.") }
  }

  static func main() {
    StandardStream.prepare()
    var status: Int32 = 0
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch {
      status = Console.report(error, of: Self.self)
    }
    Console.end(status, as: "herald-controller")
  }

  func run() throws {
    do throws(SystemFailure) {
      if let hci {
        try serve(hci)
      } else if let usbip {
        try serveUSBIP(usbip)
      } else {
        try serveEDTT()
      }
    } catch {
      throw ExitFailure(error)
    }
  }

  private func serve(_ address: HostAddress) throws(SystemFailure) {
    let listener = try HostListener(address)
    try announce("hci \(listener.location)")
    // Simulated time begins when the host is there.
    let stream = try listener.accept()
    let device = try PhyDevice(air, options: options)
    try device.run(ControllerProgram(try controller(on: device), stream))
  }

  private func serveUSBIP(_ port: UInt16) throws(SystemFailure) {
    let usb = try USBIPController(port: port, serialNumber: "\(air.simulation)-\(air.device)")
    try announce("usbip 127.0.0.1:\(usb.port)/\(USBIPDevice.busIdentifier)")
    let device = try PhyDevice(air, options: options)
    try device.run(USBIPProgram(try controller(on: device), usb, device))
  }

  /// Says where the host is awaited. Without a reader nobody would come.
  private func announce(_ line: String) throws(SystemFailure) {
    Console.line(line)
    if Console.hasFailed { throw SystemFailure("wait for", "a host", reason: "nobody was told where") }
  }

  private func serveEDTT() throws(SystemFailure) {
    let device = try PhyDevice(air, options: options)
    let fifos = try EDTTFIFOs(air)
    try device.run(EDTTProgram(try controller(on: device), fifos, device))
  }

  private func controller(on device: PhyDevice) throws(SystemFailure) -> RunningController {
    RunningController(
      radio: device.makeRadio(), random: try SystemRandom(), address: publicAddress,
      seed: seed &+ UInt32(air.device) &* 7919)
  }

  private var options: PhyOptions {
    var options = PhyOptions()
    options.clockDeviation = drift
    options.pollInterval = poll * 1000
    options.declaredDeviation = max(options.declaredDeviation, UInt16(drift.magnitude))
    options.seed = UInt64(seed) << 16 | UInt64(air.device)
    return options
  }

  private var publicAddress: DeviceAddress {
    address?.address ?? DeviceAddress(high: 0x4865, low: 0x7261_0000 | UInt32(air.device), kind: .public)
  }
}

/// A failure that ends the program, printed on one line.
struct ExitFailure: Error, CustomStringConvertible {
  let description: String
  init(_ failure: SystemFailure) { description = failure.description }
}
