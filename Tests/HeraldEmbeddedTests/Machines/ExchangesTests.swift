import HeraldBluetooth
import HeraldHAL
import HeraldSimulation
import Testing

@testable import HeraldEmbedded

@Suite("The machine of the exchanges, alone")
struct ExchangesTests {
  private let phone = DeviceAddress(high: 0xC0DE, low: 1, kind: .random)

  private func opened(_ index: Int, _ role: ConnectionRole) -> ConnectionOpened {
    ConnectionOpened(connection: ConnectionID(index: index), role: role, peer: phone)
  }

  @Test("A connection of a peer's is served until its life ends, and then closed")
  func served() {
    var context = MachineContext.started()
    var peers = MachinePeers()
    var serving = MachineServing(supplier: { ScriptedSupplier([1]) })
    var exchanges = MachineExchanges()
    var radio = MockRadio(capabilities: MockRadio.usualCapabilities)
    exchanges.opened(opened(0, .peripheral), isOurs: false, &serving, &peers, &context)
    var exchange = exchanges.table[0]
    #expect(exchange.step == .serving && exchange.isPeers && exchange.peer == phone)
    #expect(exchange.end == Instant(milliseconds: 61_000))
    #expect(context.sink.counters[.connectionsIn] == 1)

    context.pass(milliseconds: 14_999)
    exchanges.driveAll(&radio, &serving, &peers, &context)
    #expect(radio.takeCommands().isEmpty && context.wakeAt == Instant(milliseconds: 16_000))
    context.pass(milliseconds: 1)
    exchanges.driveAll(&radio, &serving, &peers, &context)
    exchange = exchanges.table[0]
    #expect(exchange.step == .closing)
    #expect(radio.takeCommands() == [.disconnect(ConnectionID(index: 0))])
    // The radio is asked again every two seconds for as long as it has not closed it.
    context.pass(milliseconds: 2_000)
    exchanges.driveAll(&radio, &serving, &peers, &context)
    #expect(radio.takeCommands() == [.disconnect(ConnectionID(index: 0))])
    exchanges.closed(0, .remoteUserTerminated, &serving, &peers, &context)
    let count = exchanges.table.openCount()
    #expect(count == 0)
  }

  @Test("A connection that nobody asked for is closed, and counted as refused")
  func unwanted() {
    var context = MachineContext.started()
    var peers = MachinePeers()
    var serving = MachineServing(supplier: { ScriptedSupplier([1]) })
    var exchanges = MachineExchanges()
    exchanges.opened(opened(1, .central), isOurs: false, &serving, &peers, &context)
    let exchange = exchanges.table[1]
    #expect(exchange.step == .closing && context.sink.counters[.connectionsRefused] == 1)
  }

  @Test("A connection of ours begins with the exchange of the MTU, and its loss counts as a failure")
  func dropped() {
    var context = MachineContext.started()
    var peers = MachinePeers()
    var serving = MachineServing(supplier: { ScriptedSupplier([1]) })
    serving.radioIsReady(maximumPDU: 247)
    var exchanges = MachineExchanges()
    var radio = MockRadio(capabilities: MockRadio.usualCapabilities)
    var nobody = IgnoringHandler()
    radio.happen(.opened(ConnectionID(index: 0), .central, peer: phone))
    _ = radio.poll(at: context.now, into: &nobody)
    _ = radio.takeCommands()
    let place = peers.admitHerald(phone, &context)
    peers.beginAttempt(place, othersWait: false, limit: .never, &context)
    let isOurs = peers.attemptSucceeded(&context)
    #expect(isOurs)
    exchanges.opened(opened(0, .central), isOurs: isOurs, &serving, &peers, &context)
    exchanges.driveAll(&radio, &serving, &peers, &context)
    // Exchange MTU Request, 247.
    #expect(radio.takeCommands() == [.send([0x02, 0xF7, 0x00], on: ConnectionID(index: 0))])
    exchanges.closed(0, .connectionTimeout, &serving, &peers, &context)
    let peer = peers.table[place]
    #expect(peer.failures == 1 && !peer.isHeld && context.sink.counters[.exchangesDropped] == 1)
  }

  @Test("Closing several connections leaves those that are closed or being closed as they are")
  func several() {
    var context = MachineContext.started()
    var peers = MachinePeers()
    var serving = MachineServing(supplier: { ScriptedSupplier([1]) })
    var exchanges = MachineExchanges()
    exchanges.opened(opened(1, .peripheral), isOurs: false, &serving, &peers, &context)
    exchanges.close(all: .max, &serving, &peers, &context)
    var steps = [exchanges.table[0].step, exchanges.table[1].step]
    #expect(steps == [.closed, .closing])
    context.pass(milliseconds: 100)
    exchanges.close(all: .max, &serving, &peers, &context)
    steps = [exchanges.table[0].step, exchanges.table[1].step]
    #expect(steps == [.closed, .closing])
    let end = exchanges.table[1].end
    #expect(end == Instant(milliseconds: 1000))
  }
}
