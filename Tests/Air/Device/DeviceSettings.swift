import HeraldLinux

/// What a device of the medium does, and how its clock and processor are, as written in words `NAME=VALUE`.
struct DeviceSettings {
  /// Words that are not understood.
  struct Failure: Error {
    let word: String
  }

  /// The type of advertising events, or `nil`: `advertise=connectable|scannable|nonconnectable`.
  enum Advertising: String {
    case connectable, scannable, nonconnectable
  }

  var advertising: Advertising?
  /// The advertising interval in milliseconds: `every=`.
  var advertisingInterval: UInt32 = 30
  /// The number of connections with which the device no longer advertises: `limit=`.
  var limit = 5
  /// Whether the device scans, and actively: `scan=passive|active`.
  var scans = false
  var isActive = false
  /// The numbers of the devices to connect to: `connect=N,N`.
  var targets: [Int] = []
  /// The connection interval in units of 1.25 ms: `interval=`; the supervision timeout in units of 10 ms:
  /// `timeout=`.
  var interval: UInt16 = 24
  var timeout: UInt16 = 100
  /// The time in milliseconds between two payloads on each connection; `nil` for no payloads, 0 for as many
  /// as possible: `data=`.
  var dataInterval: UInt32?
  /// The time in milliseconds after which a connection is ended as its central; 0 for never: `hold=`.
  var hold: UInt32 = 0
  /// The simulated time in seconds after which the device leaves: `seconds=`.
  var seconds = 1_000_000
  /// The clock and the processor: `ppm=`, `declared=`, `lateness=`, `delay=`, `seed=`.
  var options = PhyOptions()

  init(_ words: some Sequence<String>) throws(Failure) {
    for word in words {
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2, read(parts[0], parts[1]) else { throw Failure(word: word) }
    }
  }

  private mutating func read(_ name: String, _ value: String) -> Bool {
    switch name {
    case "advertise":
      advertising = Advertising(rawValue: value)
      return advertising != nil
    case "scan":
      scans = true
      isActive = value == "active"
      return isActive || value == "passive"
    case "connect":
      targets = value.split(separator: ",").compactMap { Int($0) }
      return !targets.isEmpty
    case "data":
      dataInterval = UInt32(value)
      return dataInterval != nil
    case "limit": return Self.set(&limit, value)
    case "every": return Self.set(&advertisingInterval, value)
    case "interval": return Self.set(&interval, value)
    case "timeout": return Self.set(&timeout, value)
    case "hold": return Self.set(&hold, value)
    case "seconds": return Self.set(&seconds, value)
    case "ppm": return Self.set(&options.clockDeviation, value)
    case "declared": return Self.set(&options.declaredDeviation, value)
    case "lateness": return Self.set(&options.lateness, value)
    case "delay": return Self.set(&options.longestDelay, value)
    case "seed": return Self.set(&options.seed, value)
    default: return false
    }
  }

  private static func set<Value: LosslessStringConvertible>(_ target: inout Value, _ text: String) -> Bool {
    guard let value = Value(text) else { return false }
    target = value
    return true
  }
}
