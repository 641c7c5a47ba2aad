/// Joins the payloads that one phone showed one after the other, as far as a device's log shows it.
///
/// A phone that changes its payload while it keeps its address is read twice at that address: first payload
/// A, then B. A and B are joined if
///
/// 1. both are payloads that can change (`canJoin`), and B is the next payload read at an address after A,
/// 2. A was read nowhere after B was read for the first time, and
/// 3. A has no other successor, and B no other predecessor, by 1 and 2.
///
/// Anybody can read a payload and show it again. A device that shows payloads of others one after the other
/// joins none of those that are still there (2), and none that also continue elsewhere (3): then they stay
/// apart, and nobody gets the contacts of somebody else.
struct PayloadChains {
  /// The first payload of the chain of each payload.
  private(set) var roots: [Int32]

  private static let none: Int32 = -1
  private static let several: Int32 = -2

  init(_ scan: DeviceScan, canJoin: (Int) -> Bool) {
    let count = scan.payloads.count
    roots = (0..<count).map(Int32.init)
    var first = [DeviceScan.Position](repeating: .max, count: count)
    var last = [DeviceScan.Position](repeating: 0, count: count)
    for peer in scan.identities.indices {
      for read in scan.reads(ofPeer: peer) {
        let payload = Int(read.payload)
        first[payload] = min(first[payload], read.position)
        last[payload] = max(last[payload], read.position)
      }
    }
    var next = [Int32](repeating: Self.none, count: count)
    var previous = next
    for peer in scan.identities.indices {
      let reads = scan.reads(ofPeer: peer)
      for (one, other) in zip(reads, reads.dropFirst()) where one.payload != other.payload {
        let (from, to) = (Int(one.payload), Int(other.payload))
        guard last[from] < first[to], canJoin(from), canJoin(to) else { continue }
        note(&next[from], other.payload)
        note(&previous[to], one.payload)
      }
    }
    // In the order of time, the root of a predecessor is final.
    for payload in roots.indices.sorted(by: { first[$0] < first[$1] }) {
      let before = previous[payload]
      if before >= 0, next[Int(before)] == Int32(payload) { roots[payload] = roots[Int(before)] }
    }
  }

  private func note(_ neighbour: inout Int32, _ payload: Int32) {
    if neighbour == Self.none {
      neighbour = payload
    } else if neighbour != payload {
      neighbour = Self.several
    }
  }
}
