import HeraldHostLink

/// When motion sensors say that devices were worn, and when that they lay, by serial number.
struct WearTimes: Sendable {
  private var times: [String: [CoverageInterval]] = [:]

  /// The times of no device.
  init() {}

  /// The times of some devices of an archive.
  init(of serials: Set<String>, in connection: any ArchiveConnection) throws(HostLinkError) {
    guard try connection.hasTable(CoverageTable.name) else { return }
    for serial in serials.sorted() {
      let rows = try connection.rows(
        """
        SELECT c.from_ms, c.to_ms, c.state FROM coverage c JOIN device d ON d.id = c.device_id
        WHERE d.serial = ? AND c.state IN ('worn', 'lying') ORDER BY c.from_ms
        """, [.text(serial)])
      if !rows.isEmpty { times[serial] = rows.compactMap(CoverageInterval.init) }
    }
  }

  /// Whether a device was worn or lay at a date, and for which dates that holds; `nil` if nobody can say.
  func state(of serial: String, at date: Int64) -> (state: CoverageState?, valid: ClosedRange<Int64>) {
    guard let list = times[serial] else { return (nil, .min ... .max) }
    var (low, high) = (0, list.count)
    while low < high {
      let middle = (low + high) / 2
      if list[middle].from <= date { low = middle + 1 } else { high = middle }
    }
    let next = low < list.count ? list[low].from - 1 : .max
    guard low > 0 else { return (nil, .min...max(date, next)) }
    let before = list[low - 1]
    guard date >= before.to else { return (before.state, before.from...(before.to - 1)) }
    return (nil, before.to...max(date, next))
  }
}

extension DeviceDerivation.Context {
  /// Who a device stands for at a date, and for which dates: the person who wears it, or the device itself.
  ///
  /// One that nobody wears is neither: its motion sensor says that it lies, or people wear it at other times
  /// and nothing says that it was worn at this one.
  func who(ofSerial serial: String, at date: Int64) -> (key: WhoKey, valid: ClosedRange<Int64>) {
    let wearer = assignments.who(ofSerial: serial, at: date)
    let (state, valid) = wear.state(of: serial, at: date)
    let both = wearer.valid.clamped(to: valid)
    switch (wearer.key, state) {
    case (.person(let name), .lying): return (.unworn(serial, name), both)
    case (.device, .lying): return (.unworn(serial, assignments.onlyPerson(ofSerial: serial)), both)
    case (.device, nil) where assignments.bySerial[serial] != nil:
      return (.unworn(serial, assignments.onlyPerson(ofSerial: serial)), both)
    default: return (wearer.key, both)
    }
  }
}
