import HeraldHAL

/// The state of a connection event in progress that the radio interrupt uses. The level below prepares it
/// before the event and evaluates it afterwards.
struct ConnectionEvent: BitwiseCopyable {
  /// The duration in microseconds of the longest data channel packet without data length extension.
  static var longestPacket: UInt32 { 296 }
  /// The time between two packets, T_IFS, in microseconds.
  static var space: UInt32 { 150 }
  /// The maximum number of payloads accepted in one event.
  static var capacity: UInt8 { 3 }

  /// The index of the connection.
  var connection = UInt8(0)
  /// The time at which the last packet must have ended.
  var limit = RadioTime(microseconds: 0)
  /// The number of further payloads for which there is room.
  var room = UInt8(0)
  /// The start of the central's first packet; for a peripheral it is the anchor point.
  var anchor = RadioTime(microseconds: 0)
  var hasAnchor = false
  /// The end of the last packet with a correct CRC.
  var heard = RadioTime(microseconds: 0)
  var wasHeard = false
  /// The number of consecutive packets with a wrong CRC. Two end the event.
  var damaged = UInt8(0)
  /// The peer has more data, according to the last MD bit received.
  var peerHasMore = false
  /// The MD bit of the last packet transmitted.
  var hasMore = false
  /// A packet was transmitted in this event and no control PDU was received after it: the last control PDU is
  /// acknowledged.
  var acknowledgedControl = false
  /// The RSSI of the last packet.
  var rssi = Int8(0)

  /// Creates the state before an event, without packets.
  init() {}

  /// The state before the event.
  init(connection: UInt8, limit: RadioTime, room: UInt8) {
    self.connection = connection
    self.limit = limit
    self.room = min(room, Self.capacity)
    rssi = 127
  }

  /// Whether there is time for this number of packets of maximum length, of which the first begins after the
  /// space.
  func hasTime(for packets: UInt32, after end: RadioTime) -> Bool {
    !limit.isBefore(end + packets &* (Self.space &+ Self.longestPacket))
  }
}
