import HeraldChips

/// USBD, with what it needs of POWER, CLOCK and the trim, as the manuals of the nRF52833 and nRF52840
/// describe them: chapters USBD, POWER and CLOCK, and the anomalies 171, 187, 199 and 223.
///
/// Whatever a driver does that the manual forbids is noted in `faults`. `USBDModel+Host.swift` has the host's
/// end of the cable.
final class USBDModel {
  /// One of the three blocks of registers a driver has.
  struct Part: RegisterBlock {
    enum Name { case usbd, supply, trim }
    let model: USBDModel
    let name: Name

    func load(at offset: UInt32) -> UInt32 {
      switch name {
      case .usbd: model.load(offset)
      case .supply: model.loadSupply(offset)
      case .trim: offset == 0 ? (model.isTrimUnlocked ? 1 : 0) : model.trim[offset] ?? 0
      }
    }
    func store(_ word: UInt32, at offset: UInt32) {
      switch name {
      case .usbd: model.store(word, offset)
      case .supply: model.storeSupply(word, offset)
      case .trim: model.storeTrim(word, offset)
      }
    }
    func busAddress(of memory: UnsafeRawBufferPointer) -> UInt32 { model.busAddress(of: memory) }
  }

  /// What a driver did that it must not.
  var faults: [String] = []
  let chip: USBDChip

  // MARK: The chip

  /// The memory that direct memory access reaches, at 0x20000000.
  let ram: UnsafeMutableRawBufferPointer
  var hasSupply = false
  var isSettled = false
  var isCrystalRunning = false
  var supplyInterrupts: UInt32 = 0
  var supplyEvents: Set<UInt32> = []
  var trim: [UInt32: UInt32] = [:]
  var isTrimUnlocked = false
  /// How often the peripheral was enabled since the chip was reset.
  var timesEnabled = 0

  // MARK: The peripheral

  var isEnabled = false
  var isReady = false
  var isPulledUp = false
  var events: Set<UInt32> = []
  var interrupts: UInt32 = 0
  var words: [UInt32: UInt32] = [:]
  var cause: UInt32 = 0
  var dataStatus: UInt32 = 0
  var isLowPower = false
  var isTaskGuarded = false
  /// After how many looks at its event a transfer ends; `nil` for never.
  var transferTime: Int? = 3
  var transfer: (end: UInt32, looks: Int, finish: () -> Void)?
  /// Called when a transfer is looked at, and when a setup packet has been read halfway: for what happens
  /// just then.
  var onTransfer: ((USBDModel) -> Void)?
  var onSetupRead: ((USBDModel) -> Void)?
  /// After how many looks EVENTCAUSE tells a cause.
  var causeDelay: (cause: UInt32, looks: Int)?

  // MARK: Endpoints, by address

  struct Endpoint {
    var isEnabled = false
    var isStalled = false
    var toggle = 0
    /// IN: the packet that waits for the host. OUT: the packet that waits for the driver.
    var packet: [UInt8]?
    /// OUT: whether a packet may come.
    var isArmed = false
  }
  var endpoints: [UInt8: Endpoint] = [:]
  var address: UInt8 = 0
  var request: Request?
  /// The endpoint that DTOGGLE has chosen.
  var chosen: UInt32?

  /// A control request, as the peripheral keeps it.
  struct Request {
    var setup: [UInt8]
    var isIn: Bool { setup[0] & 0x80 != 0 }
    var length: Int { Int(setup[6]) | Int(setup[7]) << 8 }
    var isSetAddress: Bool { setup[0] == 0 && setup[1] == 5 }
    var moved = 0
    var packet: [UInt8]?
    var isReceiving = false
    var isStatusAllowed = false
    var isStalled = false
  }

  init(chip: USBDChip = .nRF52840, ramSize: Int = 4096) {
    self.chip = chip
    ram = UnsafeMutableRawBufferPointer.allocate(byteCount: ramSize, alignment: 8)
    ram.initializeMemory(as: UInt8.self, repeating: 0xA5)
  }

  deinit { ram.deallocate() }

  func part(_ name: Part.Name) -> Part { Part(model: self, name: name) }

  func fault(_ text: String) { faults.append(text) }

  /// Where direct memory access finds `memory`: in RAM, or, as it is somewhere else, where a chip has flash.
  func busAddress(of memory: UnsafeRawBufferPointer) -> UInt32 {
    guard let start = memory.baseAddress, let base = ram.baseAddress else { return 0 }
    let distance = start - UnsafeRawPointer(base)
    return 0..<ram.count ~= distance ? 0x2000_0000 + UInt32(distance) : 0x0001_0000
  }

  /// Whether an interrupt waits, which would keep the processor from sleeping.
  var isInterruptPending: Bool {
    let numbers: [UInt32: UInt32] = [
      0x100: 0, 0x128: 10, 0x158: 22, 0x15C: 23, 0x160: 24,
    ]
    let own = events.contains { interrupts & 1 << (numbers[$0] ?? 31) != 0 }
    let supplyNumbers: [UInt32: UInt32] = [0x100: 0, 0x11C: 7, 0x120: 8, 0x124: 9]
    return own || supplyEvents.contains { supplyInterrupts & 1 << (supplyNumbers[$0] ?? 31) != 0 }
  }

  // MARK: Supply, clock and trim

  func loadSupply(_ offset: UInt32) -> UInt32 {
    switch offset {
    case 0x40C: isCrystalRunning ? 0x1_0001 : 0x1_0000
    case 0x438: (hasSupply ? 1 : 0) | (isSettled ? 2 : 0)
    case 0x100..<0x200: supplyEvents.contains(offset) ? 1 : 0
    default: 0
    }
  }

  func storeSupply(_ word: UInt32, _ offset: UInt32) {
    switch offset {
    case 0x000 where word == 1:
      isCrystalRunning = true
      supplyEvents.insert(0x100)
    case 0x004 where word == 1: isCrystalRunning = false
    case 0x100..<0x200: if word == 0 { supplyEvents.remove(offset) }
    case 0x304: supplyInterrupts |= word
    default: fault("supply register \(offset)")
    }
  }

  func storeTrim(_ word: UInt32, _ offset: UInt32) {
    if offset == 0 {
      if word == 0x9375 { isTrimUnlocked.toggle() }
    } else if isTrimUnlocked {
      trim[offset] = word
    } else {
      fault("trim is locked")
    }
  }

  // MARK: Registers of USBD

  func load(_ offset: UInt32) -> UInt32 {
    guard isEnabled || offset == 0x500 else { return 0 }
    switch offset {
    case 0x100...0x160: return event(offset)
    case 0x400:
      if let delay = causeDelay {
        causeDelay?.looks -= 1
        if delay.looks <= 0 {
          cause |= delay.cause
          if delay.cause == 1 << 11 { isReady = true }
          events.insert(0x158)
          causeDelay = nil
        }
      }
      return cause
    case 0x46C: return dataStatus
    case 0x470: return UInt32(address)
    case 0x480...0x49C:
      if offset == 0x48C { onSetupRead?(self) }
      return UInt32(request?.setup[Int(offset - 0x480) / 4] ?? 0)
    case 0x4A0...0x4BC:
      if transfer != nil { fault("SIZE.EPOUT read during a transfer") }
      let number = UInt8((offset - 0x4A0) / 4)
      return UInt32((number == 0 ? request?.packet : endpoints[number]?.packet)?.count ?? 0)
    case 0x500: return isEnabled ? 1 : 0
    case 0x52C: return isLowPower ? 1 : 0
    default: return words[offset] ?? 0
    }
  }

  private func event(_ offset: UInt32) -> UInt32 {
    if transfer?.end == offset { onTransfer?(self) }
    if let running = transfer, running.end == offset {
      transfer?.looks += 1
      if let time = transferTime, running.looks + 1 >= time {
        running.finish()
        events.insert(offset)
        transfer = nil
      }
    }
    return events.contains(offset) ? 1 : 0
  }

  func store(_ word: UInt32, _ offset: UInt32) {
    if offset == 0x500 { return enable(word == 1) }
    // A peripheral that is not enabled takes nothing.
    guard isEnabled else { return }
    if case (1 << 10, _)? = causeDelay, offset != 0x400 {
      // "Low-power": the controller takes nothing before USBWUALLOWED.
      return fault("register \(offset) written before it is awake")
    }
    guard isReady || offset == 0x400 else { return fault("register \(offset) written before READY") }
    switch offset {
    case 0x004...0x020: if word == 1 { startIn(UInt8((offset - 4) / 4)) }
    case 0x028...0x044: if word == 1 { startOut(UInt8((offset - 0x28) / 4)) }
    case 0x04C, 0x050, 0x054: if word == 1 { controlTask(offset) }
    case 0x100...0x160: if word == 0 { events.remove(offset) }
    case 0x304: interrupts |= word
    case 0x308: interrupts &= ~word
    case 0x400: cause &= ~word
    case 0x46C: dataStatus &= ~word
    case 0x4A0...0x4BC: acceptOut(UInt8((offset - 0x4A0) / 4))
    case 0x504: pullUp(word == 1)
    case 0x50C: toggle(word)
    case 0x510, 0x514: enableEndpoints(word, isIn: offset == 0x510)
    case 0x518:
      if word & 7 == 0 { fault("EPSTALL for the control endpoint") }
      endpoints[UInt8(word & 0x87), default: Endpoint()].isStalled = word & 0x100 != 0
    case 0x52C: setLowPower(word == 1)
    case 0x804: internalRegister(word)
    case 0xC1C: isTaskGuarded = word == 0x82
    case 0x200, 0x600...0x69C, 0x700...0x79C, 0x800: words[offset] = word
    default: fault("register \(offset)")
    }
  }

  private func enable(_ isOn: Bool) {
    if transfer != nil, isOn { fault("enabled during a transfer") }
    guard isOn != isEnabled else { return }
    isEnabled = isOn
    isReady = false
    if isOn {
      timesEnabled += 1
      if !hasSupply { fault("enabled without a supply") }
      // Anomalies 187 and 171: without the trim it never gets ready.
      let isTrimmed = trim[0x114] == 3 && (chip == .nRF52833 || trim[0x14] == 0xC0)
      if isTrimmed { causeDelay = (1 << 11, 2) }
    } else {
      isPulledUp = false
      isLowPower = false
      interrupts = 0
      forgetBus()
      events = []
      cause = 0
      words = [:]
      transfer = nil
      causeDelay = nil
    }
  }

  private func pullUp(_ isOn: Bool) {
    if isOn, !isSettled { fault("pull-up before OUTPUTRDY") }
    if isOn, !isCrystalRunning { fault("pull-up without the crystal") }
    // Anomaly 171: the setting is for the time until READY.
    if isOn, trim[0x14] ?? 0 != 0 { fault("trim left behind") }
    isPulledUp = isOn
  }

  private func setLowPower(_ isOn: Bool) {
    if isOn == isLowPower { fault("LOWPOWER written twice") }
    if isOn, transfer != nil { fault("LOWPOWER during a transfer") }
    if !isOn, chip == .nRF52840, trim[0x14] != 0xC0 { fault("woken without the trim of anomaly 171") }
    isLowPower = isOn
    if !isOn { causeDelay = (1 << 10, 2) }
  }
}
