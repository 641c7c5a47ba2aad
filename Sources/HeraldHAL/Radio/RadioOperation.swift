/// An operation of a radio at a given time: the transmission or reception of a packet.
public struct RadioOperation: Equatable, BitwiseCopyable, Sendable {
  /// The direction of the operation.
  public enum Kind: UInt8, BitwiseCopyable, Sendable {
    /// Transmits the content of `RadioPeripheral.outgoing` at the start of the operation.
    case transmit = 0
    /// Receives the first packet whose first bit arrives at or after `start`.
    case receive = 1
  }

  /// The direction.
  public var kind: Kind
  /// The channel index, 0…39; 37, 38 and 39 are the advertising channels. It determines the frequency and the
  /// whitening.
  public var channel: UInt8
  /// The maximum length of the payload of a received packet in bytes; a longer packet is reported as damaged.
  public var longestPayload: UInt8
  /// For a transmission: the time at which the first bit of the preamble is transmitted. For a reception: the
  /// earliest time at which it may arrive.
  public var start: RadioTime
  /// For a reception: the time in microseconds after `start` within which the access address must have
  /// arrived. A packet whose access address has arrived in time is received to its end.
  public var window: UInt32
  /// The access address.
  public var accessAddress: UInt32
  /// The initial value of the CRC, CRCInit: 24 bits.
  public var crcInit: UInt32

  /// The frequency of a channel in MHz above 2,400 (Core Specification, Vol 6, Part B, 1.4.1).
  public static func frequency(ofChannel channel: UInt8) -> UInt32 {
    switch channel {
    case 37: 2
    case 38: 26
    case 39: 80
    case 0...10: UInt32(channel) &* 2 &+ 4
    default: UInt32(channel) &* 2 &+ 6
    }
  }

  /// Creates a transmission.
  public static func transmit(
    at start: RadioTime, channel: UInt8, accessAddress: UInt32, crcInit: UInt32, longestPayload: UInt8
  ) -> RadioOperation {
    RadioOperation(
      kind: .transmit, channel: channel, longestPayload: longestPayload, start: start, window: 0,
      accessAddress: accessAddress, crcInit: crcInit)
  }

  /// Creates a reception.
  public static func receive(
    from start: RadioTime, window: UInt32, channel: UInt8, accessAddress: UInt32, crcInit: UInt32,
    longestPayload: UInt8
  ) -> RadioOperation {
    RadioOperation(
      kind: .receive, channel: channel, longestPayload: longestPayload, start: start, window: window,
      accessAddress: accessAddress, crcInit: crcInit)
  }
}

/// The result of an operation, or of a step that followed it.
public struct RadioOutcome: Equatable, BitwiseCopyable, Sendable {
  /// The type of the result.
  public enum Kind: UInt8, BitwiseCopyable, Sendable {
    /// The packet was transmitted.
    case sent = 0
    /// A packet with a correct CRC is in `RadioPeripheral.incoming`.
    case received = 1
    /// A packet with a wrong CRC, or longer than permitted, was received.
    case damaged = 2
    /// No access address was received within the window.
    case silent = 3
    /// The start had passed, or was too near, when the operation was given to the radio: no packet was
    /// transmitted or received. This is a normal result if the processor was delayed.
    case late = 4
  }

  /// The type of the result.
  public var kind: Kind
  /// The RSSI of the received packet in dBm; 127 if the radio did not measure it.
  public var rssi: Int8
  /// The time of the first bit of the packet; for `silent` and `late` the same as `end`.
  public var start: RadioTime
  /// The time of its last bit; for `silent` and `late` the time at which the radio became idle.
  public var end: RadioTime

  /// Creates an outcome from its fields.
  public init(_ kind: Kind, start: RadioTime, end: RadioTime, rssi: Int8 = 127) {
    self.kind = kind
    self.rssi = rssi
    self.start = start
    self.end = end
  }
}

/// The step of a radio that follows an outcome.
public enum RadioStep: UInt8, BitwiseCopyable, Sendable {
  /// The exchange has ended, and the radio may be switched off.
  case stop = 0
  /// Transmit `outgoing` 150 µs after the end of the last packet, on the same channel.
  case transmitAfterSpace = 1
  /// Receive a packet that begins 150 µs after the end of the last one, on the same channel.
  case receiveAfterSpace = 2
  /// Continue to receive until the end of the window of the operation.
  case receiveAgain = 3
}
