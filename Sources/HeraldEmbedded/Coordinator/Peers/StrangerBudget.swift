import HeraldHAL

/// How many strangers are added to the table, and how many of their readings are kept. A stranger is a peer
/// known only by its advertisements, which any device can generate. Zero bits when nothing has been spent.
///
/// There are two budgets of each sort, one for strangers that show a Herald service and one for all others,
/// so that a flood of one kind does not reduce the other. They grow with the capacity of the table; a table
/// of fewer than 64 slots counts as one of 64.
///
/// - **Identities**: a stranger that is added costs 13 bytes of log. 16 for each slot of the table may be
///   added at once, and one in 4.1 s for each 64 slots after that. A payload that is read restores one. In a
///   period in which one was refused nothing is restored: a flood gets what is left when it begins, and no
///   more while it lasts.
/// - **Readings**: 128 for each slot at once, and 3.9 a second for each 64 slots after that. A payload that
///   is read restores 128.
/// - **Proof**: while identities are refused, a stranger is added if it is received in both halves of a
///   period of 4.1 s, or opens a connection to this device; 16 at once, and one in a period after that. The
///   first half stores marks of those that are refused, each in a slot that its hash gives and only if that
///   is free, so that a flood of fresh addresses does not replace stored marks.
///
/// The numbers are more than twice the peaks of simulated crowds (256 slots: 467 identities outstanding of
/// 4,096 in a room of 200 whose addresses change each minute, 1,488 in the first minute of a crowd of 2,000),
/// and of the documents' 140,000 readings in 23 hours.
struct StrangerBudget<let targets: Int>: ~Copyable {
  /// Identities spent and not restored, by kind.
  private var identities: [2 of UInt32]
  /// Readings spent and not restored, by kind.
  private var readings: [2 of UInt32]
  /// Identities added on proof, spent and not restored.
  private var proven: UInt32
  /// The last period taken into account.
  private var settled: UInt32
  /// What was not logged because of a budget, and is not reported yet.
  var unkept: UInt32
  /// Whether identities of a kind were refused in this period.
  private var isRefusing: [2 of Bool]
  /// Marks of identities that were refused in the first half of this period; 0 where there is none.
  private var noted: [targets of UInt16]

  init() {
    identities = .init(repeating: 0)
    readings = .init(repeating: 0)
    proven = 0
    settled = 0
    unkept = 0
    isRefusing = .init(repeating: false)
    noted = .init(repeating: 0)
  }

  /// How large a table the budgets are for.
  private static var size: UInt32 { UInt32(truncatingIfNeeded: targets < 64 ? 64 : targets) }
  /// The most identities of a kind that may be outstanding.
  static var identityLimit: UInt32 { size &* 16 }
  /// The most readings of strangers of a kind that may be outstanding.
  static var readingLimit: UInt32 { size &* 128 }
  /// How many readings a payload that was read restores.
  static var readingsPerPayload: UInt32 { 128 }
  /// The most identities added on proof that may be outstanding.
  static var provenLimit: UInt32 { 16 }

  /// Restores what was spent, once in a period of 4,096 ms.
  private mutating func settle(at now: Instant) {
    let period = (now.milliseconds &>> 12).low32
    let passed = period &- settled
    guard passed != 0 else { return }
    settled = period
    for slot in 0..<targets { noted[slot] = 0 }
    proven = proven > passed ? proven &- passed : 0
    // More than a few hours restore everything.
    let most = passed < 4096 ? passed : 4096
    for kind in 0..<2 {
      let regained = (most &- (isRefusing[kind] ? 1 : 0)) &* (Self.size / 64)
      identities[kind] = identities[kind] > regained ? identities[kind] &- regained : 0
      let restored = most &* (Self.size / 4)
      readings[kind] = readings[kind] > restored ? readings[kind] &- restored : 0
      isRefusing[kind] = false
    }
  }

  /// Whether a stranger whose identity has this hash may be added, and charges it. `kind` is 1 for one that
  /// shows a service, else 0.
  @inline(never)
  mutating func mayCome(_ hash: UInt32, kind: Int, at now: Instant) -> Bool {
    settle(at: now)
    if identities[kind] < Self.identityLimit {
      identities[kind] &+= 1
      return true
    }
    isRefusing[kind] = true
    let slot = Int(((hash & 0xFFFF) &* UInt32(truncatingIfNeeded: targets)) &>> 16)
    guard slot < targets else { return false }
    let mark = UInt16(truncatingIfNeeded: hash &>> 16) | 1
    if now.milliseconds.low32 & 2048 == 0 {
      if noted[slot] == 0 { noted[slot] = mark }
    } else if noted[slot] == mark, mayProve() {
      noted[slot] = 0
      return true
    }
    unkept &+= 1
    return false
  }

  /// A stranger of this kind counts as an identity no longer: its payload was read, or it was not added.
  mutating func restoreIdentity(_ kind: Int) { if identities[kind] > 0 { identities[kind] &-= 1 } }

  /// Whether strangers are being refused at present.
  var isShort: Bool { isRefusing[0] || isRefusing[1] }

  /// Whether one more stranger with proof may be added, and charges it.
  mutating func mayProve() -> Bool {
    guard proven < Self.provenLimit else { return false }
    proven &+= 1
    return true
  }

  /// Whether another reading of a stranger of this kind may be kept, and charges it.
  @inline(never)
  mutating func mayMeasure(kind: Int, at now: Instant) -> Bool {
    settle(at: now)
    guard readings[kind] < Self.readingLimit else { return false }
    readings[kind] &+= 1
    return true
  }

  /// Whether a reading of a peer whose payload is not known is kept; `number` is how many readings of all
  /// peers there were before. One that is not kept is counted. A radio that cannot connect reads no payload:
  /// all are kept then.
  @inline(never)
  mutating func mayKeepReading(
    of target: inout Target, number: UInt32, canConnect: Bool, at now: Instant
  ) -> Bool {
    let isWithinAllowance = target.mayKeepReading(number: number, at: now)
    if !canConnect { return true }
    if isWithinAllowance, mayMeasure(kind: target.strangerKind, at: now) { return true }
    unkept &+= 1
    return false
  }

  /// How much was refused since the last call. A flood that has ended without another stranger is noticed
  /// here: what it spent is restored.
  mutating func takeRefused(at now: Instant) -> UInt32 {
    settle(at: now)
    let count = unkept
    unkept = 0
    return count
  }

  /// The payload of a stranger of this kind was read.
  @inline(never)
  mutating func met(kind: Int) {
    restoreIdentity(kind)
    readings[kind] = readings[kind] > Self.readingsPerPayload ? readings[kind] &- Self.readingsPerPayload : 0
  }
}
