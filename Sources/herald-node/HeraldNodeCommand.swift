import ArgumentParser
import Glibc
import HeraldBluetooth
import HeraldConsole
import HeraldEmbedded
import HeraldHCI
import HeraldLinux
import HeraldSystem
import Logging

/// A Herald device as a Linux process.
@main
struct HeraldNodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "herald-node",
    abstract:
      "Runs a Herald wearable as a process: it finds phones, reads their payloads, and logs how near they are.",
    discussion: """
      What it tells programs goes to standard output, a line each: `serial-number`, `radio`, `link`, `usbip`, `started`, `radio-ready` each \
      time the controller begins to work, `sending N`, `received IDENTITY HEX` and `visit IDENTITY SECONDS`. What it tells people goes to standard error. On standard \
      input it takes `send IDENTITY HEX` and `send-to-all HEX`. SIGTERM and SIGINT end it with the log written.

      Example: `herald-node --radio hci:0 --storage node --payload fixed:826,4,1 --link tcp:0`
      """,
    version: "\(HeraldRelease.version)")

  // Groups with a title come first in the help, in this order.
  @OptionGroup(title: "Required options") var required: RequiredOptions
  var radio: RadioAddress { required.radio }
  var storage: String { required.storage }

  @Option(
    help: ArgumentHelp(
      "The payload to offer: fixed:COUNTRY,STATE,ID, simple:KEYFILE, venue:COUNTRY,STATE,CODE[,NAME], test:ID[,LENGTH], hex:BYTES, or stored: what a host pushes.",
      valueName: "payload"),
    transform: { try PayloadChoice($0) })
  var payload = PayloadChoice.stored

  @Option(help: "The device's name, at most 20 bytes. Phones see it when they connect.")
  var name = "Herald"

  @Option(
    help: ArgumentHelp(
      "Serve the management link here: pty[:PATH] or tcp:PORT (0: any). May be repeated.", valueName: "link"),
    transform: { try StreamLinkAddress($0) })
  var link: [StreamLinkAddress] = []

  @Option(
    help: ArgumentHelp(
      "Serve the device's USB as USB/IP on this port of this machine; 0 takes any, 3240 is the usual one.",
      valueName: "port"))
  var usbip: UInt16?

  @Option(
    help:
      "How much of the log the storage has room for when it is made, in pages of 4096 bytes (default: 256).")
  var logPages: Int?

  @Option(
    help: ArgumentHelp(
      "For how many days records are kept; older ones are erased. 0 keeps them as long as there is room.",
      valueName: "days"))
  var keepDays: UInt16 = 14

  @Option(
    help:
      "Where the date comes from: this machine (system), a host over the management link (host), or until then a venue beacon (beacon)."
  )
  var clock = ClockChoice.system

  @Flag(
    inversion: .prefixedNo,
    help:
      "While the device has no access key, serve its log to whoever connects to its management link, unless a host has set access/stay-open."
  )
  var stayOpen = false

  @Flag(
    inversion: .prefixedNo,
    help:
      "Offer the management link over Bluetooth, unless a host has set bluetooth/management. Reading the log and changes need an access key."
  )
  var bluetoothManagement = false

  @Option(
    help: ArgumentHelp(
      "Take an image over the management link only if it is signed with the private half of the Ed25519 key in this PEM file.",
      valueName: "file"))
  var imageKey: String?

  @Option(
    help: "What the device is: a wearable, or a beacon that stands at a venue and only lets itself be read.")
  var role = RoleChoice.wearable

  @Option(
    help: ArgumentHelp(
      "A file with options, `name = value` on each line. Those of the command line count instead of the file's.",
      valueName: "file"))
  var config: String?

  @Option(
    help: ArgumentHelp(
      "Write the HCI traffic with the controller down, in btsnoop's format: into a file, or to who connects to unix:PATH.",
      valueName: "file|unix:path"), transform: { try CaptureDestination($0) })
  var capture: CaptureDestination?

  @OptionGroup(title: "Air options") var air: AirOptions
  @OptionGroup(title: "Peer options") var peers: PeerOptions

  @Option(
    help:
      "How much to say on standard error: \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")).")
  var logLevel = Logger.Level.notice

  func validate() throws {
    guard name.utf8.count <= 20, !name.isEmpty else { throw ValidationError("--name takes 1 to 20 bytes.") }
    if case .air = radio, capture != nil {
      throw ValidationError("There is no HCI traffic to --capture with --radio air.")
    }
    guard !bluetoothManagement || air.gatt == .usual else {
      throw ValidationError("--bluetooth-management needs --gatt \(TableChoice.usual.rawValue).")
    }
    guard (logPages ?? 1) > 0 else { throw ValidationError("--log-pages is at least one.") }
  }

  static func main() {
    StandardStream.prepare()
    CoreDumps.prevent()
    var status: Int32 = 0
    do {
      var command = try parseAsRoot(ConfiguredArguments.merged(Array(CommandLine.arguments.dropFirst())))
      try command.run()
    } catch {
      status = Console.report(error, of: Self.self)
    }
    Console.end(status, as: "herald-node")
  }

  func run() throws {
    let configuration = try configuration()
    let level = logLevel
    LoggingSystem.bootstrap { _ in PlainLogHandler(logLevel: level) }
    var ending = NodeEnding.stopped
    do throws(SystemFailure) {
      let capture = try openCapture()
      switch radio {
      case .air(let address): try join(address, configuration)
      case .userChannel(let adapter):
        ending = try start(configuration, capture) { () throws(SystemFailure) in
          CapturedTransport(try HCIUserChannel(adapter: adapter), capture: capture)
        }
      default:
        ending = try start(configuration, capture) { () throws(SystemFailure) in
          CapturedTransport(try H4Stream(radio), capture: capture)
        }
      }
    } catch {
      throw ExitFailure(error)
    }
    if ending == .restart { Restart.now() }
  }

  private func openCapture() throws(SystemFailure) -> BtsnoopCapture? {
    guard let capture else { return nil }
    let logger = Logger(label: "herald-node")
    return try BtsnoopCapture(capture) { logger.error("\($0)") }
  }

  private func start<Transport: PollableTransport & ~Copyable>(
    _ configuration: HeraldConfiguration, _ capture: BtsnoopCapture?,
    openingTransport open: () throws(SystemFailure) -> Transport
  ) throws(SystemFailure) -> NodeEnding {
    switch air.gatt {
    case .usual: try start(configuration, capture, serving: HeraldGATTTable.self, openingTransport: open)
    case .bothSignals:
      try start(configuration, capture, serving: HeraldBothSignalsGATTTable.self, openingTransport: open)
    case .notifying:
      try start(configuration, capture, serving: HeraldNotifyingGATTTable.self, openingTransport: open)
    case .legacy:
      try start(configuration, capture, serving: HeraldLegacyGATTTable.self, openingTransport: open)
    }
  }

  private func start<Transport: PollableTransport & ~Copyable, Table: GATTTable>(
    _ configuration: HeraldConfiguration, _ capture: BtsnoopCapture?, serving table: Table.Type,
    openingTransport open: () throws(SystemFailure) -> Transport
  ) throws(SystemFailure) -> NodeEnding {
    var runner = try NodeRunner<HCIRadio<Transport, 8>, Table>(
      settings: self, configuration: configuration, clock: .system(SystemClock()), capture: capture
    ) { () throws(SystemFailure) in HCIRadio(transport: try open()) }
    return runner.run()
  }

  /// Executes the node as a device of a simulated medium. A restart ends it, because a device cannot join a
  /// simulation that has begun.
  private func join(_ address: PhyAddress, _ configuration: HeraldConfiguration) throws(SystemFailure) {
    var options = PhyOptions()
    options.seed = UInt64(address.device)
    let device = try PhyDevice(address, options: options)
    switch air.gatt {
    case .usual: try join(device, configuration, serving: HeraldGATTTable.self)
    case .bothSignals: try join(device, configuration, serving: HeraldBothSignalsGATTTable.self)
    case .notifying: try join(device, configuration, serving: HeraldNotifyingGATTTable.self)
    case .legacy: try join(device, configuration, serving: HeraldLegacyGATTTable.self)
    }
  }

  private func join<Table: GATTTable>(
    _ device: PhyDevice, _ configuration: HeraldConfiguration, serving table: Table.Type
  ) throws(SystemFailure) {
    try AirNode<Table>(device, settings: self, configuration: configuration).run()
  }
}

/// A failure that ends the program, printed on one line.
struct ExitFailure: Error, CustomStringConvertible {
  let description: String
  init(_ failure: SystemFailure) { description = failure.description }
}

/// The source of the date.
enum ClockChoice: String, ExpressibleByArgument, CaseIterable {
  case system
  case host
  /// A venue beacon, until a host sets the date.
  case beacon
}

/// The role of the device.
enum RoleChoice: String, ExpressibleByArgument, CaseIterable {
  case wearable
  case beacon
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
