import HeraldHAL

/// Splits the byte stream from the controller into H4 packets (Vol 4, Part A), in one buffer from which they
/// are read in place.
///
/// Packets longer than this host uses (ACL data above 251 bytes) and those of kinds it never requests
/// (synchronous, isochronous) are skipped by their length and counted.
///
/// **Lost synchronisation.** A byte that begins no packet, or a header that no controller sends, means that
/// bytes were lost or inserted. H4 has no markers for resynchronisation; the specification's remedy (Vol 4,
/// Part A, 4) is to reset the controller and to search for the response. The receiver then `hunts`: it skips
/// everything up to a Command Complete of HCI_Reset (`04 0E 04 nn 03 0C ss`) and continues from there, and
/// the radio sends that HCI_Reset. The controller's state of connections and credits is no longer reliable by
/// then in any case.
struct H4Receiver: ~Copyable {
  /// Room for one longest packet, an event of 258 bytes. Further bytes wait in the transport.
  static var capacity: Int { 260 }
  /// The longest ACL payload that is received: an ATT PDU of 247 bytes with its L2CAP header.
  static var longestACL: Int { 251 }
  /// No controller sends data packets longer than this; a header with a greater length is invalid.
  static var plausibleLength: Int { 2048 }

  /// Bytes not yet processed: `head..<tail`.
  var head: Int
  var tail: Int
  /// How many bytes of a packet are still to be skipped.
  var skip: Int
  /// Whether synchronisation is lost.
  var isHunting: Bool
  var storage: [260 of UInt8]

  init() {
    storage = .init(repeating: 0)
    head = 0
    tail = 0
    skip = 0
    isHunting = false
  }

  /// The result of a search for a packet.
  enum Packet: BitwiseCopyable {
    /// No complete packet.
    case none
    /// An event: its code is at `start`, its parameters are the `count` bytes from `start + 2`.
    case event(start: Int, count: Int)
    /// ACL data: its handle and length are at `start`, its data is the `count` bytes from `start + 4`.
    case aclData(start: Int, count: Int)
    /// Synchronisation was lost just now.
    case lostSync
  }

  /// Bytes of a packet that was found.
  @inline(__always)
  @_lifetime(&self)
  mutating func bytes(_ start: Int, _ count: Int) -> Span<UInt8> {
    storage.span.extracting(start..<(start &+ count))
  }

  /// Discards the buffer and hunts: for a controller that does not respond.
  mutating func hunt() {
    head = 0
    tail = 0
    skip = 0
    isHunting = true
  }

  /// Reads once from `transport`. Returns how many bytes were read; −1 if the line is lost.
  mutating func fill<Transport: ControllerTransport & ~Copyable>(from transport: inout Transport) -> Int {
    moveToFront()
    let start = tail
    guard start < Self.capacity else { return 0 }
    var whole = storage.mutableSpan
    var room = whole._mutatingExtracting(start..<Self.capacity)
    let read = transport.read(into: &room)
    guard read > 0 else { return read }
    let count = min(read, Self.capacity &- start)
    tail = start &+ count
    return count
  }

  /// Whether the last `fill` had room for more.
  var hasRoom: Bool { tail < Self.capacity }

  mutating func moveToFront() {
    guard head > 0 else { return }
    let count = tail &- head
    var index = 0
    while index < count {
      storage[index] = storage[head &+ index]
      index &+= 1
    }
    head = 0
    tail = count
  }

  /// The next whole packet. Its bytes stay where they are until the next `fill`.
  mutating func next(_ counters: inout HCICounters) -> Packet {
    guard tail > head else { return .none }
    if skip == 0, !isHunting, tail &- head >= 3, storage[head] == 0x04 {
      let count = Int(storage[head &+ 2])
      if tail &- head >= 3 &+ count, storage[head &+ 1] != 0 {
        let start = head &+ 1
        head &+= 3 &+ count
        return .event(start: start, count: count)
      }
    }
    return other(&counters)
  }

  /// All cases except a complete, valid event.
  @inline(never) mutating func other(_ counters: inout HCICounters) -> Packet {
    while true {
      if skip > 0 {
        let passed = min(skip, tail &- head)
        head &+= passed
        skip &-= passed
        if skip > 0 { return .none }
      }
      if isHunting, !findReset(&counters) { return .none }
      let available = tail &- head
      guard available > 0 else { return .none }
      switch storage[head] {
      case PacketType.event:
        guard available >= 2 else { return .none }
        guard storage[head &+ 1] != 0 else { return lose(&counters) }
        guard available >= 3 else { return .none }
        let count = Int(storage[head &+ 2])
        guard available >= 3 &+ count else { return .none }
        let start = head &+ 1
        head &+= 3 &+ count
        return .event(start: start, count: count)
      case PacketType.aclData:
        guard available >= 5 else { return .none }
        let count = Int(storage[head &+ 3]) | Int(storage[head &+ 4]) &<< 8
        // A handle is at most 0x0EFF, and there is no broadcast on an LE connection.
        guard storage[head &+ 2] & 0x0F != 0x0F, storage[head &+ 2] & 0xC0 == 0, count <= Self.plausibleLength
        else { return lose(&counters) }
        if count > Self.longestACL {
          pass(5 &+ count, &counters)
          continue
        }
        guard available >= 5 &+ count else { return .none }
        let start = head &+ 1
        head &+= 5 &+ count
        return .aclData(start: start, count: count)
      case PacketType.synchronousData:
        guard available >= 4 else { return .none }
        pass(4 &+ Int(storage[head &+ 3]), &counters)
      case PacketType.isochronousData:
        guard available >= 5 else { return .none }
        let count = Int(storage[head &+ 3]) | Int(storage[head &+ 4] & 0x3F) &<< 8
        guard count <= Self.plausibleLength else { return lose(&counters) }
        pass(5 &+ count, &counters)
      default:
        return lose(&counters)
      }
    }
  }

  private mutating func pass(_ count: Int, _ counters: inout HCICounters) {
    skip = count
    counters.count(.packetsSkipped)
  }

  private mutating func lose(_ counters: inout HCICounters) -> Packet {
    isHunting = true
    counters.count(.syncLost)
    return .lostSync
  }

  /// Skips bytes until a Command Complete of HCI_Reset is next; `false` if there is none yet.
  private mutating func findReset(_ counters: inout HCICounters) -> Bool {
    while tail &- head >= 7 {
      if storage[head] == 0x04, storage[head &+ 1] == 0x0E, storage[head &+ 2] == 0x04,
        storage[head &+ 4] == 0x03, storage[head &+ 5] == 0x0C
      {
        isHunting = false
        return true
      }
      head &+= 1
      counters.count(.bytesSkipped)
    }
    return false
  }
}
