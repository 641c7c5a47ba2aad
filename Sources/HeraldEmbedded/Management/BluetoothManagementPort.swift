import HeraldBluetooth
import HeraldHAL

/// Reassembles the requests of one client, in `room` bytes, 32…65,535.
///
/// A packet begins with a write, and as many writes follow as the length in its header requires (MCUmgr, SMP
/// over Bluetooth). Several packets wait, one behind the other, as far as there is room. The first connection
/// that writes is the client until it ends; writes of others are refused.
///
/// Dropped are, and counted: a packet for which there is no room, or that is longer than `room`; one whose
/// last write has further bytes behind it; one that is not continued within a second. After a write that
/// should begin a packet and cannot, everything is dropped until nothing has been received for a second.
public struct BluetoothManagementPort<let room: Int>: ManagementPort, ~Copyable {
  private var bytes: [room of UInt8]
  /// Bytes of the whole packets, and of the packet behind them that is begun.
  private var whole: Int
  private var begun: Int
  /// Bytes of a dropped packet that are still to come.
  private var skipped: Int
  private var last: Instant
  /// See `ManagementPort`.
  public var openUntil: Instant
  /// See `ManagementPort`.
  public var trustedAt: Instant
  /// See `ManagementPort`.
  public var blocksSince: Instant
  private var packets: UInt32
  private var dropped: UInt32
  private var refused: UInt32
  private var clients: UInt32
  private var givenUp: UInt32
  /// The index of the client's connection plus one; 0 if there is none.
  private var owner: UInt8
  /// See `ManagementPort`.
  public var isOpen: Bool

  /// How long a client may be silent within a packet.
  public static var timeout: Interval { .seconds(1) }
  /// The bytes in front of a packet's length, its header, and its length (`SMPHeader`).
  private static var headerSize: Int { 8 }

  /// The part, closed, without a client. All of it is zero bits.
  public init() {
    bytes = .init(repeating: 0)
    whole = 0
    begun = 0
    skipped = 0
    last = .start
    openUntil = .start
    trustedAt = .start
    blocksSince = .start
    packets = 0
    dropped = 0
    refused = 0
    clients = 0
    givenUp = 0
    owner = 0
    isOpen = false
  }

  public static var isPresent: Bool { true }

  /// See `ManagementPort`.
  public var client: ConnectionID? {
    mutating get { owner == 0 ? nil : ConnectionID(index: Int(owner) &- 1) }
  }

  /// See `ManagementPort`.
  public var session: UInt16 {
    mutating get { owner == 0 ? 0 : UInt16(truncatingIfNeeded: clients) | 0x8000 }
  }

  /// See `ManagementPort`.
  @inline(never)
  public mutating func receive(_ value: Span<UInt8>, on connection: ConnectionID, at now: Instant) {
    guard isOpen, connection.index >= 0, connection.index < 255, value.count > 0 else { return }
    let writer = UInt8(truncatingIfNeeded: connection.index &+ 1)
    if owner == 0 {
      owner = writer
      clients &+= 1
    }
    guard owner == writer else {
      refused &+= 1
      return
    }
    if now.since(last) > Self.timeout {
      if begun > 0 { dropped &+= 1 }
      begun = 0
      skipped = 0
    }
    last = now
    if skipped > 0 {
      if skipped != .max { skipped = max(0, skipped &- value.count) }
      return
    }
    append(value)
  }

  /// Appends a write to the packet that is begun, or begins one.
  private mutating func append(_ value: Span<UInt8>) {
    if begun == 0 {
      guard let length = Self.length(value) else {
        dropped &+= 1
        skipped = .max
        return
      }
      guard length <= room &- whole else {
        dropped &+= 1
        skipped = max(0, length &- value.count)
        return
      }
    }
    var index = 0
    while index < value.count, whole &+ begun < room {
      bytes[whole &+ begun] = value[index]
      begun &+= 1
      index &+= 1
    }
    let length = packetLength(at: whole)
    guard begun <= length, index == value.count else {
      dropped &+= 1
      begun = 0
      return
    }
    guard begun == length else { return }
    packets &+= 1
    whole &+= begun
    begun = 0
  }

  /// See `ManagementPort`.
  @inline(never)
  public mutating func take(into packet: inout MutableSpan<UInt8>) -> Int {
    guard whole > 0 else { return 0 }
    let length = min(packetLength(at: 0), whole)
    let isTaken = length <= packet.count
    var index = 0
    while index < whole &+ begun {
      if index < length {
        if isTaken { packet[index] = bytes[index] }
      } else {
        bytes[index &- length] = bytes[index]
      }
      index &+= 1
    }
    whole &-= length
    guard isTaken else {
      dropped &+= 1
      return 0
    }
    return length
  }

  /// See `ManagementPort`.
  public mutating func closed(_ connection: ConnectionID) {
    guard owner != 0, connection.index == Int(owner) &- 1 else { return }
    owner = 0
    whole = 0
    begun = 0
    skipped = 0
    trustedAt = .start
    blocksSince = .start
    // What was requested in a session is not served to the next client.
    var all = bytes.mutableSpan
    all.update(repeating: 0)
  }

  /// See `ManagementPort`.
  public mutating func giveUp() { givenUp &+= 1 }

  /// See `ManagementPort`.
  public mutating func statistic(_ index: Int) -> UInt32 {
    switch index {
    case 0: packets
    case 1: dropped
    case 2: refused
    case 3: clients
    case 4: givenUp
    default: 0
    }
  }

  /// The length of the packet that begins at `start`, of which the header is there.
  private mutating func packetLength(at start: Int) -> Int {
    guard start &+ 3 < room else { return 0 }
    return Self.headerSize &+ (Int(bytes[start &+ 2]) &<< 8 | Int(bytes[start &+ 3]))
  }

  /// The length of the packet that a write begins, header included; `nil` if it does not begin one. The
  /// header is in one write: an ATT_MTU has room for it. Bits that are zero in every packet are checked.
  private static func length(_ value: Span<UInt8>) -> Int? {
    guard value.count >= headerSize, value[0] & 0b1110_0100 == 0 else { return nil }
    return headerSize &+ (Int(value[2]) &<< 8 | Int(value[3]))
  }
}
