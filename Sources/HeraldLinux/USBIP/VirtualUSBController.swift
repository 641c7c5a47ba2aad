import HeraldHAL

/// A USB controller in software: a host submits complete transfers, and the device exchanges packets.
///
/// It performs the work between a request block (URB) of the host's driver and the packets of an endpoint: it
/// divides OUT transfers into packets of 64 bytes, joins IN packets up to a short packet or the requested
/// length, holds transfers until the device serves them, and fails those on endpoints that are halted or
/// closed.
package struct VirtualUSBController: USBController, ~Copyable {
  /// A transfer requested by the host.
  struct Transfer {
    /// The sequence number assigned by the host.
    var sequence: UInt32
    /// The endpoint, including its direction; `control` for control requests.
    var endpoint: USBEndpoint
    /// The setup packet of a control request.
    var setup: USBSetup?
    /// The maximum number of bytes that the host accepts.
    var limit: Int
    /// Data to the device, or received from it.
    var data: [UInt8]
    /// The number of bytes of `data` that the device has read.
    var taken = 0
    /// Whether an OUT transfer of a multiple of 64 bytes ends with an empty packet.
    var endsWithEmptyPacket = false
  }

  /// A completed transfer.
  struct Completion {
    var sequence: UInt32
    /// 0, or a negative Linux error number.
    var status: Int32
    /// The number of bytes transferred.
    var count: Int
    /// Data from the device.
    var data: [UInt8]
  }

  /// The status of transfers: Linux error numbers.
  enum Status {
    static let stalled: Int32 = -32
    static let overflow: Int32 = -75
    static let cancelled: Int32 = -104
    static let shutDown: Int32 = -108
  }

  private struct Pipe {
    var isOpen = false
    var isHalted = false
    var transfers: [Transfer] = []
  }

  private var events: [USBEvent] = []
  private var control: [Transfer] = []
  private var pipes = [Pipe](repeating: Pipe(), count: 32)
  private var completions: [Completion] = []
  /// Whether a host is attached.
  private(set) var isAttached = false
  /// The size of pending transfers in bytes.
  private(set) var waitingBytes = 0
  /// The number of pending transfers.
  private(set) var waitingCount = 0
  /// The device address assigned by the host.
  private(set) var address: UInt8 = 0

  /// Creates a controller without a host.
  package init() {}

  private func pipeIndex(_ endpoint: USBEndpoint) -> Int { endpoint.number + (endpoint.isIn ? 16 : 0) }

  // MARK: The host's side

  /// Attaches a host, which resets the bus.
  mutating func attach() {
    isAttached = true
    events.removeAll()
    events.append(.reset)
  }

  /// Detaches the host and cancels its transfers.
  mutating func detach() {
    isAttached = false
    control.removeAll()
    for index in pipes.indices { pipes[index] = Pipe() }
    completions.removeAll()
    waitingBytes = 0
    waitingCount = 0
    address = 0
    events.removeAll()
    events.append(.detached)
  }

  /// Submits a transfer of the host.
  mutating func submit(_ transfer: Transfer) {
    guard transfer.endpoint.number != 0 else {
      wait(transfer)
      control.append(transfer)
      if control.count == 1 { beginControl() }
      return
    }
    let index = pipeIndex(transfer.endpoint)
    guard pipes[index].isOpen, !pipes[index].isHalted else {
      completions.append(
        Completion(sequence: transfer.sequence, status: Status.stalled, count: 0, data: []))
      return
    }
    wait(transfer)
    pipes[index].transfers.append(transfer)
  }

  /// Cancels a transfer of the host, which then does not complete. Returns whether it was pending.
  mutating func cancel(_ sequence: UInt32) -> Bool {
    if let index = control.firstIndex(where: { $0.sequence == sequence }) {
      unwait(control.remove(at: index))
      if index == 0 { beginControl() }
      return true
    }
    for pipe in pipes.indices {
      guard let index = pipes[pipe].transfers.firstIndex(where: { $0.sequence == sequence }) else { continue }
      unwait(pipes[pipe].transfers.remove(at: index))
      return true
    }
    return false
  }

  /// Returns the completed transfers, in the order of completion, and removes them.
  mutating func takeCompletions() -> [Completion] {
    guard !completions.isEmpty else { return [] }
    let taken = completions
    completions.removeAll(keepingCapacity: true)
    return taken
  }

  private mutating func wait(_ transfer: Transfer) {
    waitingCount += 1
    waitingBytes += transfer.limit
  }

  private mutating func unwait(_ transfer: Transfer) {
    waitingCount -= 1
    waitingBytes -= transfer.limit
  }

  private mutating func beginControl() {
    guard let setup = control.first?.setup else { return }
    events.append(.setup(setup))
  }

  private mutating func endControl(_ status: Int32) {
    guard !control.isEmpty else { return }
    let transfer = control.removeFirst()
    complete(transfer, status)
    beginControl()
  }

  private mutating func complete(_ transfer: Transfer, _ status: Int32) {
    unwait(transfer)
    let isIn = transfer.setup?.isIn ?? transfer.endpoint.isIn
    completions.append(
      Completion(
        sequence: transfer.sequence, status: status,
        count: isIn ? transfer.data.count : (status == 0 ? transfer.data.count : transfer.taken),
        data: isIn ? transfer.data : []))
  }

  // MARK: The device's side

  /// The next bus event.
  package mutating func nextEvent() -> USBEvent? { events.isEmpty ? nil : events.removeFirst() }

  /// Adds an IN packet to the transfer that is pending on the endpoint.
  package mutating func write(_ endpoint: USBEndpoint, _ packet: Span<UInt8>) -> Bool {
    guard endpoint.number != 0 else {
      guard let setup = control.first?.setup, setup.isIn else { return false }
      if let status = Self.append(packet, to: &control[0]) { endControl(status) }
      return true
    }
    let index = pipeIndex(endpoint)
    guard pipes[index].isOpen, !pipes[index].isHalted, !pipes[index].transfers.isEmpty else { return false }
    if let status = Self.append(packet, to: &pipes[index].transfers[0]) {
      complete(pipes[index].transfers.removeFirst(), status)
    }
    return true
  }

  /// Adds a packet. Returns the status of the transfer if that completes it.
  private static func append(_ packet: Span<UInt8>, to transfer: inout Transfer) -> Int32? {
    let room = transfer.limit - transfer.data.count
    packet.withUnsafeBufferPointer { transfer.data.append(contentsOf: $0.prefix(room)) }
    if packet.count > room { return Status.overflow }
    return packet.count < USBEndpoint.packetSize || transfer.data.count == transfer.limit ? 0 : nil
  }

  /// Reads the next packet of the OUT transfer that is pending on the endpoint.
  package mutating func read(_ endpoint: USBEndpoint, into packet: inout MutableSpan<UInt8>) -> Int? {
    guard endpoint.number != 0 else {
      guard let setup = control.first?.setup, !setup.isIn, control[0].taken < control[0].data.count else {
        return nil
      }
      return Self.take(from: &control[0], into: &packet)
    }
    let index = pipeIndex(endpoint)
    guard pipes[index].isOpen, !pipes[index].isHalted, !pipes[index].transfers.isEmpty else { return nil }
    let count = Self.take(from: &pipes[index].transfers[0], into: &packet)
    let transfer = pipes[index].transfers[0]
    if transfer.taken == transfer.data.count {
      if count == USBEndpoint.packetSize, transfer.endsWithEmptyPacket {
        pipes[index].transfers[0].endsWithEmptyPacket = false
      } else {
        complete(pipes[index].transfers.removeFirst(), 0)
      }
    }
    return count
  }

  private static func take(from transfer: inout Transfer, into packet: inout MutableSpan<UInt8>) -> Int {
    let count = min(transfer.data.count - transfer.taken, USBEndpoint.packetSize, packet.count)
    for index in 0..<count { packet[index] = transfer.data[transfer.taken + index] }
    transfer.taken += count
    return count
  }

  /// Completes the current control request.
  package mutating func acknowledge() { endControl(0) }

  /// Stalls the current control request.
  package mutating func refuse() { endControl(Status.stalled) }

  /// Stores the address; it has no effect without a bus.
  package mutating func setAddress(_ address: UInt8) { self.address = address }

  /// Opens an endpoint.
  package mutating func open(_ endpoint: USBEndpoint, _ kind: USBTransferKind) {
    pipes[pipeIndex(endpoint)].isOpen = true
    pipes[pipeIndex(endpoint)].isHalted = false
  }

  /// Closes an endpoint and fails its pending transfers.
  package mutating func close(_ endpoint: USBEndpoint) {
    fail(pipeIndex(endpoint), Status.shutDown)
    pipes[pipeIndex(endpoint)].isOpen = false
    pipes[pipeIndex(endpoint)].isHalted = false
  }

  /// Halts an endpoint and fails its pending transfers, or clears the halt.
  package mutating func setHalted(_ endpoint: USBEndpoint, _ isHalted: Bool) {
    pipes[pipeIndex(endpoint)].isHalted = isHalted
    if isHalted { fail(pipeIndex(endpoint), Status.stalled) }
  }

  private mutating func fail(_ index: Int, _ status: Int32) {
    let transfers = pipes[index].transfers
    pipes[index].transfers = []
    for transfer in transfers { complete(transfer, status) }
  }
}
