import HeraldBluetooth
import HeraldHAL
import Testing

@testable import HeraldEmbedded

@Suite("The machine of the peers, alone")
struct PeersTests {
  private let first = DeviceAddress(high: 0xC0DE, low: 1, kind: .random)
  private let second = DeviceAddress(high: 0xC0DE, low: 2, kind: .random)

  @Test("A peer is owed what its state says, and a message before anything else")
  func tasks() {
    var context = MachineContext.started()
    context.offersPayload = true
    var peers = MachinePeers()
    let place = peers.admitHerald(first, &context)
    var tasks: [PeerTask] = []
    for state in [Target.State.candidate, .advertised, .confirmed, .read, .ignored] {
      peers.table[place].state = state
      tasks.append(peers.task(for: place, &context))
    }
    // A peer of unknown system that was read finds and measures this device by itself.
    #expect(tasks == [.meet, .meet, .readPayload, .nothing, .nothing])
    peers.table[place].system = .iOS
    peers.table[place].state = .read
    let ofPhone = peers.task(for: place, &context)
    #expect(ofPhone == .writePayload)
    peers.table.queueMessage(for: place)
    let urgent = peers.task(for: place, &context)
    #expect(urgent == .sendMessage)
    peers.noteDone(.sendMessage, place, &context)
    let after = peers.task(for: place, &context)
    #expect(after == .writePayload)
    peers.table[place].isConnectable = false
    let unreachable = peers.task(for: place, &context)
    #expect(unreachable == .nothing)
  }

  @Test("A failure is counted, frees the peer, and puts it off by the first retry and up to a second")
  func postponed() {
    var context = MachineContext.started()
    var peers = MachinePeers()
    let place = peers.admitHerald(first, &context)
    peers.table.setHeld(place, true)
    peers.postpone(place, .exchangesDropped, &context)
    let failed = peers.table[place]
    #expect(!failed.isHeld && failed.failures == 1)
    #expect(failed.retryAt.milliseconds >= 5000 && failed.retryAt.milliseconds < 6024)
    #expect(context.sink.counters[.exchangesDropped] == 1)
    #expect(peers.workAt == context.now)
  }

  @Test("An attempt holds its peer and ends by its deadline; one that was cut is not held against the peer")
  func attempt() {
    var context = MachineContext.started()
    var peers = MachinePeers()
    let place = peers.admitHerald(first, &context)
    peers.beginAttempt(place, othersWait: false, limit: .never, &context)
    let isHeld = peers.table[place].isHeld
    #expect(isHeld && peers.attempt.isActive)
    #expect(context.wakeAt == Instant(milliseconds: 9000))
    var isOverdue = peers.isAttemptOverdue(&context)
    #expect(!isOverdue)
    peers.cutAttempt(&context)
    isOverdue = peers.isAttemptOverdue(&context)
    #expect(isOverdue)
    peers.attemptFailed(isAtWork: false, &context)
    var peer = peers.table[place]
    #expect(!peers.attempt.isActive && !peer.isHeld && peer.failures == 0)
    #expect(context.sink.counters[.attemptsCut] == 1)

    context.pass(milliseconds: 10_000)
    peers.beginAttempt(place, othersWait: false, limit: .never, &context)
    peers.attemptFailed(isAtWork: false, &context)
    peer = peers.table[place]
    #expect(peer.failures == 1 && context.sink.counters[.attemptsFailed] == 1)
    #expect(context.sink.counters[.attempts] == 2)
  }

  @Test("The peer that a message waits for is chosen before a stranger; a peer that is held is not chosen")
  func choice() {
    var context = MachineContext.started()
    var peers = MachinePeers()
    var connections = ConnectionTable<2>()
    let stranger = peers.admitHerald(first, &context)
    let recipient = peers.admitHerald(second, &context)
    peers.table[recipient].state = .read
    peers.table.queueMessage(for: recipient)
    var choice = peers.choosePeer(isFlooded: false, connected: &connections, &context)
    #expect(choice?.slot == recipient && choice?.othersWait == false)
    peers.table.setHeld(recipient, true)
    choice = peers.choosePeer(isFlooded: false, connected: &connections, &context)
    #expect(choice?.slot == stranger)
    peers.table.setHeld(stranger, true)
    choice = peers.choosePeer(isFlooded: false, connected: &connections, &context)
    #expect(choice == nil && peers.workAt == .never)
  }

  @Test("A peer that was silent for the expiry is forgotten, logged and reported as lost")
  func aged() {
    var context = MachineContext.started()
    var peers = MachinePeers()
    var ageing = Ageing()
    _ = peers.admitHerald(first, &context)
    context.pass(milliseconds: 899_000)
    peers.ageOut(&ageing, &context)
    #expect(peers.table.count == 1)
    context.pass(milliseconds: 2_000)
    peers.ageOut(&ageing, &context)
    #expect(peers.table.count == 0)
    let told = context.told()
    #expect(told == [.detect(TargetIdentity(first)), .lose(TargetIdentity(first))])
    #expect(context.sink.counters[.losses] == 1)
  }

  @Test("A transmit power is logged and reported when it is another than before")
  func power() {
    var context = MachineContext.started()
    var peers = MachinePeers()
    let place = peers.admitHerald(first, &context)
    let identity = TargetIdentity(first)
    _ = context.told()
    peers.note(txPower: 8, of: place, identity, &context)
    peers.note(txPower: 8, of: place, identity, &context)
    peers.note(txPower: -4, of: place, identity, &context)
    let told = context.told()
    #expect(told == [.txPower(identity, 8), .txPower(identity, -4)])
  }

  @Test("Codes end in more for a peer of Herald's, in nothing for one without a code, else in a neighbour")
  func codes() {
    var context = MachineContext.started()
    var peers = MachinePeers()
    let place = peers.admitHerald(first, &context)
    peers.table[place].state = .read
    var end = peers.endCodes(place, wereOwed: true, &context)
    #expect(end == .isOwedMore)
    peers.table[place].state = .advertised
    end = peers.endCodes(place, wereOwed: true, &context)
    #expect(end == .isMetNext && peers.workAt == context.now)
    peers.beginCodes(place)
    end = peers.endCodes(place, wereOwed: false, &context)
    #expect(end == .hasNothing)
    // `endCodes` notes that the codes were read.
    end = peers.endCodes(place, wereOwed: false, &context)
    let peer = peers.table[place]
    #expect(end == .isObserved && peer.state == .observed && peer.ignores == 1 && !peer.owesWork)
  }
}
