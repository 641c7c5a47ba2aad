import HeraldBluetooth
import HeraldHAL

/// A controller for a host that speaks HCI (Core Specification, Vol 4, Part E) over H4 (Vol 4, Part A): the
/// commands and events of Bluetooth 4.0 without encryption, over a link layer.
///
/// **Flow control.** One command is accepted at a time: `receive` accepts no further bytes until the
/// command was executed, which takes place in `takePacket`. The host may have `aclPackets` data packets of
/// 27 bytes in the controller, in total; what exceeds them is discarded and reported with Data Buffer
/// Overflow. No events are queued: each is written from the state of the link layer when the host has room
/// for it, so that none is lost, and data that the host does not take is not acknowledged to the peer.
/// Advertising reports that the host does not take in time are discarded and counted by the link layer.
///
/// **Execution levels** are those of `LinkLayer`: `receive` and `takePacket` are calls of a host.
public struct HCIController<
  Peripheral: RadioPeripheral & ~Copyable, Random: RandomSource & ~Copyable, let connections: Int
>: ~Copyable {
  /// The number of data packets for which the controller has room: as many as the link layer queues for one
  /// connection.
  static var aclPackets: UInt8 { OutgoingPayloads.capacity }
  /// The space in bytes that `takePacket` requires: that of the longest event.
  public static var longestPacket: Int { 71 }

  /// The link layer.
  public var layer: LinkLayer<Peripheral, connections>
  var random: Random
  /// The public device address. A change takes effect when advertising, scanning or initiating is started.
  public var address: DeviceAddress
  var randomAddress: DeviceAddress
  var input: HCIInput
  /// The events that the host wants to receive.
  var events: HCIEvents
  /// The advertising interval in microseconds.
  var advertisingInterval: UInt32
  /// Own_Address_Type of advertising and of scanning is 1.
  var advertisesRandom: Bool
  var scansRandom: Bool
  /// Duplicates among the advertising reports are discarded.
  var filtersDuplicates: Bool
  var duplicates: DuplicateFilter
  /// The number of data packets from the host that have not been reported as completed.
  var sent: [connections of UInt8]
  /// The procedures that the host has started and whose end has not been reported to it.
  var pending: [connections of ProcedureSet]
  /// The handle of a connection whose end is reported after those of its pending procedures, and the reason
  /// of its end; 0 for none.
  var ending: UInt8
  var endingReason: UInt8
  /// Controller to host flow control: whether it is on, the number of data packets for which the host has
  /// room, and the number that it has not reported as completed.
  var isHostFlowOn: Bool
  var hostPackets: UInt16
  var hostRoom: UInt16
  var held: [connections of UInt16]
  /// Data Buffer Overflow, and Hardware Error, are to be reported.
  var owesOverflow: Bool
  var owesHardwareError: Bool

  /// Creates a controller in the state after HCI_Reset. `address` is its public device address; the host
  /// obtains random numbers from `random`, and `seed` initialises those of the link layer.
  public init(
    radio: consuming Peripheral, random: consuming Random, address: DeviceAddress, seed: UInt32
  ) {
    layer = LinkLayer(radio: radio, seed: seed)
    self.random = random
    self.address = address
    randomAddress = .zero
    input = HCIInput()
    events = HCIEvents()
    advertisingInterval = Self.initialAdvertisingInterval
    advertisesRandom = false
    scansRandom = false
    filtersDuplicates = false
    duplicates = DuplicateFilter()
    sent = .init(repeating: 0)
    pending = .init(repeating: .none)
    ending = 0
    endingReason = 0
    isHostFlowOn = false
    hostPackets = 0
    hostRoom = 0
    held = .init(repeating: 0)
    owesOverflow = false
    owesHardwareError = false
    setInitialScan()
  }

  /// Handles the interrupt of the radio; see `LinkLayer.radioInterrupt`.
  public mutating func radioInterrupt() -> Bool { layer.radioInterrupt() }

  /// Performs what is not required within 150 µs; see `LinkLayer.procedures`.
  public mutating func procedures() { layer.procedures() }

  /// Accepts bytes from the host, in pieces of any size. Returns the number of bytes accepted: less than all
  /// of them if a command has to be executed by `takePacket` first.
  public mutating func receive(_ bytes: Span<UInt8>) -> Int {
    var index = 0
    while index < bytes.count, !input.isComplete {
      if !input.take(bytes[unchecked: index]) { owesHardwareError = true }
      index &+= 1
      guard input.isComplete, input.kind != .command else { continue }
      if input.kind == .aclData { takeData() }
      input.clear()
    }
    return index
  }

  /// Whether a received command waits for `takePacket`. Nothing else is accepted meanwhile.
  public var isBusy: Bool { input.isComplete }

  /// Accepts a command as a whole, without the packet type of H4: `packet` begins with the opcode. Of a
  /// command that is longer than all supported ones, the first 39 bytes suffice. Returns `false` while the
  /// controller is busy, and if less is passed than its header states.
  public mutating func receiveCommand(_ packet: Span<UInt8>) -> Bool {
    !isBusy && input.load(.command, packet)
  }

  /// Accepts an ACL data packet in the same way: `packet` begins with the handle.
  public mutating func receiveData(_ packet: Span<UInt8>) -> Bool {
    guard !isBusy, input.load(.aclData, packet) else { return false }
    takeData()
    input.clear()
    return true
  }

  /// Performs HCI_Reset for a new host, and discards a command that waits. Returns `false` while an event
  /// is in progress: to be repeated when `procedures` has run.
  public mutating func restart() -> Bool {
    guard reset() else { return false }
    input.clear()
    return true
  }

  /// Appends the next packet for the host, if there is one and `writer` has room for `longestPacket` bytes.
  /// Returns whether a packet was appended. Executes the received command. `withData` is `false` while the
  /// host has room for events only.
  public mutating func takePacket(into writer: inout ByteWriter, withData: Bool = true) -> Bool {
    guard writer.remaining >= Self.longestPacket else { return false }
    let start = writer.count
    if input.isComplete { execute(&writer) }
    if writer.count == start { writeEvent(&writer, withData) }
    return writer.count > start
  }

  /// The data packet that was received.
  private mutating func takeData() {
    let index = Int(input.word & 0x0FFF) &- 1
    guard layer.isOpen(index) else { return }
    let isStart = input.word & 0x1000 == 0
    guard input.length <= DataHeader.longestPayload, sent[index] < Self.aclPackets else {
      owesOverflow = true
      return
    }
    var packet = input
    let payload = packet.payload
    // An empty packet, or one for a connection that is about to end, is completed immediately.
    sent[index] &+= 1
    try? layer.send(payload, isStart: isStart, on: index)
  }
}

extension HCIInput {
  /// The stored bytes after the header.
  var payload: Span<UInt8> {
    @_lifetime(&self)
    mutating get { bytes.span.extracting(header..<max(header, end)) }
  }
}
