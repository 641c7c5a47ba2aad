import HeraldBluetooth
import HeraldHAL

// Peers that open a connection to this device before it has received them.

extension HeraldCore {
  /// Whether a request searches for Herald's short service (Find By Type Value Request, Vol 3, Part F,
  /// 3.4.3.3), as devices like this one do first.
  @inline(never)
  static func isSearch(_ pdu: Span<UInt8>) -> Bool {
    pdu.count == 9 && pdu[0] == 0x06
      && UUID16(UInt16(pdu[8]) &<< 8 | UInt16(pdu[7])) == HeraldUUIDs.shortService
  }

  /// A peer that has opened a connection searches for Herald's service on it. While scanning is in rounds,
  /// this device may not have received it yet: its payload is then read over the same connection, too.
  @inline(never)
  mutating func readUnreceived(_ index: Int) {
    guard exchanges.table[index].step == .serving, exchanges.table[index].isPeers,
      context.configuration.scans, let slot = holdUnreceived(exchanges.table[index].peer)
    else { return }
    context.hasNews = true
    exchanges.beginExchange(
      with: UInt16(truncatingIfNeeded: slot), index, &serving, &peers, &context)
  }

  /// Adds a peer that has opened a connection and was not received before, and holds its slot. `nil` if it
  /// is known, or the budget of strangers is used up, or scanning is not in rounds: then it is received soon.
  mutating func holdUnreceived(_ peer: DeviceAddress) -> Int? {
    let identity = TargetIdentity(peer)
    guard peers.scanBudget.isSparing, peers.table.find(address: peer, at: context.now) == nil,
      peers.table.find(identity) == nil
    else { return nil }
    let hash = peers.table.hash(identity)
    guard
      peers.strangers.isShort
        ? peers.strangers.mayProve() : peers.strangers.mayCome(hash, kind: 1, at: context.now),
      let slot = peers.admit(identity, peer, &context)
    else { return nil }
    peers.table.noteSearch(slot)
    return slot
  }
}
