import HeraldHAL

/// The priority of an exchange with a peer (docs/architecture.md, section 4).
enum PeerRank {
  /// A message of the application.
  static var message: Int { 6 }
  /// The lower of the two ranks of a peer that shows a service and is to be read.
  static var stranger: Int { 4 }
  /// The lower of the two ranks of a peer that may hide a service.
  static var candidate: Int { 2 }

  /// The weight of a rank when peers are compared: twice the largest weight of a peer's recent reception,
  /// which is in turn twice the largest weight of its wait.
  static func worth(_ rank: Int) -> UInt32 { UInt32(truncatingIfNeeded: rank &+ 1) &* (2 &* worthOfWait) }
  /// See `worth`.
  static var worthOfWait: UInt32 { 0x8000 }
}

/// The choice of the peer with the highest priority for a connection, among those that are considered one by
/// one.
struct PeerChoice: BitwiseCopyable {
  /// The slot of the peer chosen so far.
  var slot: Int
  /// How many peers have the same weight; 0 if none was considered.
  var alike: UInt32
  var worth: UInt32

  init() {
    slot = 0
    alike = 0
    worth = 0
  }

  /// Considers the peer at a slot; a weight of 0 excludes it.
  mutating func consider<Source: RandomSource & ~Copyable>(
    _ slot: Int, worth: UInt32, random: inout Source
  ) {
    if worth > self.worth {
      self.slot = slot
      self.worth = worth
      alike = 1
    } else if worth > 0, worth == self.worth {
      // The n-th of them replaces the choice with a probability of 1/n: all have the same probability in the
      // end.
      alike &+= 1
      if (random.next() &>> 16) &* alike < 0x1_0000 { self.slot = slot }
    }
  }

  /// Whether several strangers that show a service wait.
  var isAmongStrangers: Bool {
    alike > 1 && worth >= PeerRank.worth(PeerRank.stranger) && worth < PeerRank.worth(PeerRank.message)
  }
}
