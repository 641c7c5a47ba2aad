import HeraldBluetooth

/// The most recent advertisers, for an observer that requires one report of each (Core Specification, Vol 6,
/// Part B, 4.4.3.5). When it is full, the oldest is forgotten and reported again.
struct DuplicateFilter: BitwiseCopyable {
  private var senders: [16 of DeviceAddress] = .init(repeating: .zero)
  /// Whether an advertisement, and whether a scan response, of each has been reported.
  private var reported: [16 of UInt8] = .init(repeating: 0)
  private var next = 0

  /// No advertiser.
  init() {}

  /// Records a report. Returns whether it is a duplicate of an earlier one: the data is not compared.
  mutating func isDuplicate(_ sender: DeviceAddress, isResponse: Bool) -> Bool {
    let bit: UInt8 = isResponse ? 2 : 1
    var index = 0
    while index < 16 {
      if reported[index] != 0, senders[index] == sender {
        defer { reported[index] |= bit }
        return reported[index] & bit != 0
      }
      index &+= 1
    }
    senders[next] = sender
    reported[next] = bit
    next = (next &+ 1) & 15
    return false
  }
}
