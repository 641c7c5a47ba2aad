import HeraldBluetooth
import HeraldHAL

/// The filter accept list: the devices whose PDUs are processed where a filter policy requires it (Core
/// Specification, Vol 6, Part B, 4.3.1).
///
/// The radio interrupt reads it. The host changes it only while no activity uses it.
struct FilterAcceptList: BitwiseCopyable {
  /// The maximum number of devices.
  static var capacity: UInt8 { 8 }

  private(set) var count = UInt8(0)
  private var devices: [8 of DeviceAddress] = .init(repeating: .zero)

  /// An empty list: all bits are zero.
  init() {}

  /// The position of a device; −1 if it is not in the list.
  private func position(_ device: DeviceAddress) -> Int {
    var index = 0
    while index < Int(count) {
      if devices[index] == device { return index }
      index &+= 1
    }
    return -1
  }

  /// Whether the list contains the address of type `kind` at a position of a PDU.
  @inline(never)
  mutating func contains(_ pdu: Span<UInt8>, at start: Int, _ kind: DeviceAddress.Kind) -> Bool {
    guard pdu.count >= start &+ 6,
      let device = DeviceAddress(onAir: pdu.extracting(start..<(start &+ 6)), kind: kind)
    else { return false }
    return position(device) >= 0
  }

  /// Adds a device; `false` if the list is full. A device that it contains already is not added again.
  mutating func add(_ device: DeviceAddress) -> Bool {
    if position(device) >= 0 { return true }
    guard count < Self.capacity else { return false }
    devices[Int(count)] = device
    count &+= 1
    return true
  }

  /// Removes a device, if the list contains it.
  mutating func remove(_ device: DeviceAddress) {
    let index = position(device)
    guard index >= 0 else { return }
    count &-= 1
    devices[index] = devices[Int(count)]
  }

  /// Removes all devices.
  mutating func clear() { count = 0 }
}
