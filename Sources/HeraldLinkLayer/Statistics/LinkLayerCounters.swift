import HeraldHAL

/// A role of a link layer. Each event of the radio belongs to one.
public enum LinkLayerRole: UInt8, BitwiseCopyable, Sendable {
  /// Advertising events.
  case advertiser = 0
  /// Scanning, while no connection is requested.
  case scanner = 1
  /// Scanning while a connection is requested, with the CONNECT_IND.
  case initiator = 2
  /// Connection events as peripheral.
  case peripheral = 3
  /// Connection events as central.
  case central = 4
}

/// What is counted for each role: times, and events.
public enum LinkLayerCounter: UInt8, BitwiseCopyable, Sendable {
  /// The time for which the receiver was on, without its ramp-up: from the start of the window, or from 150
  /// µs after the last packet, to the end of a packet or of the window.
  case receiving = 0
  /// The time for which packets were transmitted, from the first bit of the preamble to the last of the CRC.
  case transmitting = 1
  /// The time of ramp-ups of the transmitter and the receiver.
  case ramping = 2
  /// The time for which the radio kept its crystal oscillator on, including the start of the oscillator.
  case crystal = 3
  /// The number of events in which the radio was used.
  case events = 4
  /// The number of operations that were started too late.
  case late = 5
  /// The number of events that were not begun, or shortened, in favour of other activities. Advertiser:
  /// events without their last channels. Scanner and initiator: parts of a window that were too short to be
  /// used. Connections: events.
  case skipped = 6
  /// The number of lost results. Advertiser: CONNECT_INDs with invalid fields, or received when all
  /// connections were in use. Scanner: reports discarded because the queue was full. Initiator: connections
  /// that were not established. Connections: events without a received packet.
  case lost = 7
}

/// The statistics counters of a link layer.
///
/// A time has 32 bits of milliseconds, which overflow after 49 days, and the remaining microseconds.
public struct LinkLayerCounters: BitwiseCopyable, Sendable {
  /// The counters of each role, in the order of `LinkLayerCounter`.
  private var values: [40 of UInt32]
  /// The remaining microseconds of the four times of each role, below 1000.
  private var remainders: [20 of UInt16]

  /// The number of counters of each role.
  static var count: Int { 8 }

  /// All are zero: all bits are zero.
  init() {
    values = .init(repeating: 0)
    remainders = .init(repeating: 0)
  }

  private static func index(_ counter: LinkLayerCounter, _ role: LinkLayerRole) -> Int {
    Int(role.rawValue &<< 3 | counter.rawValue)
  }

  /// The value of a counter: milliseconds, or a number of events.
  public subscript(counter: LinkLayerCounter, role: LinkLayerRole) -> UInt32 {
    @inline(__always) get { values[Self.index(counter, role)] }
    @inline(__always) set { values[Self.index(counter, role)] = newValue }
  }

  /// A time in microseconds; `counter` is one of the four times.
  public func microseconds(_ counter: LinkLayerCounter, _ role: LinkLayerRole) -> UInt64 {
    let remainder = remainders[Int(role.rawValue &<< 2 | counter.rawValue & 3)]
    return UInt64(wide: self[counter, role]) &* 1000 &+ UInt64(wide: UInt32(remainder))
  }

  /// Adds microseconds to one of the four times.
  @inline(never)
  mutating func add(_ microseconds: UInt32, to counter: LinkLayerCounter, _ role: LinkLayerRole) {
    let index = Int(role.rawValue &<< 2 | counter.rawValue & 3)
    let sum = microseconds &+ UInt32(remainders[index])
    let whole = sum.thousandth
    self[counter, role] &+= whole
    remainders[index] = UInt16(truncatingIfNeeded: sum &- whole &* 1000)
  }

  /// Adds one to a counter.
  mutating func count(_ counter: LinkLayerCounter, _ role: LinkLayerRole) { self[counter, role] &+= 1 }

  /// The value of counter `index` of role number `role`; 0 if there is none. `mutating`, as a borrow of
  /// counters in a large value would copy them to the stack.
  mutating func value(_ index: Int, of role: Int) -> UInt32 {
    index >= 0 && index < Self.count && role >= 0 && role < LinkLayerRole.count
      ? values[role &* Self.count &+ index] : 0
  }
}

// The counters of the group of the link layer, which do not distinguish all roles.
extension LinkLayerCounters {
  /// Operations that were started too late.
  public var late: UInt32 {
    @inline(__always) get {
      self[.late, .advertiser] &+ self[.late, .scanner] &+ self[.late, .initiator]
        &+ self[.late, .peripheral] &+ self[.late, .central]
    }
  }
  /// Advertising reports that were discarded because the queue was full.
  public var reportsDropped: UInt32 { @inline(__always) get { self[.lost, .scanner] } }
  /// CONNECT_IND PDUs with invalid fields, or received when all connections were in use.
  public var requestsRefused: UInt32 { @inline(__always) get { self[.lost, .advertiser] } }
  /// Connection events without a received packet.
  public var eventsSilent: UInt32 {
    @inline(__always) get { self[.lost, .peripheral] &+ self[.lost, .central] }
  }
  /// Connection events that were skipped in favour of other activities, or could not be started in time.
  public var eventsSkipped: UInt32 {
    @inline(__always) get { self[.skipped, .peripheral] &+ self[.skipped, .central] }
  }

  /// The names in the statistics group, in this order.
  static var names: StaticString { "late reports_dropped requests_refused events_silent events_skipped" }
  /// The names in the statistics group of a role, in the order of `LinkLayerCounter`.
  static var roleNames: StaticString {
    "receive_ms transmit_ms ramp_ms crystal_ms events late skipped lost"
  }

  /// The value of counter `index` of the group of the link layer; 0 if there is none.
  mutating func total(_ index: Int) -> UInt32 {
    switch index {
    case 0: sum(.late, from: .advertiser)
    case 1: value(.lost, of: .scanner)
    case 2: value(.lost, of: .advertiser)
    case 3: sum(.lost, from: .peripheral)
    case 4: sum(.skipped, from: .peripheral)
    default: 0
    }
  }

  /// The time in ms for which the receiver was on, in all roles.
  mutating func receivingTime() -> UInt32 { sum(.receiving, from: .advertiser) }

  private mutating func value(_ counter: LinkLayerCounter, of role: LinkLayerRole) -> UInt32 {
    value(Int(counter.rawValue), of: Int(role.rawValue))
  }

  /// The sum of a counter of `first` and of the roles after it.
  private mutating func sum(_ counter: LinkLayerCounter, from first: LinkLayerRole) -> UInt32 {
    var total: UInt32 = 0
    var role = Int(first.rawValue)
    while role < LinkLayerRole.count {
      total &+= value(Int(counter.rawValue), of: role)
      role &+= 1
    }
    return total
  }
}

extension LinkLayerRole {
  /// The number of roles.
  static var count: Int { 5 }

  /// The name of the statistics group of role number `index`; empty if there is none.
  static func name(_ index: Int) -> StaticString {
    switch index {
    case 0: "advertiser"
    case 1: "scanner"
    case 2: "initiator"
    case 3: "peripheral"
    case 4: "central"
    default: ""
    }
  }
}
