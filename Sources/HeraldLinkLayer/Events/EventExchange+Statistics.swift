import HeraldBluetooth
import HeraldHAL

// What the counters of the roles are made of.
extension EventExchange where Peripheral: ~Copyable {
  /// The role of the event in progress, or of the one that has ended.
  private var role: LinkLayerRole {
    mutating get {
      switch activity {
      case .none, .advertising: .advertiser
      case .scanning: scanningEvent.connects ? .initiator : .scanner
      case .connection:
        table[Int(connectionEvent.connection)].role == .central ? .central : .peripheral
      }
    }
  }

  /// Begins an event with an operation.
  mutating func begin(_ activity: Activity, _ operation: RadioOperation) {
    self.activity = activity
    times.receptionStart = operation.start
    radio.start(operation)
  }

  /// Cancels the event in progress, and adds it to the counters; see `RadioPeripheral.cancel`.
  mutating func cancel(_ counters: inout LinkLayerCounters) -> Bool {
    guard radio.cancel() else { return false }
    if activity == .scanning, scanningEvent.phase == .listen {
      let now = radio.now()
      if times.receptionStart.isBefore(now) {
        times.addReception(until: now, rampUp: Peripheral.receiveRampUp)
      }
    }
    endEvent(&counters)
    return true
  }

  /// Adds the event that has ended to the counters of its role. There is no activity afterwards.
  mutating func endEvent(_ counters: inout LinkLayerCounters) {
    let role = role
    counters.add(times.receiving, to: .receiving, role)
    counters.add(times.transmitting, to: .transmitting, role)
    counters.add(times.ramping, to: .ramping, role)
    let crystal = radio.crystalTime()
    counters.add(crystal &- countedCrystal, to: .crystal, role)
    countedCrystal = crystal
    if times.isUsed { counters.count(.events, role) }
    counters[.late, role] &+= UInt32(times.late)
    if times.isShortened { counters.count(.skipped, role) }
    times = EventTimes()
    activity = .none
  }
}
