import HeraldBluetooth
import HeraldHAL
import HeraldSimulation

@testable import HeraldEmbedded

/// The parts of a device whose machines are tested one at a time.
enum MachineParts: DeviceParts {
  typealias FlashType = MemoryFlash
  typealias RandomType = ScenarioRandom
  typealias SupplierType = ScriptedSupplier
  typealias DelegateType = Recorder
}

/// What a machine is given beside its input: 16 pages of flash, and a radio that can do everything.
typealias MachineContext = CoreContext<MachineParts>
typealias MachinePeers = Peers<MachineParts, 4>
typealias MachineServing = Serving<MachineParts, 4, 2, 2>
typealias MachineExchanges = Exchanges<MachineParts, 4, 2, 2>
typealias MachinePresence = OwnPresence<MachineParts, 4, 2, 2>

extension CoreContext where Parts == MachineParts {
  static func started(_ configuration: HeraldConfiguration = HeraldConfiguration.steady) -> MachineContext {
    var context = MachineContext(
      flash: MemoryFlash(pageSize: 4096, pageCount: 16, wordSize: 4), random: ScenarioRandom(),
      delegate: { Recorder() }, configuration: { configuration })
    context.capabilities = MockRadio.usualCapabilities
    context.now = Instant(milliseconds: 1000)
    context.sink.start(reason: 0, freshEpoch: 1, commitPeriod: .seconds(30))
    context.wakeAt = .never
    return context
  }

  /// Time passes, and nothing is to be done yet.
  mutating func pass(milliseconds: UInt64) {
    now = Instant(milliseconds: now.milliseconds + milliseconds)
    wakeAt = .never
    hasNews = false
  }

  /// What the delegate was told since this was asked last.
  mutating func told() -> [Heard] {
    let heard = sink.delegate.heard
    sink.delegate.heard = []
    return heard
  }
}

extension Peers where Parts == MachineParts {
  /// A peer that shows Herald's service, takes connections and was heard just now: its place.
  mutating func admitHerald(_ address: DeviceAddress, _ context: inout MachineContext) -> Int {
    guard let place = admit(TargetIdentity(address), address, &context) else { return -1 }
    table[place].isConnectable = true
    table[place].state = .advertised
    table.setOwesWork(place, true)
    return place
  }
}

/// Takes in what a radio says, and does nothing about it.
struct IgnoringHandler: RadioEventHandler {
  mutating func received(_ report: AdvertisingReport, data: Span<UInt8>, at now: Instant) {}
  mutating func radioChanged(_ state: RadioState, at now: Instant) {}
  mutating func connectionOpened(_ opened: ConnectionOpened, at now: Instant) {}
  mutating func connectionFailed(_ reason: DisconnectReason, at now: Instant) {}
  mutating func connectionClosed(_ connection: ConnectionID, _ reason: DisconnectReason, at now: Instant) {}
  mutating func pduReceived(
    _ buffer: inout MutableSpan<UInt8>, count: Int, on connection: ConnectionID, at now: Instant
  ) -> Int { 0 }
  mutating func readyToSend(on connection: ConnectionID, at now: Instant) {}
  mutating func measured(_ rssi: RSSI, on connection: ConnectionID, at now: Instant) {}
}
