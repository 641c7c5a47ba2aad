import HeraldBluetooth

/// The variable fields of the commands. `CommandForms` has their positions in the packet.
struct CommandFields: BitwiseCopyable {
  /// Room for each of `Word`, rounded up so that every four-bit number is an index.
  private var words: [16 of UInt16] = .init(repeating: 0)

  /// The offsets of the fields: an offset with two meanings is used by the command.
  enum Word {
    /// Connection_Handle.
    static var handle: Int { 0 }
    /// The interval of advertising or scanning, in slots.
    static var interval: Int { 1 }
    /// The window of scanning, in slots.
    static var window: Int { 2 }
    /// Own_Address_Type.
    static var ownKind: Int { 3 }
    /// The kind of `address`: Peer_Address_Type.
    static var kind: Int { 4 }
    /// Advertising_Type, or whether to scan actively.
    static var type: Int { 5 }
    /// Advertising_Event_Properties.
    static var properties: Int { 6 }
    /// Six bytes of an address.
    static var address: Int { 7 }
    /// The timing of a connection: four words.
    static var timing: Int { 10 }
    /// The reason for a disconnection, how many bytes of data follow, or bits 0 to 15 of LE_Event_Mask.
    static var detail: Int { 14 }
  }

  /// A field; only the lower four bits of `word` count.
  subscript(word: Int) -> UInt16 {
    @inline(__always) get { words[word & 15] }
    @inline(__always) set { words[word & 15] = newValue }
  }

  /// An address and its kind.
  @inline(__always)
  mutating func set(_ address: DeviceAddress) {
    self[Word.address] = UInt16(truncatingIfNeeded: address.low)
    self[Word.address &+ 1] = UInt16(truncatingIfNeeded: address.low &>> 16)
    self[Word.address &+ 2] = address.high
    self[Word.kind] = UInt16(address.kind.rawValue)
  }

  /// The timing of a connection.
  @inline(__always)
  mutating func set(_ timing: ConnectionTiming) {
    self[Word.timing] = timing.intervalMin
    self[Word.timing &+ 1] = timing.intervalMax
    self[Word.timing &+ 2] = timing.latency
    self[Word.timing &+ 3] = timing.timeout
  }
}
