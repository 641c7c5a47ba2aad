import HeraldBluetooth
import HeraldHAL

/// Several advertising sets on a radio that has one: each with its own data, interval and share of time.
///
/// **Fairness.** Time is cut into slices; a slice shows one set for `eventsPerSlice` of its advertising
/// intervals. Each set has a virtual time that advances, while it is shown, by the slice's length divided by
/// the set's share; the next slice goes to the set whose virtual time is lowest (the lower number on a tie).
/// Over time each set is shown for its share of the sum of all shares, and none waits longer than one slice
/// of each other set times the ratio of their shares. A set that joins starts with the virtual time of the
/// set furthest behind, so that absence gains no time. A single set is shown without a break.
///
/// **Rotation.** The own address is the scheduler's, not the sets': `rotate` gives every set the new one at
/// once, and the next advertising uses the new address with the data that the sets then hold. Data that has
/// to change with the address is replaced (`setData`) between the same two calls of `next`.
///
/// Pure state: from the time it computes what to advertise, and until when.
public struct AdvertisingScheduler<let sets: Int>: AdvertisingSets, ~Copyable {
  /// The contents of one set.
  private struct Entry {
    var data: InlineBytes<31>
    var scanResponse: InlineBytes<31>
    var interval: Interval
    var share: UInt8
    var connectable: Bool
    /// Milliseconds shown divided by the share, in 1/256.
    var virtualTime: UInt32

    init() {
      data = InlineBytes()
      scanResponse = InlineBytes()
      interval = .zero
      share = 0
      connectable = false
      virtualTime = 0
    }

    mutating func start<R: Radio & ~Copyable>(
      _ parameters: AdvertisingParameters, on radio: inout R
    ) throws(RadioError) {
      try radio.startAdvertising(parameters, data: data.span, scanResponse: scanResponse.span)
    }
  }

  /// The advertising to apply.
  public typealias Wish = AdvertisingWish
  /// The advertising to apply and how long it holds.
  public typealias Plan = AdvertisingPlan
  /// What the radio allows at the moment.
  public typealias Allowance = AdvertisingAllowance

  private var entries: [sets of Entry]
  /// The own address shown by every set.
  public private(set) var address: DeviceAddress
  private var shown: Wish
  private var shownSince: Instant
  private var sliceEnd: Instant
  private var dirty: Bool

  /// A scheduler without sets.
  public init() {
    entries = .init(repeating: Entry())
    address = .zero
    shown = .silence
    shownSince = .start
    sliceEnd = .start
    dirty = false
  }

  /// How many advertising intervals a slice lasts.
  public static var eventsPerSlice: UInt32 { 4 }

  /// Defines a set: its interval (20…10,240 ms), its share of the time relative to the other sets (1…255),
  /// and whether peers may connect. Its data is empty until `setData`. `false`, changing nothing, for numbers
  /// out of range.
  @discardableResult
  public mutating func setTiming(_ set: Int, interval: Interval, share: UInt8, connectable: Bool) -> Bool {
    guard set >= 0, set < sets, share > 0, interval >= .milliseconds(20), interval <= .milliseconds(10_240)
    else { return false }
    if entries[set].share == 0 { entries[set].virtualTime = leastVirtualTime() }
    entries[set].interval = interval
    entries[set].share = share
    entries[set].connectable = connectable
    return true
  }

  /// Replaces what a set advertises, 31 bytes at most each; `false`, changing nothing, if either is longer.
  @discardableResult
  public mutating func setData(_ set: Int, _ data: Span<UInt8>, scanResponse: Span<UInt8>) -> Bool {
    guard set >= 0, set < sets, data.count <= 31, scanResponse.count <= 31 else { return false }
    entries[set].data.removeAll()
    entries[set].data.append(data)
    entries[set].scanResponse.removeAll()
    entries[set].scanResponse.append(scanResponse)
    if case .set(set, _) = shown { dirty = true }
    return true
  }

  /// Removes a set.
  public mutating func remove(_ set: Int) {
    guard set >= 0, set < sets else { return }
    // Field by field: a whole empty entry would be built on the stack.
    entries[set].data.removeAll()
    entries[set].scanResponse.removeAll()
    entries[set].interval = .zero
    entries[set].share = 0
    entries[set].connectable = false
    entries[set].virtualTime = 0
    // If it is defined again before the next plan, the radio has its former data.
    if case .set(set, _) = shown { dirty = true }
  }

  /// Gives every set the new own address, at once.
  public mutating func rotate(to address: DeviceAddress) { self.address = address }

  /// Clears the plan, as the radio lost its state. The next plan is marked as changed.
  public mutating func radioForgot() {
    shown = .silence
    dirty = false
  }

  /// The advertising to apply at `now`. The caller commands the radio if it `changed`.
  public mutating func next(at now: Instant, allowed: Allowance) -> Plan {
    account(at: now)
    guard allowed.any, let set = choice(at: now) else {
      let changed = shown != .silence
      shown = .silence
      sliceEnd = now
      return Plan(wish: .silence, changed: changed, deadline: .never)
    }
    let wish = Wish.set(
      set,
      AdvertisingParameters(
        ownAddress: address, interval: entries[set].interval,
        connectable: entries[set].connectable && allowed.connectable))
    let changed = wish != shown || dirty
    shown = wish
    dirty = false
    return Plan(wish: wish, changed: changed, deadline: isAlone(set) ? .never : sliceEnd)
  }

  /// Starts advertising of a set on a radio; no effect for a set that does not exist.
  /// - Throws: the errors of the radio.
  public mutating func start<R: Radio & ~Copyable>(
    _ set: Int, _ parameters: AdvertisingParameters, on radio: inout R
  ) throws(RadioError) {
    guard set >= 0, set < sets else { return }
    try entries[set].start(parameters, on: &radio)
  }

  /// Charges the set that was shown for the time since it was last charged.
  private mutating func account(at now: Instant) {
    if case .set(let set, _) = shown, entries[set].share > 0 {
      let elapsed = now.since(shownSince).milliseconds
      let bounded = elapsed < 0xFFFF ? elapsed : 0xFFFF
      entries[set].virtualTime &+= (bounded &<< 8) / UInt32(entries[set].share)
    }
    shownSince = now
  }

  /// The set now on the air until its slice ends, then the one furthest behind.
  private mutating func choice(at now: Instant) -> Int? {
    if case .set(let set, _) = shown, entries[set].share > 0, now < sliceEnd { return set }
    var best: Int?
    var set = 0
    while set < sets {
      if entries[set].share > 0 {
        // A signed difference orders virtual times that wrap.
        if let leader = best {
          let difference = Int32(bitPattern: entries[set].virtualTime &- entries[leader].virtualTime)
          if difference < 0 { best = set }
        } else {
          best = set
        }
      }
      set &+= 1
    }
    if let best {
      sliceEnd = now + .milliseconds(entries[best].interval.milliseconds &* Self.eventsPerSlice)
    }
    return best
  }

  private mutating func isAlone(_ only: Int) -> Bool {
    var set = 0
    while set < sets {
      if set != only, entries[set].share > 0 { return false }
      set &+= 1
    }
    return true
  }

  private mutating func leastVirtualTime() -> UInt32 {
    var least: UInt32?
    var set = 0
    while set < sets {
      if entries[set].share > 0 {
        let time = entries[set].virtualTime
        if let known = least {
          if Int32(bitPattern: time &- known) < 0 { least = time }
        } else {
          least = time
        }
      }
      set &+= 1
    }
    return least ?? 0
  }
}
