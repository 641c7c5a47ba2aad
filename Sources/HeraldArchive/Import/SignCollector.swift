import HeraldBluetooth
import HeraldEmbedded
import HeraldHostLink

/// Collects the signs of some days from the pages of a device, for each observer and subject.
struct SignCollector {
  /// To whom the readings of an address belong, as long as nothing changes.
  private struct Known {
    var payload: Int32 = -1
    var valid: ClosedRange<Int64> = 1...1
    var subject: Int32 = -1
  }

  /// The indices in `Direction` refer to these.
  private(set) var whos: [WhoKey] = []
  private(set) var undated = 0
  private(set) var refused = 0
  private var places: [WhoKey: Int32] = [:]
  private var signs: [[Sign]] = []
  private var directions: [Direction: Int] = [:]
  private var known: [Known]
  /// The representative of each payload that no device of the archive sends.
  private var roots: [Int32]
  private var claims: [[PayloadClaim]]
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
    claims = scan.payloads.map { context.claims[$0] ?? [] }
    roots = scan.payloads.indices.map(Int32.init)
    joinPayloads()
  }

  /// Joins payloads that were read from one address and that no device of the archive sends: they are those
  /// of one phone. Those of venue beacons are not joined.
  private mutating func joinPayloads() {
    for peer in scan.identities.indices {
      let list = scan.payloads(ofPeer: peer).filter {
        claims[Int($0)].isEmpty && WhoKey.payload(scan.payloads[Int($0)]).kind == "payload"
      }
      for (one, other) in zip(list, list.dropFirst()) {
        let (low, high) = (min(root(one), root(other)), max(root(one), root(other)))
        roots[Int(high)] = low
      }
    }
  }

  private mutating func root(_ payload: Int32) -> Int32 {
    var place = payload
    while roots[Int(place)] != place {
      roots[Int(place)] = roots[Int(roots[Int(place)])]
      place = roots[Int(place)]
    }
    return place
  }

  /// Adds the signs of a page. `index` counts the pages as the scan has.
  mutating func add(_ page: [UInt8], index: Int, _ visit: inout PageVisit) {
    var place = DeviceScan.Place(index) << 20
    var start = DeviceScan.Start(epoch: 0, boot: 0)
    var dates = scan.calendar.dates(epoch: 0, boot: 0)
    visit.visit(page, clock: { _ in }) { record, _ in
      place += 1
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
        dates = scan.calendar.dates(epoch: record.epoch, boot: record.boot)
      }
      guard let date = dates.unixMilliseconds(at: record.uptime).map({ Int64(clamping: $0) }) else {
        if level != nil { undated += 1 }
        return
      }
      guard self.dates.contains(date) else { return }
      take(peer, date, level, place)
    }
  }

  private mutating func take(_ peer: Int, _ date: Int64, _ level: RSSI?, _ place: DeviceScan.Place) {
    guard count < DeviceDerivation.mostSignsOfDay else {
      refused += 1
      return
    }
    count += 1
    let subject = subject(of: peer, at: date, place)
    let observer = observer(at: date)
    guard subject != observer else { return }
    var attenuation = Sign.none
    if let level {
      let power = scan.power(ofPeer: peer, at: place).map(Int.init) ?? context.rules.assumedPower
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
    let found = context.assignments.who(ofSerial: context.serial, at: date)
    let who = number(of: found.key)
    observer = (who, found.valid)
    return who
  }

  /// To whom a reading of an address belongs, as an index in `whos`.
  mutating func subject(of peer: Int, at date: Int64, _ place: DeviceScan.Place) -> Int32 {
    let payload = scan.payload(ofPeer: peer, at: place) ?? -1
    if known[peer].payload == payload, known[peer].valid.contains(date), known[peer].subject >= 0 {
      return known[peer].subject
    }
    let (key, valid) = who(of: peer, payload, at: date)
    known[peer] = Known(payload: payload, valid: valid, subject: number(of: key))
    return known[peer].subject
  }

  private mutating func who(of peer: Int, _ payload: Int32, at date: Int64) -> (
    WhoKey, ClosedRange<Int64>
  ) {
    guard payload >= 0 else { return (.address(scan.identities[peer]), .min ... .max) }
    let (claim, valid) = PayloadClaim.only(of: claims[Int(payload)], at: date)
    guard let claim else { return (.payload(scan.payloads[Int(root(payload))]), valid) }
    let wearer = context.assignments.who(ofSerial: claim.serial, at: date)
    return (wearer.key, wearer.valid.clamped(to: valid))
  }

  private mutating func number(of who: WhoKey) -> Int32 {
    if let known = places[who] { return known }
    let number = Int32(whos.count)
    places[who] = number
    whos.append(who)
    return number
  }
}
