import HeraldChips

/// Transfers between RAM and the endpoints' buffers, and what a driver does with endpoints.
extension USBDModel {
  /// The bus was reset, or the peripheral switched off.
  func forgetBus() {
    endpoints = [:]
    address = 0
    request = nil
    dataStatus = 0
    chosen = nil
    // A transfer that is going on does not end.
    transfer = nil
  }

  /// The memory of a transfer; `nil` if there is something wrong with it.
  private func memory(_ place: UInt32, _ number: UInt8) -> UnsafeMutableRawBufferPointer? {
    let pointer = words[place + UInt32(number) * 0x14] ?? 0
    let count = Int(words[place + UInt32(number) * 0x14 + 4] ?? 0)
    if transfer != nil {
      fault("two transfers at once")
      return nil
    }
    if isLowPower {
      fault("transfer in low power")
      return nil
    }
    guard pointer >= 0x2000_0000, Int(pointer - 0x2000_0000) + count <= ram.count else {
      fault("transfer outside RAM")
      return nil
    }
    if pointer % 4 != 0 { fault("transfer is not aligned") }
    if count > 64 { fault("transfer of \(count) bytes") }
    let start = Int(pointer - 0x2000_0000)
    return UnsafeMutableRawBufferPointer(rebasing: ram[start..<(start + count)])
  }

  func startIn(_ number: UInt8) {
    guard let memory = memory(0x600, number) else { return }
    let end = 0x108 + UInt32(number) * 4
    if events.contains(end) { fault("ENDEPIN\(number) was not cleared") }
    if number == 0 {
      guard let request, request.isIn, !request.isSetAddress, request.moved < request.length else {
        return fault("data that no request asks for")
      }
      if request.packet != nil { fault("EPIN0 has a packet already") }
      let isLast = memory.count < 64 || request.moved + memory.count >= request.length
      if isLast != ((words[0x200] ?? 0) & 4 != 0) { fault("shortcut to the status stage") }
    } else {
      let endpoint = endpoints[number | 0x80] ?? Endpoint()
      guard endpoint.isEnabled else { return fault("EPIN\(number) is not enabled") }
      if endpoint.packet != nil { fault("EPIN\(number) has a packet already") }
      if dataStatus & 1 << UInt32(number) != 0 { fault("EPDATASTATUS.EPIN\(number) was not cleared") }
    }
    transfer = (
      end, 0,
      { [unowned self] in
        // Read when it is moved, not when it is begun.
        if number == 0 {
          request?.packet = Array(memory)
        } else {
          endpoints[number | 0x80]?.packet = Array(memory)
        }
      }
    )
  }

  func startOut(_ number: UInt8) {
    guard let memory = memory(0x700, number) else { return }
    let end = 0x130 + UInt32(number) * 4
    if events.contains(end) { fault("ENDEPOUT\(number) was not cleared") }
    guard let packet = number == 0 ? request?.packet : endpoints[number]?.packet else {
      return fault("EPOUT\(number) has no packet")
    }
    if memory.count != packet.count { fault("MAXCNT is not SIZE.EPOUT") }
    if number != 0, dataStatus & 1 << UInt32(number + 16) != 0 {
      fault("EPDATASTATUS.EPOUT\(number) was not cleared")
    }
    transfer = (
      end, 0,
      { [unowned self] in
        memory.copyBytes(from: packet.prefix(memory.count))
        if number == 0 {
          request?.packet = nil
        } else {
          endpoints[number]?.packet = nil
          endpoints[number]?.isArmed = true
        }
      }
    )
  }

  /// A write to SIZE.EPOUT.
  func acceptOut(_ number: UInt8) {
    guard number != 0, endpoints[number]?.isEnabled == true else {
      return fault("SIZE.EPOUT\(number) written")
    }
    endpoints[number]?.packet = nil
    endpoints[number]?.isArmed = true
  }

  func controlTask(_ offset: UInt32) {
    if transfer != nil, chip == .nRF52840, !isTaskGuarded { return fault("task during a transfer") }
    guard var present = request, !present.isStalled, !present.isStatusAllowed else {
      return fault("task \(offset) without a request")
    }
    switch offset {
    case 0x04C:
      guard !present.isIn, present.moved < present.length, present.packet == nil, !present.isReceiving else {
        return fault("EP0RCVOUT without data to come")
      }
      present.isReceiving = true
    case 0x050:
      if present.isSetAddress { return fault("EP0STATUS for Set Address") }
      if !present.isIn, present.moved < present.length { return fault("EP0STATUS before the data") }
      present.isStatusAllowed = true
    default: present.isStalled = true
    }
    request = present
  }

  func toggle(_ word: UInt32) {
    switch word >> 8 {
    case 0: chosen = word
    case 1 where chosen == word & 0xFF: endpoints[UInt8(word & 0x87), default: Endpoint()].toggle = 0
    default: fault("DTOGGLE without a choice")
    }
  }

  func enableEndpoints(_ word: UInt32, isIn: Bool) {
    if word & 1 == 0 { fault("control endpoint disabled") }
    for number in UInt8(1)...7 {
      let key = isIn ? number | 0x80 : number
      let isEnabled = word & 1 << UInt32(number) != 0
      if !isEnabled { endpoints[key, default: Endpoint()].isArmed = false }
      endpoints[key, default: Endpoint()].isEnabled = isEnabled
    }
  }

  /// The internal register with which a packet is taken back from an IN endpoint.
  func internalRegister(_ word: UInt32) {
    guard let index = words[0x800], index >= 0x7B6, index % 2 == 0, index <= 0x7C2, word & 2 != 0 else {
      return fault("internal register")
    }
    endpoints[UInt8((index - 0x7B6) / 2 + 1) | 0x80]?.packet = nil
  }
}
