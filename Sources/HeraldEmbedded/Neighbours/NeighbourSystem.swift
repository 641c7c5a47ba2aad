/// A proximity system other than Herald that this device can observe and be a peer of.
public enum NeighbourSystem: UInt8, BitwiseCopyable, Sendable {
  /// CovidWatch: contact event numbers of 16 bytes (HP-52…HP-54).
  case covidWatch = 0
  /// C19X: beacon codes of 8 bytes (HP-55).
  case c19x = 1
}
