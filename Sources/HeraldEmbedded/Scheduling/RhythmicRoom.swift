import HeraldHAL

/// Whether most of the peers around this device have events that repeat (`AdvertisingRhythm`), and how it
/// reads the payload of a stranger among them.
///
/// In such a room a stranger is usually one of them under a new address, and all others are to read it: each
/// of them that receives it attempts to connect to it. At once, most of their requests would collide, as the
/// stranger accepts one with each event. They are therefore spread over a time that grows with the number of
/// peers, and each lasts as long as the window in which the stranger is expected (`AwaitedWindow`).
struct RhythmicRoom: BitwiseCopyable {
  /// The peers that were received in the last two rounds and whose events repeat, or may do so in such a
  /// room: 0…255.
  private var peers: UInt8
  /// The strangers that were received in the last round for the first time: 0…255.
  private var newcomers: UInt8

  /// None: all bits are zero.
  init() {
    peers = 0
    newcomers = 0
  }

  /// From how many peers on it is such a room.
  private static var least: UInt8 { 16 }
  /// From how many peers on so many events are lost to collisions that several windows in succession may be.
  private static var dense: UInt8 { 64 }
  /// How long the attempts of each peer are spread, in ms: a stranger has four events in a second.
  private static var pace: UInt32 { 150 }

  /// The peers whose events repeat, and the strangers of this round.
  init(peers: Int, newcomers: Int) {
    self.peers = UInt8(clamping: peers)
    self.newcomers = UInt8(clamping: newcomers)
  }

  /// Whether this is such a room.
  var isPresent: Bool { peers >= Self.least }
  /// Whether it is a large one.
  var isDense: Bool { peers >= Self.dense }
  /// Whether it is such a room, and few of its peers have changed their addresses: less than a fourth in a
  /// round. If many have, each is attempted by fewer others at a time.
  var isCalm: Bool { isPresent && UInt32(newcomers) &* 4 < UInt32(peers) }

  /// After an attempt at a stranger that failed because of others, the time until the next one. `least`: up
  /// to this many ms with no other peer. `chance`: random bits.
  func pause(_ least: UInt32, chance: UInt32) -> Interval {
    .milliseconds(chance % (least &+ UInt32(peers) &* Self.pace))
  }
}
