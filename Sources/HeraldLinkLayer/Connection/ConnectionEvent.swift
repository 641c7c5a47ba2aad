import HeraldHAL

/// The state of a connection event in progress that the radio interrupt uses. The level below prepares it
/// before the event and evaluates it afterwards.
struct ConnectionEvent: BitwiseCopyable {
  /// The duration in microseconds of the longest data channel packet without data length extension.
  static var longestPacket: UInt32 { 296 }
  /// The time between two packets, T_IFS, in microseconds.
  static var space: UInt32 { 150 }

  /// The index of the connection.
  var connection = UInt8(0)
  /// The time at which the last packet must have ended.
  var limit = RadioTime(microseconds: 0)
  /// The start of the central's first packet; for a peripheral it is the anchor point.
  var anchor = RadioTime(microseconds: 0)
  var hasAnchor = false
  /// The end of the last packet with a correct CRC.
  var receivedAt = RadioTime(microseconds: 0)
  var wasReceived = false
  /// The number of consecutive packets with a wrong CRC. Two end the event.
  var damaged = UInt8(0)
  /// The peer has more data, according to the last MD bit received.
  var peerHasMore = false
  /// The MD bit of the last packet transmitted.
  var hasMore = false
  /// A packet was transmitted in this event and no control PDU was received after it: the last control PDU is
  /// acknowledged.
  var acknowledgedControl = false
  /// The number of payloads transmitted in this event, and of packets without one after the last.
  private var payloads = UInt8(0)
  private var empties = UInt8(0)
  /// The RSSI of the last packet.
  var rssi = Int8(0)

  /// Creates the state before an event, without packets.
  init() {}

  /// The state before the event.
  init(connection: UInt8, limit: RadioTime) {
    self.connection = connection
    self.limit = limit
    rssi = 127
  }

  /// Notes the next packet, which has no payload if it `isIdle`. Returns whether another payload is to be
  /// expected: the event has transmitted whole PDUs, and its host has had the time of a few packets only to
  /// make the next.
  mutating func awaitsPayload(isIdle: Bool) -> Bool {
    if isIdle {
      empties = empties == .max ? .max : empties &+ 1
    } else {
      empties = 0
      payloads = payloads == .max ? .max : payloads &+ 1
    }
    return payloads >= Self.bulk && empties <= Self.patience
  }

  /// The number of payloads of an event in which a host transmits one PDU after the other, and the number of
  /// packets without payload for which the event then continues.
  private static var bulk: UInt8 { 8 }
  private static var patience: UInt8 { 4 }

  /// Whether there is time for this number of packets of maximum length, of which the first begins after the
  /// space.
  func hasTime(for packets: UInt32, after end: RadioTime) -> Bool {
    !limit.isBefore(end + packets &* (Self.space &+ Self.longestPacket))
  }
}
