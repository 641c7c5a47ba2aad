import HeraldDeviceLink
import HeraldEmbedded
import HeraldFirmware
import HeraldHAL
import HeraldHCI
import HeraldSimulation

/// What happens to a board, for its test to see.
final class Events {
  var now: UInt64 = 0
  var sleeps: [UInt64] = []
  var feeds = 0
  var restarts = 0
  var entries = 0
  var holds: [Bool] = []
  var written = 0
  /// The clock advances by this interval at each reading, as on a board that is busy.
  var busy: UInt64 = 0
  /// Whether an interrupt has come that keeps it from sleeping.
  var isInterrupted = false
}

struct TestHardware: FirmwareHardware {
  typealias SettingsFlash = MemoryFlash
  let events: Events

  mutating func now() -> Instant {
    events.now += events.busy
    return Instant(milliseconds: events.now)
  }
  mutating func sleep(until deadline: Instant) -> Bool {
    if events.isInterrupted { return false }
    events.sleeps.append(deadline.milliseconds)
    events.now = max(events.now, deadline.milliseconds)
    return true
  }
  mutating func feedWatchdog() { events.feeds += 1 }
  mutating func restart() { events.restarts += 1 }
  static var entersBootLoader: Bool { true }
  mutating func enterBootLoader() { events.entries += 1 }
  mutating func holdController(_ isHeld: Bool) { events.holds.append(isHeld) }
  static var hasControllerReset: Bool { true }
  mutating func stackUsed() -> UInt32 { 1234 }
  mutating func overruns() -> UInt32 { 5 }
  mutating func information(_ field: InformationField, into text: inout MutableSpan<UInt8>) -> Int { 0 }
}

/// A line with no controller at its end.
struct SilentTransport: ControllerTransport {
  let events: Events
  mutating func read(into buffer: inout MutableSpan<UInt8>) -> Int { 0 }
  mutating func write(_ packet: Span<UInt8>) -> Bool {
    events.written += 1
    return true
  }
}

struct CountedRandom: RandomSource {
  /// The next number follows from it.
  var count: UInt32 = 0
  mutating func next() -> UInt32 {
    count &+= 0x9E37_79B9
    return count
  }
}

typealias TestNode = ManagedNode<
  HCIRadio<SilentTransport, 2>,
  ManagedPartList<
    MemoryFlash, CountedRandom, FixedPayloadSupplier, NoDelegate, HeraldGATTTable,
    Firmware<TestHardware>
  >, 4, 2, 2
>
