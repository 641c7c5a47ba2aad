import HeraldHAL

/// A connection event that is under way: what the radio interrupt knows of it. The level below fills it in
/// before, and reads it after.
struct ConnectionEvent: BitwiseCopyable {
  /// Longest packet of a data channel without data length extension.
  static var longestPacket: UInt32 { 296 }
  /// The space between two packets.
  static var space: UInt32 { 150 }
  /// How many payloads one event may take in.
  static var capacity: UInt8 { 3 }

  /// The connection.
  var link = UInt8(0)
  /// By when the last packet must be over.
  var limit = RadioTime(microseconds: 0)
  /// How many more payloads there is room for.
  var room = UInt8(0)
  /// When the first packet of the central began; as a peripheral this is what the event is for.
  var anchor = RadioTime(microseconds: 0)
  var hasAnchor = false
  /// When the last packet with a correct CRC ended.
  var heard = RadioTime(microseconds: 0)
  var wasHeard = false
  /// How many packets in a row had a wrong CRC. Two end the event.
  var damaged = UInt8(0)
  /// The peer has more to send, as far as is known.
  var peerHasMore = false
  /// We said so in the last packet.
  var hasMore = false
  /// A packet was sent in this event, and no control PDU came after it: the last one is acknowledged.
  var acknowledgedControl = false
  /// How strong the last packet was.
  var rssi = Int8(0)

  /// No packet yet.
  init() {}

  /// Before the event.
  init(link: UInt8, limit: RadioTime, room: UInt8) {
    self.link = link
    self.limit = limit
    self.room = min(room, Self.capacity)
    rssi = 127
  }

  /// Whether there is time for so many longest packets, the first of them after the space.
  func hasTime(for packets: UInt32, after end: RadioTime) -> Bool {
    !limit.isBefore(end + packets &* (Self.space &+ Self.longestPacket))
  }
}
