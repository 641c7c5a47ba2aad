import HeraldBluetooth
import HeraldEmbedded
import HeraldHostLink

/// Collects the signs of some days from the pages of a device, for each observer and subject.
struct SignCollector {
  /// To whom the readings of an address belong, as long as nothing changes.
  private struct Known {
    var positions: ClosedRange<DeviceScan.Position> = 0...0
    var dates: ClosedRange<Int64> = 0...0
    /// -1: nothing is known yet.
    var subject: Int32 = -1
  }

  /// The indices in `Direction` refer to these.
  private(set) var whos: [WhoKey] = []
  private(set) var undated = 0
  private(set) var refused = 0
  private var numbers: [WhoKey: Int32] = [:]
  private var signs: [[Sign]] = []
  private var directions: [Direction: Int] = [:]
  private var known: [Known]
  private let chains: PayloadChains
  private let claims: [[PayloadClaim]]
  private let scan: DeviceScan
  private let context: DeviceDerivation.Context
  private let days: ClosedRange<Int64>
  private let dates: ClosedRange<Int64>
  private var observer: (who: Int32, valid: ClosedRange<Int64>)?
  private var count = 0

  init(_ scan: DeviceScan, _ context: DeviceDerivation.Context, _ days: ClosedRange<Int64>) {
    self.scan = scan
    self.context = context
    self.days = days
    // A civil day begins at most 16 hours away from that of UTC: outside of these dates no day is computed.
    dates =
      days == .min ... .max
      ? .min ... .max
      : context.days.begin(ofDay: days.lowerBound)...context.days.begin(ofDay: days.upperBound + 1) - 1
    known = Array(repeating: Known(), count: scan.identities.count)
    let claims = scan.payloads.map { context.claims[$0] ?? [] }
    self.claims = claims
    // A venue's payload does not change, and that of a known device needs no guess.
    chains = PayloadChains(scan) {
      claims[$0].isEmpty && WhoKey.payload(scan.payloads[$0]).kind == "payload"
    }
  }

  /// Adds the signs of a page. `index` counts the pages as the scan has.
  mutating func add(_ page: [UInt8], index: Int, _ visit: inout PageVisit) {
    var position = DeviceScan.Position(index) << 20
    var start = DeviceScan.Start(epoch: 0, boot: 0)
    var dates = scan.dates(of: start)
    visit.visit(page, clock: { _ in }) { record, _ in
      position += 1
      let target: TargetIdentity
      var level: RSSI?
      switch record.event {
      case .measured(let peer, let rssi):
        guard rssi.isAvailable else { return }
        target = peer
        level = rssi
      case .detected(let peer), .read(let peer): target = peer
      default: return
      }
      guard let peer = scan.index(of: target) else { return }
      if record.boot != start.boot || record.epoch != start.epoch {
        start = DeviceScan.Start(epoch: record.epoch, boot: record.boot)
        dates = scan.dates(of: start)
      }
      guard let date = dates.date(at: record.uptime) else {
        if level != nil { undated += 1 }
        return
      }
      guard self.dates.contains(date) else { return }
      take(peer, date, level, position)
    }
  }

  private mutating func take(_ peer: Int, _ date: Int64, _ level: RSSI?, _ position: DeviceScan.Position) {
    guard count < DeviceDerivation.mostSignsOfDay else {
      refused += 1
      return
    }
    count += 1
    let subject = subject(of: peer, at: date, position)
    let observer = observer(at: date)
    guard subject != observer else { return }
    var attenuation = Sign.none
    if let level {
      let power = scan.power(ofPeer: peer, at: position).map(Int.init) ?? context.rules.assumedPower
      attenuation = Int16(min(max(power - Int(level.rawValue), 0), Int(DayWindows.mostAttenuation)))
    }
    let direction = Direction(observer: Int64(observer), subject: Int64(subject))
    let sign = Sign(date: date, attenuation: attenuation)
    if let index = directions[direction] {
      signs[index].append(sign)
    } else {
      directions[direction] = signs.count
      signs.append([sign])
    }
  }

  /// The signs of each direction in ascending order of their dates.
  mutating func sorted() -> [(Direction, [Sign])] {
    var all: [(Direction, [Sign])] = []
    for (direction, index) in directions {
      var list: [Sign] = []
      swap(&list, &signs[index])
      // The log is in order unless the device's clock was set back.
      if !zip(list, list.dropFirst()).allSatisfy({ $0.date <= $1.date }) { list.sort { $0.date < $1.date } }
      all.append((direction, list))
    }
    return all.sorted { ($0.0.observer, $0.0.subject) < ($1.0.observer, $1.0.subject) }
  }

  // MARK: Who

  /// Who wore the device, as an index in `whos`.
  mutating func observer(at date: Int64) -> Int32 {
    if let observer, observer.valid.contains(date) { return observer.who }
    let found = context.who(ofSerial: context.serial, at: date)
    let who = number(of: found.key)
    observer = (who, found.valid)
    return who
  }

  /// To whom a reading of an address belongs, as an index in `whos`.
  mutating func subject(of peer: Int, at date: Int64, _ position: DeviceScan.Position) -> Int32 {
    if known[peer].subject >= 0, known[peer].positions.contains(position), known[peer].dates.contains(date) {
      return known[peer].subject
    }
    let (read, positions) = scan.read(ofPeer: peer, at: position)
    let (key, dates) = who(of: peer, read, at: date)
    known[peer] = Known(positions: positions, dates: dates, subject: number(of: key))
    return known[peer].subject
  }

  /// To whom a reading belongs, and for which dates. The device is the one that sent the payload when it was
  /// read; the person is the one who wore it at the date of the reading.
  private func who(of peer: Int, _ read: DeviceScan.Read?, at date: Int64) -> (WhoKey, ClosedRange<Int64>) {
    guard let read else { return (.address(scan.identities[peer]), .min ... .max) }
    let payload = Int(read.payload)
    guard let claim = PayloadClaim.only(of: claims[payload], at: scan.date(read.at) ?? date) else {
      // Without a date of the read, the answer depends on that of the reading.
      let isSure = claims[payload].isEmpty || scan.date(read.at) != nil
      return (.payload(scan.payloads[Int(chains.roots[payload])]), isSure ? .min ... .max : date...date)
    }
    let wearer = context.who(ofSerial: claim.serial, at: date)
    return (wearer.key, scan.date(read.at) == nil ? date...date : wearer.valid)
  }

  private mutating func number(of who: WhoKey) -> Int32 {
    if let known = numbers[who] { return known }
    let number = Int32(whos.count)
    numbers[who] = number
    whos.append(who)
    return number
  }
}
