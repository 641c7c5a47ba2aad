import Glibc
import HeraldBluetooth
import HeraldDeviceLink
import HeraldEmbedded
import HeraldHAL
import HeraldLinux
import HeraldNeighbours
import Logging

/// The reason why a node stopped.
enum NodeEnding {
  /// A signal or command requested it.
  case stopped
  /// A host requested a restart.
  case restart
}

/// The node's loop: waits for the controller, hosts and the deadline of the node.
struct NodeRunner<RadioType: NodeRadio & ~Copyable, Table: GATTTable>: ~Copyable {
  /// How often the log's file is synchronised with its medium. In between, a committed page survives the end
  /// of the process.
  private static var synchronisationPeriod: Interval { .seconds(60) }
  /// Time without a working controller after which advice is printed.
  private static var radioTimeout: Interval { .seconds(5) }
  /// How often the date of this machine is compared with its uptime at least.
  private static var clockPeriod: Interval { .seconds(10) }

  private let logger = Logger(label: "herald-node")
  private let clock: NodeClock
  private let signals: StopSignals
  private var device: NodeDevice<RadioType, Table>
  private var links: StreamLinks
  private var usb: USBIPDevice?
  private let capture: BtsnoopCapture?
  private var bluetooth = SMPBluetoothLink<1024>()
  private var bluetoothServer = SMPServer()
  private var input: OperatorInput
  private var synchroniser: FlashSynchroniser
  private var synchroniseAt: Instant
  private let radioAddress: RadioAddress
  private var checkRadioAt: Instant
  private var usbAt: Instant
  private var steps: ClockSteps
  private var checkClockAt: Instant
  /// Whether the device's date is that of this machine.
  private let followsMachine: Bool
  /// The reason for the missing payload at the last check; `nil` if it was offered.
  private var complaint: String?

  /// Moves the payload into the device, which is initialised in place.
  private static func take(_ payload: inout ConfiguredPayload?) -> ConfiguredPayload {
    guard let taken = payload.take() else { preconditionFailure("the payload was handed over before") }
    return taken
  }

  /// Creates the node. The controller is opened last, so that errors of local files and links are reported
  /// whether or not it is present.
  init(
    settings: HeraldNodeCommand, configuration: HeraldConfiguration, clock: NodeClock,
    capture: BtsnoopCapture? = nil, openingRadio open: () throws(SystemFailure) -> RadioType
  ) throws(SystemFailure) {
    let signals = try StopSignals()
    var random = try SystemRandom()
    var payload = Optional(try ConfiguredPayload(settings.payload))
    var services = NodeServices()
    services.customService = settings.air.customService?.uuid
    // The device has its own copy of the day codes: this one is wiped from the stack.
    defer { services.systems.c19x.wipeDayCodes() }
    for choice in settings.peers.neighbour {
      if let warning = try choice.take(part: &services.systems) { logger.warning("\(warning)") }
    }
    let directory = try StorageDirectory(settings.storage, random: &random)
    let flash = try FileFlash(path: directory.logPath, pageCount: settings.logPages)
    // The flash is locked from here on: no other process creates a key at the same time.
    var keyWarning: String?
    var key = try AddressKeyFile.load(in: directory, random: &random, warning: &keyWarning)
    defer { key.wipe() }
    if let keyWarning { logger.warning("\(keyWarning)") }
    let settingsFlash = try FileFlash(path: directory.path + "/settings.flash", pageCount: 2)
    let image = try ImageFile(path: directory.path + "/image.slot")
    let imageKey = try settings.imageKey.map { path throws(SystemFailure) in try ImageKeyFile(path: path) }
    let synchroniser = try flash.makeSynchroniser()
    let links = try StreamLinks(settings.link)
    let usb = try Self.openUSB(port: settings.usbip, serialNumber: directory.serialNumber)
    let radio = try open()
    var serialNumber = InlineBytes<16>()
    for byte in directory.serialNumber.utf8 { serialNumber.append(byte) }
    var names = DeviceNames(name: "", model: "herald-node")
    for byte in settings.name.utf8 { names.name.append(byte) }
    // The closure that creates the sensors must not capture `self`, which is not completely initialised.
    let log = logger
    device = NodeDevice(
      radio: radio, flash: flash, random: random, supplier: Self.take(&payload),
      delegate: NodeSensors(
        battery: BatterySensor(MachinePower()), visits: settings.peers.visitSensor,
        delegate: SensorDelegates(EventReporter(log), LiveTap())),
      board: NodeBoard(
        serialNumber: serialNumber, settings: settingsFlash, addressKey: key,
        addressKeyPath: directory.path + "/" + AddressKeyFile.name,
        image: image, imageKey: imageKey),
      configuration: configuration, names: names)
    device.node.core.key = key
    device.takeSettings(at: .start)
    // The keys of a sealed log: a few milliseconds here.
    var parts = 0
    while parts < 1000, device.advanceSealing(at: .start) { parts += 1 }
    device.node.core.services = services
    self.clock = clock
    self.signals = signals
    self.links = links
    self.usb = usb
    self.capture = capture
    input = OperatorInput(logger)
    self.synchroniser = synchroniser
    synchroniseAt = .start
    radioAddress = settings.radio
    checkRadioAt = clock.now + Self.radioTimeout
    usbAt = .never
    steps = ClockSteps(date: SystemClock.unixMilliseconds, time: clock.now.milliseconds)
    if case .system = clock { checkClockAt = clock.now + Self.clockPeriod } else { checkClockAt = .never }
    followsMachine = settings.clock == .system
    Announcement.say("serial-number \(directory.serialNumber)")
    Announcement.say("radio \(settings.radio)")
    self.links.announce()
    if let port = self.usb?.port {
      Announcement.say("usbip 127.0.0.1:\(port)/\(USBIPDevice.busIdentifier)")
    }
    Announcement.say("started")
    if settings.clock == .system { takeSystemClock() }
  }

  private static func openUSB(port: UInt16?, serialNumber: String) throws(SystemFailure) -> USBIPDevice? {
    guard let port else { return nil }
    return try USBIPDevice(port: port, serialNumber: serialNumber)
  }

  /// Starts the device and sets its date to the system time, which is then in the log from its first page on.
  private mutating func takeSystemClock() {
    let now = clock.now
    _ = device.continueFactoryReset(at: now)
    guard !device.advanceSealing(at: now) else { return }
    _ = device.node.poll(at: now)
    setMachineDate(at: now)
  }

  private mutating func setMachineDate(at now: Instant) {
    let unix = SystemClock.unixMilliseconds
    if !device.node.core.setClock(unixMilliseconds: unix, at: now, source: .host) {
      logger.warning("this machine's date is implausible and is not used; a host can set the device's date")
    }
  }

  /// Has the device's date follow a step of that of this machine, if it is the same.
  private mutating func followClock(at now: Instant) {
    checkClockAt = now + Self.clockPeriod
    guard let step = steps.step(date: SystemClock.unixMilliseconds, time: now.milliseconds) else { return }
    guard followsMachine else {
      logger.notice("\(step.words); the device's date does not follow: a host sets it")
      return
    }
    logger.notice("\(step.words); the device's date follows")
    setMachineDate(at: now)
    checkPayload(at: now)
  }

  /// Executes the node until it is stopped.
  mutating func run() -> NodeEnding {
    begin()
    var polls = PollSet()
    while true {
      let now = clock.now
      let deadline = advance(at: now)
      polls.removeAll()
      polls.add(signals.descriptor)
      polls.add(device.node.radio.descriptor, write: device.node.radio.wantsToWrite)
      links.prepare(&polls, at: now)
      usb?.prepare(&polls)
      input.prepare(&polls)
      polls.add(capture?.descriptor ?? -1)
      polls.wait(until: deadline, from: now)
      if let ending = serve(at: clock.now) { return ending }
    }
  }

  /// Reports the state of the payload at the start.
  mutating func begin() {
    if let warning = device.node.core.values.supplier.warning { logger.warning("\(warning)") }
    checkPayload(at: clock.now)
  }

  /// Polls the node. Returns when to do so again at the latest.
  mutating func advance(at now: Instant) -> Instant {
    let resetAt = device.continueFactoryReset(at: now)
    let isBusy = device.advanceSealing(at: now)
    // Without its keys a sealed log is not opened.
    if isBusy, device.node.core.log.capacity == 0 { return min(now + .milliseconds(100), resetAt) }
    device.loadPayload(at: now)
    let next =
      isBusy
      ? now
      : min(
        device.node.poll(at: now), resetAt, device.restartAt, synchroniseAt, checkRadioAt, checkClockAt, usbAt
      )
    return min(next, bluetooth.serve(at: now, server: &bluetoothServer, device: &device))
  }

  /// Serves hosts, standard input, signals and what is due, without blocking. Returns why the node has ended;
  /// `nil` while it runs.
  mutating func serve(at now: Instant) -> NodeEnding? {
    links.serve(at: now, device: &device)
    usbAt = usb?.serve(at: now, device: &device) ?? .never
    input.serve { device.obey($0, at: now) }
    capture?.acceptReaders()
    if signals.isRaised { return finish(.stopped) }
    if now >= device.restartAt { return finish(.restart) }
    if now >= synchroniseAt {
      synchronise(at: now)
      checkPayload(at: now)
    }
    if now >= checkRadioAt { checkRadio() }
    if now >= checkClockAt { followClock(at: now) }
    return nil
  }

  /// Checks the radio once, after start-up: later failures are reported by the radio.
  private mutating func checkRadio() {
    checkRadioAt = .never
    guard device.node.radio.state != .ready else { return }
    let seconds = Self.radioTimeout.milliseconds / 1000
    logger.warning(
      "no answer from the controller at \(radioAddress) for \(seconds) seconds; \(radioAddress.whatToCheck)")
  }

  /// Reports when the payload becomes unavailable or available, and when the reason changes.
  private mutating func checkPayload(at now: Instant) {
    let found = device.node.core.values.supplier.complaint(at: device.node.core.clock.unixSeconds(at: now))
    guard found != complaint else { return }
    complaint = found
    if let found { logger.warning("\(found)") } else { logger.notice("the payload is offered") }
  }

  private mutating func synchronise(at now: Instant) {
    synchroniseAt = now + Self.synchronisationPeriod
    do throws(FlashError) { try synchroniser.synchronise() } catch {
      logger.error("the log could not be written to its medium: is the disk full, or failing?")
    }
  }

  /// Writes the log, and returns `ending`.
  mutating func finish(_ ending: NodeEnding) -> NodeEnding {
    device.node.core.log.commit()
    synchronise(at: clock.now)
    logger.notice("\(ending == .restart ? "restarting" : "stopped"); the log is written")
    return ending
  }
}

/// Restarts the process: the same program with the same arguments.
enum Restart {
  static func now() {
    var arguments: [UnsafeMutablePointer<CChar>?] = CommandLine.arguments.map { strdup($0) }
    arguments.append(nil)
    execv("/proc/self/exe", arguments)
  }
}
