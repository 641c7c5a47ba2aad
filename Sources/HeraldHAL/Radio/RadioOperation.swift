/// What a radio is to do at a certain moment: transmit a packet, or listen for one.
public struct RadioOperation: Equatable, BitwiseCopyable, Sendable {
  /// Transmitting or receiving.
  public enum Kind: UInt8, BitwiseCopyable, Sendable {
    /// Sends what `RadioPeripheral.outgoing` holds when the operation begins.
    case transmit = 0
    /// Takes the first packet whose first bit comes at or after `start`.
    case receive = 1
  }

  /// What to do.
  public var kind: Kind
  /// The channel's index, 0…39; 37, 38 and 39 are for advertising. It stands for the frequency and for the
  /// whitening.
  public var channel: UInt8
  /// How many bytes the payload of a received packet may have; with more it counts as damaged.
  public var longestPayload: UInt8
  /// Transmitting: when the first bit of the preamble leaves the antenna. Receiving: the earliest moment at
  /// which it may arrive.
  public var start: RadioTime
  /// Receiving: how many microseconds after `start` the access address must have arrived. A packet that has
  /// begun so is received to its end.
  public var window: UInt32
  /// The access address.
  public var accessAddress: UInt32
  /// What the CRC starts with: 24 bits.
  public var crcInit: UInt32

  /// A transmission.
  public static func transmit(
    at start: RadioTime, channel: UInt8, accessAddress: UInt32, crcInit: UInt32, longestPayload: UInt8
  ) -> RadioOperation {
    RadioOperation(
      kind: .transmit, channel: channel, longestPayload: longestPayload, start: start, window: 0,
      accessAddress: accessAddress, crcInit: crcInit)
  }

  /// A reception.
  public static func receive(
    from start: RadioTime, window: UInt32, channel: UInt8, accessAddress: UInt32, crcInit: UInt32,
    longestPayload: UInt8
  ) -> RadioOperation {
    RadioOperation(
      kind: .receive, channel: channel, longestPayload: longestPayload, start: start, window: window,
      accessAddress: accessAddress, crcInit: crcInit)
  }
}

/// How an operation, or a step that followed it, ended.
public struct RadioOutcome: Equatable, BitwiseCopyable, Sendable {
  /// What came of it.
  public enum Kind: UInt8, BitwiseCopyable, Sendable {
    /// The packet was transmitted.
    case sent = 0
    /// A packet with a correct CRC is in `RadioPeripheral.incoming`.
    case received = 1
    /// A packet arrived with a wrong CRC, or was longer than allowed.
    case damaged = 2
    /// No access address arrived in the window.
    case silent = 3
    /// The moment had passed, or was too near, when the radio was told: nothing was transmitted or received.
    /// A normal outcome, of a processor that was kept from its work.
    case late = 4
  }

  /// What came of it.
  public var kind: Kind
  /// The strength of a packet that arrived, in dBm; 127 if the radio could not tell.
  public var rssi: Int8
  /// When the first bit of the packet was on the air; with `silent` and `late` the same as `end`.
  public var start: RadioTime
  /// When its last bit was; with `silent` and `late` when the radio was free again.
  public var end: RadioTime

  /// Stated one by one.
  public init(_ kind: Kind, start: RadioTime, end: RadioTime, rssi: Int8 = 127) {
    self.kind = kind
    self.rssi = rssi
    self.start = start
    self.end = end
  }
}

/// What a radio is to do after an outcome.
public enum RadioStep: UInt8, BitwiseCopyable, Sendable {
  /// Nothing: the exchange is over, and the radio may be switched off.
  case stop = 0
  /// Transmit `outgoing` 150 µs after the end of the last packet, on the same channel.
  case transmitAfterSpace = 1
  /// Listen for a packet that begins 150 µs after the end of the last one, on the same channel.
  case receiveAfterSpace = 2
  /// Go on listening, to the end of the window of the operation.
  case receiveAgain = 3
}
