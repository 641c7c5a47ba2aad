import HeraldChips

/// The host's end of the cable: transactions, one token at a time.
extension USBDModel {
  /// What the device says to a token.
  enum Answer: Equatable {
    case ack
    case nak
    case stall
    /// A packet, DATA0 or DATA1.
    case data(Int, [UInt8])
    /// Nothing at all.
    case silence
  }

  /// The cable is plugged in; the regulator settles later.
  func plug() {
    hasSupply = true
    supplyEvents.insert(0x11C)
  }

  /// The regulator has settled.
  func settle() {
    isSettled = true
    supplyEvents.insert(0x124)
  }

  /// The cable is pulled.
  func unplug() {
    hasSupply = false
    isSettled = false
    supplyEvents.insert(0x120)
    forgetBus()
  }

  /// Whether the host sees a device. Anomaly 223: one that was not enabled twice does not work.
  var isVisible: Bool { hasSupply && isEnabled && isPulledUp && timesEnabled >= 2 }

  func resetBus() {
    guard isVisible else { return }
    forgetBus()
    events.insert(0x100)
  }

  func suspendBus() {
    cause |= 1 << 8
    events.insert(0x158)
  }

  func resumeBus() {
    cause |= 1 << 9
    events.insert(0x158)
  }

  /// A SETUP token with its packet, which a device must take.
  func setup(_ bytes: [UInt8]) -> Answer {
    guard isVisible, !isLowPower else { return .silence }
    request = Request(setup: bytes)
    events.insert(0x15C)
    // The peripheral answers by itself, and has the address when it has.
    if request?.isSetAddress == true { request?.isStatusAllowed = true }
    return .ack
  }

  /// An IN token.
  func input(_ address: UInt8) -> Answer {
    guard isVisible, !isLowPower else { return .silence }
    guard address & 15 != 0 else { return controlInput() }
    guard var endpoint = endpoints[address], endpoint.isEnabled else { return .silence }
    if endpoint.isStalled { return .stall }
    guard let packet = endpoint.packet else { return .nak }
    defer { endpoint.toggle ^= 1; endpoints[address] = endpoint }
    endpoint.packet = nil
    dataStatus |= 1 << UInt32(address & 15)
    events.insert(0x160)
    return .data(endpoint.toggle, packet)
  }

  private func controlInput() -> Answer {
    guard let present = request else { return .stall }
    if present.isStalled { return .stall }
    if present.isIn, let packet = present.packet {
      request?.packet = nil
      // The first packet of a data stage is DATA1.
      let toggle = (present.moved / 64 + 1) % 2
      request?.moved += packet.count
      events.insert(0x128)
      if (words[0x200] ?? 0) & 4 != 0 {
        if transfer != nil, chip == .nRF52840, !isTaskGuarded {
          fault("shortcut during a transfer")
        } else {
          request?.isStatusAllowed = true
        }
      }
      return .data(toggle, packet)
    }
    // The status stage of a request without data from the device.
    guard !present.isIn, present.isStatusAllowed else { return .nak }
    if present.isSetAddress { address = present.setup[2] }
    request = nil
    return .data(1, [])
  }

  /// An OUT token with its packet.
  func output(_ address: UInt8, toggle: Int, _ packet: [UInt8]) -> Answer {
    guard isVisible, !isLowPower else { return .silence }
    guard address != 0 else { return controlOutput(packet) }
    guard var endpoint = endpoints[address], endpoint.isEnabled else { return .silence }
    if endpoint.isStalled { return .stall }
    guard endpoint.isArmed, endpoint.packet == nil else { return .nak }
    // The same packet again is acknowledged and dropped (USB 2.0, 8.6.4).
    guard toggle == endpoint.toggle else { return .ack }
    endpoint.toggle ^= 1
    endpoint.isArmed = false
    endpoint.packet = packet
    endpoints[address] = endpoint
    dataStatus |= 1 << UInt32(address + 16)
    events.insert(0x160)
    return .ack
  }

  private func controlOutput(_ packet: [UInt8]) -> Answer {
    guard let present = request else { return .stall }
    if present.isStalled { return .stall }
    if present.isIn {
      // The status stage behind data from the device.
      guard present.isStatusAllowed, packet.isEmpty else { return .nak }
      request = nil
      return .ack
    }
    guard present.isReceiving, present.packet == nil else { return .nak }
    request?.isReceiving = false
    request?.packet = packet
    request?.moved += packet.count
    events.insert(0x128)
    return .ack
  }
}
