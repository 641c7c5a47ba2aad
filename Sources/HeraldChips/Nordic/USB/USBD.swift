import HeraldHAL

/// The USB device controller of the nRF52833 and the nRF52840, with endpoints 0…7 of 64 bytes each.
///
/// The peripheral responds to the host's tokens from an internal buffer for each endpoint; EasyDMA moves a
/// packet between that buffer and RAM. Only one transfer may be in progress at a time, and most registers
/// must not be accessed during it. Each transfer is therefore completed before the call returns; a packet
/// takes a few microseconds. All transfers use one buffer of 64 bytes, which is passed to the initialiser and
/// must stay valid, as EasyDMA has no access to flash.
///
/// There is no interrupt handler: the interrupts of the host's actions are enabled only to end a sleep, and
/// `nextEvent` clears their events.
///
/// After a fault, which is a transfer that does not end, the peripheral is disabled and enabled again: to the
/// host, the device is disconnected and connected again.
public struct USBD<Block: RegisterBlock & ~Copyable>: USBController, ~Copyable {
  var usbd: Block
  var supply: Block
  var trim: Block
  let chip: USBDChip
  let buffer: UnsafeMutableRawBufferPointer

  var phase = Phase.off
  /// Whether the peripheral was enabled before (anomaly 223).
  var wasEnabled = false
  /// Whether another driver stops the crystal oscillator when there is no voltage on VBUS.
  public var leavesCrystalOn = false
  /// Whether this driver started the crystal oscillator.
  var startedCrystal = false
  var isSuspended = false
  var isBroken = false
  /// The number of transfers that did not end.
  public internal(set) var faults: UInt32 = 0

  /// Bits 1…7: the packet on this IN endpoint has not been sent yet. Bits 17…23: a packet has been received
  /// on this OUT endpoint.
  var busy: UInt32 = 0
  /// The open endpoints, and the halted ones, with the bits of `busy`.
  var opened: UInt32 = 0
  var halted: UInt32 = 0

  /// The maximum number of bytes left in the data stage of the current request.
  var remaining = 0
  var control = Control.none

  /// The start-up phase of the peripheral.
  enum Phase: UInt8, BitwiseCopyable {
    case off
    /// Enabled, not ready yet.
    case starting
    /// Ready, but its supply or the crystal oscillator is not.
    case waiting
    /// Connected to the bus.
    case attached
  }

  /// The state of the control endpoint.
  enum Control: UInt8, BitwiseCopyable {
    /// There is no request, or the peripheral completes it.
    case none
    /// Packets may be sent.
    case sending
    /// A packet is to be fetched by the host.
    case sent
    /// Packets may be requested.
    case receiving
    /// A packet was requested from the host.
    case asked
    /// A packet has been received.
    case received
  }

  /// Uses the registers of USBD, of POWER and CLOCK, and of the trim at 0x4006_EC00. `buffer` has 64 bytes of
  /// RAM, aligned to four, with no other user.
  public init(
    usbd: consuming Block, supply: consuming Block, trim: consuming Block, chip: USBDChip,
    buffer: UnsafeMutableRawBufferPointer
  ) {
    self.usbd = usbd
    self.supply = supply
    self.trim = trim
    self.chip = chip
    unsafe self.buffer = buffer
    self.supply.write(USBSupplyRegisters.interrupts, to: USBSupplyRegisters.enableInterrupts)
  }

  // MARK: Events

  /// Handles supply changes and returns bus events.
  public mutating func nextEvent() -> USBEvent? {
    guard followSupply() else {
      guard phase != .off else { return nil }
      let wasAttached = phase == .attached
      switchOff()
      return wasAttached ? .detached : nil
    }
    guard phase == .attached else { return nil }
    refresh()
    if take(USBDRegisters.busReset) {
      // The peripheral has closed its endpoints and reset its address. A request received after the reset is
      // kept.
      wake()
      forget()
      return .reset
    }
    if take(USBDRegisters.usbEvent), let event = followBus() { return event }
    while take(USBDRegisters.controlSetup) {
      let setup = readSetup()
      // If a new request has replaced this one while it was read, only the new one is valid.
      guard usbd.read(USBDRegisters.controlSetup) == 0 else { continue }
      remaining = Int(setup.length)
      control = setup.isIn ? .sending : .receiving
      // The peripheral processes Set Address itself; software must not respond.
      guard setup.requestType != 0 || setup.request != 5 else {
        control = .none
        continue
      }
      return .setup(setup)
    }
    return nil
  }

  private mutating func readSetup() -> USBSetup {
    var words: (UInt32, UInt32) = (0, 0)
    for index in 0..<4 {
      let shift = UInt32(truncatingIfNeeded: index &* 8)
      words.0 |= (usbd.read(USBDRegisters.setup.at(index)) & 0xFF) &<< shift
      words.1 |= (usbd.read(USBDRegisters.setup.at(index &+ 4)) & 0xFF) &<< shift
    }
    return USBSetup(
      requestType: UInt8(truncatingIfNeeded: words.0), request: UInt8(truncatingIfNeeded: words.0 &>> 8),
      value: UInt16(truncatingIfNeeded: words.0 &>> 16), index: UInt16(truncatingIfNeeded: words.1),
      length: UInt16(truncatingIfNeeded: words.1 &>> 16))
  }

  private mutating func followBus() -> USBEvent? {
    let cause = usbd.read(USBDRegisters.eventCause)
    usbd.write(cause, to: USBDRegisters.eventCause)
    if cause.has(USBDEventCause.resume) {
      guard isSuspended else { return nil }
      wake()
      return .resumed
    }
    guard cause.has(USBDEventCause.suspend), !isSuspended else { return nil }
    isSuspended = true
    usbd.write(1, to: USBDRegisters.lowPower)
    return .suspended
  }

  /// Whether the event of `register` has occurred. Clears it.
  mutating func take(_ register: Register<UInt32>) -> Bool {
    guard usbd.read(register) != 0 else { return false }
    usbd.write(0, to: register)
    return true
  }

  /// Updates which packets were sent and received. Events of the control endpoint without a request in
  /// progress belong to an aborted request and are ignored.
  mutating func refresh() {
    if take(USBDRegisters.controlDataDone) {
      if control == .sent { control = remaining > 0 ? .sending : .none }
      if control == .asked { control = .received }
    }
    _ = take(USBDRegisters.endpointData)
    let status = usbd.read(USBDRegisters.dataStatus)
    guard status.bits != 0 else { return }
    usbd.write(status, to: USBDRegisters.dataStatus)
    busy = (busy & ~(status.bits & 0xFE)) | (status.bits & opened & 0xFE_0000)
  }

  /// Resets the state, as after a bus reset.
  mutating func forget() {
    busy = 0
    opened = 0
    halted = 0
    control = .none
    remaining = 0
  }

  // MARK: Packets

  /// Sends a packet.
  @inline(never)
  public mutating func write(_ endpoint: USBEndpoint, _ packet: Span<UInt8>) -> Bool {
    let count = packet.count
    guard phase == .attached, !isSuspended, count <= buffer.count, count <= USBEndpoint.packetSize else {
      return false
    }
    refresh()
    let number = endpoint.number
    let bit = USBDEndpoints(number, isIn: true).bits
    if number == 0 {
      guard control == .sending, remaining > 0, count <= remaining else { return false }
      let isLast = count < USBEndpoint.packetSize || count >= remaining
      usbd.write(isLast ? .statusBehindData : .none, to: USBDRegisters.shortcuts)
      remaining = isLast ? 0 : remaining &- count
      control = .sent
    } else {
      guard endpoint.isIn, bit & opened & ~busy & ~halted != 0 else { return false }
      busy |= bit
    }
    for index in 0..<count { unsafe buffer[index] = packet[index] }
    return move(
      number, count, memory: USBDRegisters.inMemory, start: USBDRegisters.startIn, end: USBDRegisters.endIn)
  }

  /// Reads a packet. The peripheral accepts the next one as soon as this one has been moved.
  public mutating func read(_ endpoint: USBEndpoint, into packet: inout MutableSpan<UInt8>) -> Int? {
    guard phase == .attached, !isSuspended else { return nil }
    refresh()
    let number = endpoint.number
    let bit = USBDEndpoints(number, isIn: false).bits
    if number == 0 {
      // The host receives NAK until the data stage is requested, as the request may still be stalled.
      if control == .receiving, remaining > 0 {
        control = .asked
        // Set by the last response: it would complete the request before its data have been read.
        usbd.write(.none, to: USBDRegisters.shortcuts)
        usbd.write(1, to: USBDRegisters.receiveControl)
      }
      guard control == .received else { return nil }
    } else {
      guard !endpoint.isIn, bit & busy & ~halted != 0 else { return nil }
      busy &= ~bit
    }
    // Read before the transfer, which changes the register.
    let size = Int(truncatingIfNeeded: usbd.read(USBDRegisters.outSize.at(number)))
    let count = min(size, min(buffer.count, packet.count))
    if number == 0 {
      remaining = count < USBEndpoint.packetSize ? 0 : max(0, remaining &- count)
      control = .receiving
    }
    guard
      move(
        number, count, memory: USBDRegisters.outMemory, start: USBDRegisters.startOut,
        end: USBDRegisters.endOut)
    else { return nil }
    for index in 0..<count { packet[index] = unsafe buffer[index] }
    return count
  }

  /// Moves a packet between `buffer` and the peripheral. Returns `false` if the transfer does not end.
  private mutating func move(
    _ number: Int, _ count: Int, memory: Register<UInt32>, start: Register<UInt32>, end: Register<UInt32>
  ) -> Bool {
    let register = memory.at(number, stride: USBDRegisters.memoryStride)
    let address = unsafe usbd.busAddress(of: UnsafeRawBufferPointer(buffer))
    usbd.write(address, to: register)
    usbd.write(UInt32(truncatingIfNeeded: count), to: register.at(1))
    usbd.write(0, to: end.at(number))
    // Anomaly 199: a task triggered during a transfer is lost. The driver triggers none, but the shortcut to
    // the status stage triggers one when the host fetches the last packet of a response, which may be at any
    // time.
    if chip == .nRF52840 { usbd.write(0x82, to: USBDRegisters.taskGuard) }
    usbd.write(1, to: start.at(number))
    let hasEnded = wait(for: end.at(number))
    if chip == .nRF52840 { usbd.write(0, to: USBDRegisters.taskGuard) }
    if !hasEnded, usbd.read(USBDRegisters.busReset) == 0 {
      // Only a bus reset ends a transfer without an event.
      faults &+= 1
      isBroken = true
    }
    return hasEnded
  }

  /// Waits for an event and clears it. Times out after about 0.2 ms at 64 MHz.
  private mutating func wait(for event: Register<UInt32>) -> Bool {
    for _ in 0..<1_000 where take(event) { return true }
    return false
  }

  // MARK: Requests

  /// Completes the request successfully.
  public mutating func acknowledge() {
    guard phase == .attached, control != .none else { return }
    control = .none
    usbd.write(1, to: USBDRegisters.controlStatus)
  }

  /// Stalls the request.
  public mutating func refuse() {
    guard phase == .attached, control != .none else { return }
    control = .none
    usbd.write(1, to: USBDRegisters.controlStall)
  }

  /// No effect: the peripheral sets its address itself.
  public mutating func setAddress(_ address: UInt8) {}

  // MARK: Endpoints

  /// Opens an endpoint 1…7. The peripheral does not distinguish transfer types.
  public mutating func open(_ endpoint: USBEndpoint, _ kind: USBTransferKind) {
    setOpen(endpoint, true)
    setHalted(endpoint, false)
  }

  /// Closes an endpoint 1…7.
  public mutating func close(_ endpoint: USBEndpoint) {
    empty(endpoint)
    setOpen(endpoint, false)
  }

  private mutating func setOpen(_ endpoint: USBEndpoint, _ isOpen: Bool) {
    guard phase == .attached, isOrdinary(endpoint) else { return }
    let bit = USBDEndpoints(endpoint.number, isIn: endpoint.isIn).bits
    opened = isOpen ? opened | bit : opened & ~bit
    // The control endpoint is always enabled in both directions.
    usbd.write(opened & 0xFE | 1, to: USBDRegisters.enabledIn)
    usbd.write(opened &>> 16 | 1, to: USBDRegisters.enabledOut)
  }

  /// Halts an endpoint 1…7 and discards its contents, or clears the halt.
  public mutating func setHalted(_ endpoint: USBEndpoint, _ isHalted: Bool) {
    guard phase == .attached, isOrdinary(endpoint) else { return }
    let address = endpoint.rawValue
    let bit = USBDEndpoints(endpoint.number, isIn: endpoint.isIn).bits
    halted = isHalted ? halted | bit : halted & ~bit
    if isHalted {
      usbd.write(USBDStall(address, true), to: USBDRegisters.stall)
      return
    }
    empty(endpoint)
    usbd.write(USBDStall(address, false), to: USBDRegisters.stall)
    usbd.write(USBDToggle.select(address), to: USBDRegisters.dataToggle)
    usbd.write(USBDToggle.data0(address), to: USBDRegisters.dataToggle)
    // Any value: a received packet is discarded and the next one accepted. Only here: written after a
    // transfer, it would discard a packet received since.
    if !endpoint.isIn { usbd.write(0, to: USBDRegisters.outSize.at(endpoint.number)) }
  }

  private func isOrdinary(_ endpoint: USBEndpoint) -> Bool { 1...7 ~= endpoint.number }

  /// Discards the packet in an endpoint.
  private mutating func empty(_ endpoint: USBEndpoint) {
    guard phase == .attached, isOrdinary(endpoint) else { return }
    let bits = USBDEndpoints(endpoint.number, isIn: endpoint.isIn)
    if endpoint.isIn {
      // A packet that the host has not fetched would be sent before later ones. The manual describes no way
      // to discard it; this is the method of Nordic's driver.
      let number = UInt32(truncatingIfNeeded: endpoint.number)
      usbd.write(0x7B6 &+ 2 &* (number &- 1), to: USBDRegisters.internalIndex)
      let value = usbd.read(USBDRegisters.internalValue)
      usbd.write(value | 2, to: USBDRegisters.internalValue)
    }
    usbd.write(bits, to: USBDRegisters.dataStatus)
    busy &= ~bits.bits
  }
}
