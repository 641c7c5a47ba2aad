/// The peers that are present, as far as they matter for scanning.
struct PeerSurvey: BitwiseCopyable {
  /// The peers that were not received since the beginning of the round.
  var missing: MissingPeers
  /// There is an iPhone among the peers.
  var hasIPhone: Bool
  /// A peer of those that advertise rarely was near when it was last received.
  var isNear: Bool
  /// There are missing peers whose events repeat: for them there are short windows (`awaitMissing`).
  var awaits: Bool
  /// Many peers are missing, and as many strangers are there: the peers have changed their addresses, or
  /// others have come.
  var isChanging: Bool
  /// The time in ms until the first of the missing peers can be expected to advertise; 0 for now.
  var wait: UInt32
  /// The time in ms for which that is so at least, if it is now.
  var hold: UInt32
  /// How many have been received in the last two rounds of which the payload is known, up to 255.
  var known: UInt8

  /// The peers whose events repeat, and the strangers of this round.
  var room: RhythmicRoom

  init() {
    known = 0
    room = RhythmicRoom()
    missing = .none
    hasIPhone = false
    isNear = false
    awaits = false
    isChanging = false
    wait = .max
    hold = ScanRounds.step
  }

  /// A missing peer can be expected in `wait` ms.
  mutating func expect(in wait: UInt32) { if wait < self.wait { self.wait = wait } }
}
