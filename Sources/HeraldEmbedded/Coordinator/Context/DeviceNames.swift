import HeraldBluetooth
import HeraldHAL

/// The names of a device in its GATT table, UTF-8, at most 20 bytes each. They should not identify a device,
/// as any device in range can read them.
public struct DeviceNames: Sendable {
  /// The name (Device Name, Core Specification, Vol 3, Part C, 12.1). Empty unless it is set.
  public var name: InlineBytes<20>
  /// The model (Model Number String of the Device Information service). Empty unless it is set.
  public var model: InlineBytes<20>
  /// The manufacturer (Manufacturer Name String of the same service). "Herald Embedded" while it is empty.
  public var manufacturer: InlineBytes<20>

  /// No name is set.
  public init() {
    name = InlineBytes()
    model = InlineBytes()
    manufacturer = InlineBytes()
  }

  /// Names from text. What is longer than 20 bytes stays empty.
  public init(name: StaticString, model: StaticString, manufacturer: StaticString = "") {
    self.init()
    self.name.append(name)
    self.model.append(model)
    self.manufacturer.append(manufacturer)
  }

  /// Serves one of the names from `offset` on.
  @inline(never)
  mutating func read(
    _ tag: AttributeTag, from offset: Int, into buffer: inout MutableSpan<UInt8>
  ) -> AttributeRead {
    switch tag {
    case .deviceName: return .copying(name.span, from: offset, into: &buffer)
    case .modelNumber: return .copying(model.span, from: offset, into: &buffer)
    default:
      guard manufacturer.isEmpty else { return .copying(manufacturer.span, from: offset, into: &buffer) }
      return .copying(defaultManufacturer.span, from: offset, into: &buffer)
    }
  }
}

// "Herald Embedded": served for a device without a manufacturer name.
private let defaultManufacturer: [15 of UInt8] = [
  0x48, 0x65, 0x72, 0x61, 0x6C, 0x64, 0x20, 0x45, 0x6D, 0x62, 0x65, 0x64, 0x64, 0x65, 0x64,
]
