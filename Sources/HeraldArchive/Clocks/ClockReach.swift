import HeraldHostLink

extension DeviceClocks {
  /// How many clocks can be compared at all. Those of other devices may be wrong without a finding.
  package struct Reach: Equatable, Sendable {
    /// The number of devices that heard another device which heard them.
    package let compared: Int
    /// The number of devices of the archive.
    package let devices: Int

    /// The sentence for an archive without findings.
    package var words: String {
      let others = devices - compared
      if compared == 0 {
        return devices == 0
          ? "There is no device whose clock could be compared."
          : "No clock was compared: no two of the \(devices) devices heard each other."
      }
      let rest =
        others == 0
        ? ""
        : "; \(others) of \(devices) devices, which heard none that heard them, \(others == 1 ? "is" : "are") not compared"
      return "No date differs among the \(compared) devices that heard each other\(rest)."
    }
  }

  /// Counts the devices that can be compared.
  package func reach() throws(HostLinkError) -> Reach {
    struct Direction: Hashable {
      let observer: Int64
      let subject: Int64
    }
    var heard: [Direction: Set<Int64>] = [:]
    try connection.query("SELECT DISTINCT observer_id, subject_id, device_id FROM heard", []) {
      (row: SQLRow) throws(HostLinkError) in
      let direction = Direction(observer: row.integer(0), subject: row.integer(1))
      heard[direction, default: []].formUnion([row.integer(2)])
    }
    var compared: Set<Int64> = []
    for (direction, devices) in heard where direction.observer != direction.subject {
      guard heard[Direction(observer: direction.subject, subject: direction.observer)] != nil else {
        continue
      }
      compared.formUnion(devices)
    }
    let devices = try connection.number("SELECT COUNT(*) FROM device") ?? 0
    return Reach(compared: compared.count, devices: max(compared.count, Int(clamping: devices)))
  }
}
