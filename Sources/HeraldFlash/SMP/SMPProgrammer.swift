import HeraldHostLink
import HeraldImages
import HeraldText

/// A running device, or MCUboot's serial recovery, in the Simple Management Protocol.
///
/// A running device stores the image in its second slot and marks it for a test at the next start; the
/// running firmware is not changed. Serial recovery, without running firmware, stores the image in the slot
/// from which it is started, so that it need not be marked.
package final class SMPProgrammer: Programmer {
  /// The location of the device.
  package var location: String { "smp:\(images.client.location)" }

  private let transport: any SMPTransport
  private let images: DeviceImages
  private let device: DeviceClient
  private let isPermanent: Bool
  /// Whether firmware runs there and responds; known once it was looked at.
  private var firmwareRuns = false
  /// Whether the device compared what arrived with its SHA-256.
  private var isCompared = false

  /// Erasing a slot of a megabyte takes an nRF52 20 s.
  static let eraseTimeout = Duration.seconds(30)

  /// Over an open transport.
  /// - Parameter isPermanent: whether the image is made permanent at once, without a trial.
  package init(_ transport: any SMPTransport, timeout: Duration, isPermanent: Bool) {
    self.transport = transport
    self.isPermanent = isPermanent
    let client = SMPClient(transport: transport, timeouts: .init(timeout: timeout))
    images = DeviceImages(
      client: client,
      patientClient: SMPClient(
        sharing: client, timeouts: .init(timeout: max(timeout, Self.eraseTimeout), attempts: 2)))
    device = DeviceClient(client)
  }

  /// The state of the device after a request failed during an upload.
  package var stateHalfWay: FlashFailure.BoardState { firmwareRuns ? .beside : .partlyWritten }

  private func asking<Result>(
    _ state: FlashFailure.BoardState, _ body: () throws(HostLinkError) -> Result
  ) throws(FlashFailure) -> Result {
    do {
      return try body()
    } catch {
      throw FlashFailure(error, state: state)
    }
  }

  /// Device information and image slots.
  package func identify() throws(FlashFailure) -> BoardIdentification {
    let slots: [DeviceSlot]
    do {
      slots = try images.state()
    } catch {
      guard error.cause == .refused else { throw FlashFailure(error, state: .untouched) }
      throw FlashFailure(
        .cannot, "\(images.client.location) takes no images: \(error.what)", state: .untouched,
        advice: error.advice ?? "its firmware has no slot for one: use a debug probe, or its boot loader")
    }
    firmwareRuns = slots.contains { $0.isActive }
    let information = try asking(.untouched) { () throws(HostLinkError) in try device.information() }
    var details: [(name: String, value: String)] = []
    func add(_ name: String, _ value: String) { if !value.isEmpty { details.append((name, value)) } }
    add("device", information.board)
    add("serial number", information.serial)
    add("firmware", firmwareRuns ? information.firmware : "none runs: MCUboot's serial recovery")
    for slot in slots { add("slot \(slot.slot)", slot.text) }
    return BoardIdentification(
      boards: BoardCatalogue.boards(reachedBy: .smp), details: details,
      version: slots.first { $0.isActive }.flatMap { MCUbootImage.Version(mcumgr: $0.version) })
  }

  /// Sends the image, or what is missing of it, and has a running device try it at the next start.
  package func write(_ plan: FlashPlan, progress: (FlashProgress) -> Void) throws(FlashFailure) {
    guard let signed = plan.image.mcuboot, let hash = signed.hash else {
      throw FlashFailure(.doesNotFit, "the image is not in MCUboot's form", state: .untouched)
    }
    guard !plan.erasesAll else {
      throw FlashFailure(
        .cannot, "a running device erases only its second slot", state: .untouched,
        advice: "`herald-host factory-reset` erases log and settings")
    }
    let size = try asking(.untouched) { () throws(HostLinkError) in try images.packetSize() }
    let before = try asking(.untouched) { () throws(HostLinkError) in try images.state() }
    firmwareRuns = before.contains { $0.isActive }
    if !before.contains(where: { $0.slot == 1 && $0.hash == hash }) {
      let match = try asking(stateHalfWay) { () throws(HostLinkError) in
        try images.upload(signed.bytes, packetSize: size) { done, total in
          progress(FlashProgress(.writing, done: done, total: total))
        }
      }
      if match == false {
        throw FlashFailure(
          .different,
          "\(images.client.location) has received other bytes than were sent, and has dropped them",
          state: firmwareRuns ? .untouched : .erased, advice: "try another cable or port")
      }
      isCompared = match == true
    }
    guard firmwareRuns else { return }
    let after = try asking(stateHalfWay) { () throws(HostLinkError) in
      try images.plan(hash, isPermanent: isPermanent)
    }
    guard after.contains(where: { $0.hash == hash && ($0.isPending || $0.isActive) }) else {
      throw FlashFailure(
        .link(.protocolViolation),
        "\(images.client.location) has taken the image and does not say that it starts it",
        state: stateHalfWay,
        advice: "`herald-flash list` shows its slots; `herald-flash reset --to \(location)` has it choose")
    }
  }

  /// Whether the device has an image with this hash. Serial recovery may not report hashes.
  package func verify(_ plan: FlashPlan, progress: (FlashProgress) -> Void) throws(FlashFailure) {
    let slots = try asking(.unverified) { () throws(HostLinkError) in try images.state() }
    guard let hash = plan.image.mcuboot?.hash else {
      throw FlashFailure(.doesNotFit, "the image is not in MCUboot's form", state: .untouched)
    }
    if slots.contains(where: { $0.hash == hash }) || isCompared { return }
    guard slots.contains(where: { $0.hash != nil }) else {
      throw FlashFailure(
        .cannot, "\(images.client.location) tells no hashes of its images", state: .unverified)
    }
    let held = slots.map { "slot \($0.slot): \($0.version)" }.joined(separator: ", ")
    throw FlashFailure(
      .different, "\(images.client.location) has no image with the hash \(hash.hexadecimal) (\(held))",
      state: .untouched)
  }

  /// Empties the second slot.
  package func erase(_ scope: EraseScope, of board: BoardDescription, progress: (FlashProgress) -> Void)
    throws(FlashFailure)
  {
    guard scope == .firmware else {
      throw FlashFailure(
        .cannot, "a running device erases only its second slot", state: .untouched,
        advice: "`herald-host factory-reset` erases log and settings")
    }
    progress(FlashProgress(.erasing, done: 0, total: 0))
    try asking(.unknown) { () throws(HostLinkError) in try images.erase() }
  }

  /// Restarts the device.
  package func reset() throws(FlashFailure) {
    try asking(.unknown) { () throws(HostLinkError) in try images.reset() }
  }

  /// Confirms the running firmware. With `image`, only if that image is running.
  package func confirm(_ image: FirmwareImage?) throws(FlashFailure) {
    let slots = try asking(.untouched) { () throws(HostLinkError) in try images.state() }
    guard let running = slots.first(where: { $0.isActive }) else {
      throw FlashFailure(
        .cannot, "no firmware runs at \(images.client.location): there is nothing to confirm",
        state: .untouched, advice: "`herald-flash reset` starts what is there")
    }
    if let image {
      guard let signed = image.mcuboot, let hash = signed.hash else {
        throw FlashFailure(.doesNotFit, "the image is not in MCUboot's form", state: .untouched)
      }
      if let unsupported = signed.unsupported {
        throw FlashFailure(.doesNotFit, "the image \(unsupported)", state: .untouched)
      }
      guard let running = running.hash else {
        throw FlashFailure(
          .cannot, "\(images.client.location) does not tell the hash of what runs", state: .untouched)
      }
      guard running == hash else {
        throw FlashFailure(
          .different, "what runs at \(images.client.location) is another image (\(running.hexadecimal))",
          state: .untouched,
          advice: "MCUboot may have gone back to the former one, or refused this one's signature")
      }
    }
    _ = try asking(.unknown) { () throws(HostLinkError) in try images.plan(nil, isPermanent: true) }
  }

  /// Opens a session with a device that has an access key. MCUboot's serial recovery has none, and no secret
  /// is sent to it.
  func authenticate(_ path: String, serial: String, isNew: Bool) throws(HostLinkError) {
    guard try device.access().knowsKeys else { return }
    try device.authenticate(keyFile: path, serial: serial, isNew: isNew) { _ in }
  }

  /// Ends the session, and releases the transport.
  package func close() {
    device.client.closeSession()
    transport.close()
  }

  /// The behaviour after a restart, for the user.
  package func remark(after plan: FlashPlan) -> String? {
    guard firmwareRuns, !isPermanent else { return nil }
    return
      "the image is tried at this start: if it does well, `herald-flash confirm --to \(location)` keeps it; else MCUboot goes back at the start after"
  }
}
