/// Devices that come into a room one after another, and leave it again in the same order. Before and after
/// that, each is out of range of all others, and switched on.
public struct CrowdSurge: Sendable {
  /// The number of devices that are in the room at all times.
  public var residents: Int
  /// The second in which the first of the others comes.
  public var begin: Int
  /// The seconds within which all come, and within which all leave.
  public var length: Int
  /// The seconds for which each stays.
  public var stay: Int

  /// Others come from `begin` on, within `length` seconds, and stay for `stay` seconds.
  public init(residents: Int, begin: Int, length: Int, stay: Int) {
    self.residents = residents
    self.begin = begin
    self.length = length
    self.stay = stay
  }

  /// The distance in metres at which a device is while it is not in the room; `nil` while it is.
  func place(away device: Int, of devices: Int, at second: Int) -> Float? {
    guard device >= residents else { return nil }
    let comes = begin + length * (device - residents) / max(1, devices - residents)
    return second >= comes && second < comes + stay ? nil : 10_000 * Float(device + 1)
  }
}
