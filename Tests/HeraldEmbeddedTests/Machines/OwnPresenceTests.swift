import HeraldBluetooth
import HeraldHAL
import Testing

@testable import HeraldEmbedded

@Suite("The machine of the own presence, alone")
struct OwnPresenceTests {
  @Test("Address and payload change in one step when that is due, and not before the next time")
  func rotation() {
    var context = MachineContext.started()
    var peers = MachinePeers()
    var serving = MachineServing(supplier: { ScriptedSupplier([0x08, 0x01]) })
    var presence = MachinePresence(addressPeriod: .minutes(15))
    presence.key = IdentityResolvingKey.make(random: &context.random)
    #expect(presence.address == .zero)
    var hasChanged = presence.takeAddress(&serving, &context)
    #expect(hasChanged)
    let first = presence.address
    // A resolvable private address: the two upper bits are 01.
    #expect(first.high >> 14 == 1)
    presence.takePayload(&serving, &peers, &context)
    #expect(context.offersPayload && context.sink.counters[.rotations] == 1)
    #expect(serving.unnotified == .max)

    hasChanged = presence.takeAddress(&serving, &context)
    #expect(!hasChanged && presence.address == first)
    #expect(context.wakeAt <= Instant(milliseconds: 1000 + 15 * 60_000))
    presence.changeSoon()
    hasChanged = presence.takeAddress(&serving, &context)
    #expect(hasChanged && presence.address != first)
  }

  @Test("Without a payload nothing is advertised, and it is looked again ten seconds later")
  func withoutPayload() {
    var context = MachineContext.started()
    var peers = MachinePeers()
    var serving = MachineServing(supplier: { ScriptedSupplier([]) })
    var presence = MachinePresence(addressPeriod: .minutes(15))
    presence.key = IdentityResolvingKey.make(random: &context.random)
    let hasChanged = presence.takeAddress(&serving, &context)
    #expect(hasChanged)
    presence.takePayload(&serving, &peers, &context)
    #expect(!context.offersPayload && context.wakeAt == Instant(milliseconds: 11_000))
    let wish = presence.next(allowed: .init(connectable: true, any: true), &context)
    #expect(wish == nil || wish == .silence)
  }

  @Test("What is advertised is said once, and again after the radio was reset")
  func advertising() {
    var context = MachineContext.started()
    var peers = MachinePeers()
    var serving = MachineServing(supplier: { ScriptedSupplier([0x08, 0x01]) })
    var presence = MachinePresence(addressPeriod: .minutes(15))
    presence.key = IdentityResolvingKey.make(random: &context.random)
    _ = presence.takeAddress(&serving, &context)
    presence.takePayload(&serving, &peers, &context)
    let allowed = AdvertisingAllowance(connectable: true, any: true)
    let first = presence.next(allowed: allowed, &context)
    guard case .set(0, let parameters) = first else {
      Issue.record("nothing is advertised")
      return
    }
    #expect(parameters.connectable && parameters.ownAddress == presence.address)
    presence.radioForgot()
    let again = presence.next(allowed: allowed, &context)
    #expect(again == first)
    let silence = presence.next(allowed: .init(connectable: true, any: false), &context)
    #expect(silence == .silence)
  }
}
