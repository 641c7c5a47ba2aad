import HeraldBluetooth
import HeraldDeviceLink
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation

/// A board with nothing but settings, in a flash of their own.
struct PlainBoard: ManagedBoard, ~Copyable {
  var settings = SettingsStore(flash: MemoryFlash(pageSize: 1024, pageCount: 2, wordSize: 4))
  mutating func information(_ field: InformationField, into text: inout MutableSpan<UInt8>) -> Int { 0 }
  mutating func restart(at now: Instant) {}
}
