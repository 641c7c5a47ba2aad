import HeraldHAL

/// How much it is worth to have an exchange with a peer (docs/coordinator.md, section 4).
@usableFromInline
enum PeerRank {
  /// A message of the application's.
  @usableFromInline static var message: Int { 6 }
  /// The lower of the two of a peer that shows a service and is to be read.
  @usableFromInline static var stranger: Int { 4 }
  /// The lower of the two of a peer that may hide a service.
  @usableFromInline static var candidate: Int { 2 }

  /// What a rank counts for when peers are compared: twice the most that a peer's being there does, and that
  /// twice the most of its wait.
  @inlinable
  static func worth(_ rank: Int) -> UInt32 { UInt32(truncatingIfNeeded: rank &+ 1) &* (2 &* worthOfWait) }
  /// See `worth`.
  @usableFromInline static var worthOfWait: UInt32 { 0x8000 }
}

/// The choice of the peer that it is most worth connecting to, among those that are considered one by one.
@usableFromInline
struct PeerChoice: BitwiseCopyable {
  /// The place of the one that is chosen so far.
  @usableFromInline var place: Int
  /// How many there are of the same worth; 0 if none was considered.
  @usableFromInline var alike: UInt32
  @usableFromInline var worth: UInt32

  @usableFromInline
  init() {
    place = 0
    alike = 0
    worth = 0
  }

  /// Considers the peer at a place; one of worth 0 is none.
  @inlinable
  mutating func consider<Source: RandomSource & ~Copyable>(
    _ place: Int, worth: UInt32, random: inout Source
  ) {
    if worth > self.worth {
      self.place = place
      self.worth = worth
      alike = 1
    } else if worth > 0, worth == self.worth {
      // The n-th of them takes the place of the one chosen so far with a chance of 1/n: all have the same in
      // the end.
      alike &+= 1
      if (random.next() &>> 16) &* alike < 0x1_0000 { self.place = place }
    }
  }

  /// Whether several strangers that show a service wait.
  @usableFromInline
  var isAmongStrangers: Bool {
    alike > 1 && worth >= PeerRank.worth(PeerRank.stranger) && worth < PeerRank.worth(PeerRank.message)
  }
}
