import HeraldBluetooth
import HeraldHAL
import TestInputs
import Testing

@testable import HeraldEmbedded
@testable import HeraldSimulation

/// The machines of a device that has connections, and its radio.
private struct Machines: ~Copyable {
  var context = MachineContext.started()
  var peers = MachinePeers()
  var serving = MachineServing(supplier: { ScriptedSupplier([UInt8](1...60)) })
  var exchanges = MachineExchanges()
  var radio = MockRadio(capabilities: MockRadio.usualCapabilities)

  init() { serving.radioIsReady(maximumPDU: 247) }

  mutating func open(_ index: Int, _ peer: UInt32) {
    exchanges.opened(
      ConnectionOpened(
        connection: ConnectionID(index: index), role: .peripheral,
        peer: DeviceAddress(high: 0xC0DE, low: peer, kind: .random)), isOurs: false, &serving, &peers,
      &context)
  }

  /// Begins an exchange with a peer that was received just now, on a connection of this device.
  mutating func meet(_ index: Int, _ peer: UInt32) {
    let address = DeviceAddress(high: 0xC0DE, low: peer, kind: .random)
    let id = ConnectionID(index: index)
    let place = peers.admitHerald(address, &context)
    guard place >= 0 else { return }
    peers.beginAttempt(place, othersWait: false, limit: .never, &context)
    let isOurs = peers.attemptSucceeded(&context)
    var nobody = IgnoringHandler()
    radio.happen(.opened(id, .central, peer: address))
    _ = radio.poll(at: context.now, into: &nobody)
    exchanges.opened(
      ConnectionOpened(connection: id, role: .central, peer: address), isOurs: isOurs, &serving, &peers,
      &context)
  }

  /// Sends what is to be sent on a connection, and takes the peer's responses. What was commanded and told.
  mutating func exchange(_ index: Int, _ peer: UInt32, _ random: inout SplitMix64) -> String {
    exchanges.driveAll(&radio, &serving, &peers, &context)
    let commands = radio.takeCommands()
    var simulated = SimulatedPeer(fixedPayload: UInt64(peer))
    for case .send(let request, ConnectionID(index: index)) in commands {
      var response = [UInt8](repeating: 0, count: 23)
      var room = response.mutableSpan
      let count = simulated.answer(request.span, into: &room)
      response.removeLast(23 - count)
      switch random.next() % 12 {
      case 0: response = []
      case 1: response = [0x01, request[0], 0, 0, [0x0A, 0x05, 0x80][Int(random.next() % 3)]]
      case 2: response = random.mutated([response])
      default: break
      }
      guard !response.isEmpty, exchanges.table[index].step != .closed else { continue }
      _ = exchanges.take(response.span, index, &serving, &peers, &context)
    }
    return "\(commands) \(told())"
  }

  /// The peer's connection ends, and the radio is no longer asked for anything on it.
  mutating func lose(_ index: Int) {
    var nobody = IgnoringHandler()
    radio.happen(.closed(ConnectionID(index: index), .remoteUserTerminated))
    _ = radio.poll(at: context.now, into: &nobody)
    close(index)
  }

  mutating func close(_ index: Int) {
    exchanges.closed(index, .remoteUserTerminated, &serving, &peers, &context)
  }

  /// A peer's request on a connection, and the response.
  mutating func ask(_ request: [UInt8], on index: Int) -> [UInt8] {
    var buffer = request + [UInt8](repeating: 0, count: 247 - request.count)
    var span = buffer.mutableSpan
    let count = serving.respond(
      to: &span, count: request.count, index, &exchanges.table[index], &peers, &context)
    return Array(buffer[..<count])
  }

  /// What was logged or told of what peers wrote.
  mutating func told() -> String { "\(context.told())" }
}

@Suite("The life of connections in the machines")
struct ConnectionLifeTests {
  /// Requests about the signal characteristic, the payload, and the connection. Payloads contain `mark`: one
  /// that a device knows is told as known.
  private static func request(_ random: inout SplitMix64, mark: UInt8) -> [UInt8] {
    let handle: [UInt8] = [[0x0E, 0], [0x13, 0]][Int(random.next() % 2)]
    // An RSSI message, a payload message of ten bytes and parts of it, the beginning of one that shares
    // payloads, and garbage.
    let messages: [[UInt8]] = [
      [1, 0, 0], [2, 10, 0] + [UInt8](mark...(mark + 9)), [2, 10, 0, mark, 2, 3], [mark, 5, 6, 7],
      [mark, 9, 10], [], [9, 9], [2, 30, 0] + [UInt8](mark...(mark + 8)),
      [3, 0xD0, 0xFF, 40, 0, mark, 2, 3, 4],
    ]
    let message = messages[Int(random.next() % 9)]
    switch random.next() % 9 {
    case 0: return [0x02, 0xF7, 0x00]
    case 1: return [0x0A, 0x10, 0x00]
    case 2: return [0x0C, 0x10, 0x00, 20, 0]
    case 3: return [0x16] + handle + [0, 0] + message
    case 4: return [0x16] + handle + [UInt8(message.count), 0] + message
    case 5: return [0x18, UInt8(random.next() % 4 > 0 ? 1 : 0)]
    default: return [0x12] + handle + message
    }
  }

  @Test(
    "a peer's connection is served as the first one in its place, whatever the peers before it left behind")
  func served() {
    for seed in 0..<300 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var used = Machines()
      for peer in 0..<UInt32(random.next() % 3) {
        let index = Int(random.next() % 2)
        used.open(index, 1 + peer)
        for _ in 0..<(random.next() % 10) {
          used.context.pass(milliseconds: random.next() % 2000)
          _ = used.ask(Self.request(&random, mark: 11), on: index)
          used.exchanges.driveAll(&used.radio, &used.serving, &used.peers, &used.context)
        }
        used.close(index)
        if random.next() % 9 == 0 {
          used.exchanges.radioForgot(&used.serving, &used.peers, &used.context)
        }
      }
      _ = used.told()
      _ = used.radio.takeCommands()
      var fresh = Machines()
      fresh.context.now = used.context.now
      used.open(0, 77)
      fresh.open(0, 77)
      for number in 0..<25 {
        let time = random.next() % 2000
        used.context.pass(milliseconds: time)
        fresh.context.pass(milliseconds: time)
        let request = Self.request(&random, mark: 111)
        let (seen, expected) = (used.ask(request, on: 0), fresh.ask(request, on: 0))
        used.exchanges.driveAll(&used.radio, &used.serving, &used.peers, &used.context)
        fresh.exchanges.driveAll(&fresh.radio, &fresh.serving, &fresh.peers, &fresh.context)
        let commands = used.radio.takeCommands() == fresh.radio.takeCommands()
        let (told, expectedToBeTold) = (used.told(), fresh.told())
        let isSame = seen == expected && commands && told == expectedToBeTold
        guard isSame else {
          Issue.record(
            "seed \(seed), request \(number), \(request): \(seen) \(told), not \(expected) \(expectedToBeTold)"
          )
          return
        }
      }
    }
  }

  @Test("an exchange goes as the first one in its place, however those before it went and ended")
  func exchanged() {
    for seed in 0..<200 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var used = Machines()
      for peer in 0..<UInt32(random.next() % 4) {
        let index = Int(random.next() % 2)
        used.meet(index, 1 + peer)
        for _ in 0..<(random.next() % 14) {
          used.context.pass(milliseconds: random.next() % 1500)
          _ = used.exchange(index, 1 + peer, &random)
        }
        used.lose(index)
      }
      for slot in 0..<used.peers.table.slotsUsed where used.peers.table.isTaken(slot) {
        used.peers.table.remove(slot)
      }
      _ = used.radio.takeCommands()
      var fresh = Machines()
      fresh.context.now = used.context.now
      used.meet(0, 77)
      fresh.meet(0, 77)
      _ = (used.told(), fresh.told())
      for number in 0..<25 {
        let time = random.next() % 1500
        used.context.pass(milliseconds: time)
        fresh.context.pass(milliseconds: time)
        var copy = random
        let seen = used.exchange(0, 77, &random)
        let expected = fresh.exchange(0, 77, &copy)
        guard seen == expected else {
          Issue.record("seed \(seed), step \(number): \(seen) instead of \(expected)")
          return
        }
      }
    }
  }
}
