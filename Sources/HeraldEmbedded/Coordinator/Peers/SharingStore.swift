import HeraldBluetooth
import HeraldHAL

/// The payloads that are shared with iPhones, which may not hear their owners themselves (HP-42): those of
/// peers on iOS and of peers that cannot advertise; at most 510 bytes of them, in 24 slots.
///
/// Each payload belongs to a target that shows it. When that target was last received is when the payload
/// was; a payload whose target is removed, or now shows another one, is removed as well. **When full**, those
/// whose owners were received longest ago are removed.
///
/// A bit for each slot in a `Target` shows what was shared with it. A slot that is reassigned clears its
/// bit in every target.
public struct SharingStore: ~Copyable {
  /// How many payloads there can be: as many of the commonest length, 21 bytes, as fit into one message.
  static var capacity: Int { 24 }

  /// One payload: where its bytes are, and its owner. A free slot has no length.
  struct Entry: BitwiseCopyable {
    /// The lower half of its digest. Forging a payload with another's half gains no more than showing the
    /// other's payload itself.
    var digest: UInt32
    private var bits: UInt32
    init() {
      digest = 0
      bits = 0
    }
    init(start: Int, length: Int, owner: Int, digest: UInt32) {
      self.digest = digest
      bits = UInt32(truncatingIfNeeded: start | length &<< 9 | owner &<< 18)
    }
    /// Where its bytes begin, and how many they are: 9 bits each.
    var start: Int { Int(truncatingIfNeeded: bits & 511) }
    var length: Int { Int(truncatingIfNeeded: bits &>> 9 & 511) }
    /// The slot of its target in the table, which has 16,384 at most.
    var owner: Int { Int(truncatingIfNeeded: bits &>> 18) }
  }

  /// Two more than the maximum: without a padding gap, all of the store is cleared at once.
  private var bytes: [512 of UInt8]
  private var entries: [24 of Entry]
  /// How many of the bytes are in use; there are no gaps between payloads.
  private var used: Int

  /// An empty store, all zero bits.
  public init() {
    bytes = .init(repeating: 0)
    entries = .init(repeating: Entry())
    used = 0
  }

  /// How recently the owner of a payload must have been received for it to be passed on.
  public static var expiry: Interval { .minutes(5) }

  /// Keeps the payload of the target at `slot`, whose digest the target has already. One that is stored
  /// already is reassigned to this target; one of no bytes or of more than 510 is not kept.
  public mutating func keep<let capacity: Int>(
    _ payload: Span<UInt8>, of slot: Int, in table: inout TargetTable<capacity>, at now: Instant
  ) {
    let digest = table[slot].payloadDigest
    guard digest != 0, payload.count > 0, payload.count <= Payload.maximumLength else { return }
    prune(table: &table)
    if let known = find(digest.low32) {
      entries[known] = Entry(
        start: entries[known].start, length: entries[known].length, owner: slot, digest: digest.low32)
      return
    }
    var free = freeSlot
    while free == nil || payload.count > Payload.maximumLength &- used {
      guard let silent = longestSilent(table: &table, at: now) else { return }
      remove(silent)
      free = freeSlot
    }
    guard let free else { return }
    entries[free] = Entry(start: used, length: payload.count, owner: slot, digest: digest.low32)
    var kept = bytes.mutableSpan
    kept.set(payload, at: used)
    used &+= payload.count
    table.untell(Self.bit(free))
  }

  /// Writes into `buffer` what is shared now with the target at `slot`, one payload after the other, and
  /// returns the length in bytes; marks them as shared. Payloads that were not shared with it come first,
  /// then those whose owners were received last; the first that does not fit ends them. Its own is not among
  /// them, nor one whose owner has not been received for five minutes.
  public mutating func compose<let capacity: Int>(
    for slot: Int, in table: inout TargetTable<capacity>, at now: Instant,
    into buffer: inout MutableSpan<UInt8>
  ) -> Int {
    prune(table: &table)
    var left = candidates(for: slot, table: &table, at: now)
    var count = 0
    while let next = first(of: left, told: table[slot].told, table: &table, at: now) {
      let start = entries[next].start
      let length = entries[next].length
      guard length <= buffer.count &- count else { break }
      buffer.set(bytes.span.extracting(start..<start &+ length), at: count)
      count &+= length
      table[slot].told |= Self.bit(next)
      left &= ~Self.bit(next)
    }
    return count
  }

  /// Whether there is anything to share with the target at `slot`.
  public mutating func hasAnything<let capacity: Int>(
    for slot: Int, in table: inout TargetTable<capacity>, at now: Instant
  ) -> Bool {
    prune(table: &table)
    return candidates(for: slot, table: &table, at: now) != 0
  }

  // MARK: Selection

  private static func bit(_ index: Int) -> UInt32 { 1 &<< UInt32(truncatingIfNeeded: index) }

  /// A bit for each payload that may be shared with the target at `slot`.
  private mutating func candidates<let capacity: Int>(
    for slot: Int, table: inout TargetTable<capacity>, at now: Instant
  ) -> UInt32 {
    var found: UInt32 = 0
    var index = 0
    while index < Self.capacity {
      let owner = entries[index].owner
      if entries[index].length > 0, owner != slot,
        entries[index].digest != table[slot].payloadDigest.low32,
        table[owner].silence(at: now) <= Self.expiry
      {
        found |= Self.bit(index)
      }
      index &+= 1
    }
    return found
  }

  /// The one among `left` that comes first.
  private mutating func first<let capacity: Int>(
    of left: UInt32, told: UInt32, table: inout TargetTable<capacity>, at now: Instant
  ) -> Int? {
    var best: Int?
    var leastSilence = Interval.zero
    // Of those not shared yet, if there are any.
    let choice = left & ~told != 0 ? left & ~told : left
    var index = 0
    while index < Self.capacity {
      if choice & Self.bit(index) != 0 {
        let silence = table[entries[index].owner].silence(at: now)
        if best == nil || silence < leastSilence {
          best = index
          leastSilence = silence
        }
      }
      index &+= 1
    }
    return best
  }

  // MARK: Slots

  private mutating func find(_ digest: UInt32) -> Int? {
    var index = 0
    while index < Self.capacity {
      if entries[index].length > 0, entries[index].digest == digest { return index }
      index &+= 1
    }
    return nil
  }

  private var freeSlot: Int? {
    mutating get {
      var index = 0
      while index < Self.capacity {
        if entries[index].length == 0 { return index }
        index &+= 1
      }
      return nil
    }
  }

  /// The payload whose owner was received longest ago; `nil` if there is none.
  private mutating func longestSilent<let capacity: Int>(
    table: inout TargetTable<capacity>, at now: Instant
  ) -> Int? {
    var silent: Int?
    var longest = Interval.zero
    var index = 0
    while index < Self.capacity {
      if entries[index].length > 0 {
        let silence = table[entries[index].owner].silence(at: now)
        if silent == nil || silence > longest {
          silent = index
          longest = silence
        }
      }
      index &+= 1
    }
    return silent
  }

  /// Removes the payloads whose owners show them no longer.
  private mutating func prune<let capacity: Int>(table: inout TargetTable<capacity>) {
    var index = 0
    while index < Self.capacity {
      if entries[index].length > 0, table[entries[index].owner].payloadDigest.low32 != entries[index].digest {
        remove(index)
      }
      index &+= 1
    }
  }

  /// Frees a slot and closes the gap in the bytes.
  private mutating func remove(_ slot: Int) {
    let start = entries[slot].start
    let length = entries[slot].length
    var byte = start &+ length
    while byte < used {
      bytes[byte &- length] = bytes[byte]
      byte &+= 1
    }
    used &-= length
    entries[slot] = Entry()
    var index = 0
    while index < Self.capacity {
      let entry = entries[index]
      if entry.length > 0, entry.start > start {
        entries[index] = Entry(
          start: entry.start &- length, length: entry.length, owner: entry.owner, digest: entry.digest)
      }
      index &+= 1
    }
  }
}

extension TargetTable {
  /// A slot of the `SharingStore` holds another payload from now on: it was shared with no target.
  mutating func untell(_ bit: UInt32) {
    var slot = 0
    while slot < Int(fresh) {
      if targets[slot].system == .iOS { targets[slot].told &= ~bit }
      slot &+= 1
    }
  }
}
