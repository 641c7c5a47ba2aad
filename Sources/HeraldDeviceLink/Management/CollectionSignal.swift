import HeraldHAL

/// How far a host is with the collection of this device's log, for the device's light.
public enum CollectionSignal: UInt8, BitwiseCopyable, Sendable {
  /// Nothing: the light shows what it would without a host.
  case none = 0
  /// The host reads the log: the device has to stay connected.
  case collecting = 1
  /// The host has the log: the device may be taken.
  case done = 2
  /// The host does not have all of the log: a person should look at the host.
  case failed = 3
}

extension HeraldManagement {
  /// `{"show"}` → `{}`; busy while the light shows something of more importance, or has just changed.
  @inline(never)
  static func signal<Device: ManagedDevice & ~Copyable>(
    _ request: inout SMPRequest, device: inout Device
  ) -> SMPOutcome {
    guard request.read(needed: SMPKeys(.show)), let number = UInt8(exactly: request.said.show),
      let signal = CollectionSignal(rawValue: number)
    else { return .failure(.invalid) }
    guard device.signal(signal, at: request.now) else { return .failure(.busy) }
    request.answer.map(0)
    return .answered
  }
}
