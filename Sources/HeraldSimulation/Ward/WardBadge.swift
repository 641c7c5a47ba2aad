import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL

/// A badge of a practice ward, as its days pass. Times are milliseconds since the begin of the ward.
final class WardBadge {
  private(set) var isOn = false
  private let number: Int
  private let epoch: UInt32
  private let serial: String
  private let payload: [UInt8]
  private let accessKey: [UInt8]
  private let hasMotionSensor: Bool
  /// From which its addresses follow.
  private let addressSeed: UInt64
  private let begin: UInt64
  private let timesOn: [Range<Int>]
  private var log: BadgeLog
  private var motion = MotionState.unknown
  /// What is received in the present minute.
  private var heard: [(at: UInt64, sender: Int, rssi: Int)] = []

  init(_ number: Int, _ plan: WardPlan, random: inout SeededRandom) {
    self.number = number
    begin = plan.setting.begin
    timesOn = plan.timesOn(number)
    hasMotionSensor = plan.hasMotionSensor(number)
    epoch = random.next()
    addressSeed = random.next64()
    serial = Self.digits(random.next64())
    // Of the fixed family: country 826, state 4, and a number of eight bytes.
    payload = [0x08, 0x3A, 0x03, 4, 0] + Self.bytes(random.next64() | 1)
    accessKey = (0..<4).flatMap { _ in Self.bytes(random.next64()) }
    log = BadgeLog(epoch: epoch, pageCount: 256)
  }

  private static func bytes(_ number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  private static func digits(_ number: UInt64) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: 16 - text.count) + text
  }

  /// The address in a quarter of an hour: a resolvable private one, as far as its two highest bits go.
  private func address(at time: UInt64) -> TargetIdentity {
    let period = (begin + time + addressSeed % 900_000) / 900_000
    let bits = SeededRandom.hash(addressSeed ^ period)
    return TargetIdentity(
      kind: .randomAddress, high: 0x4000 | UInt16(truncatingIfNeeded: bits >> 32) & 0x3FFF,
      low: UInt32(truncatingIfNeeded: bits))
  }

  /// What happens to it at the begin of a minute.
  func beginMinute(_ minute: Int, _ plan: WardPlan) throws {
    let time = UInt64(minute) * 60_000
    isOn = timesOn.contains { $0.contains(minute) }
    guard isOn else { return }
    if timesOn.contains(where: { $0.lowerBound == minute }) { try switchOn(at: time, minute, plan) }
    if minute % 60 == 0 {
      try log.append(
        .battery(level: UInt8(plan.charge(number, at: minute)), external: false), at: time)
    }
    if hasMotionSensor { try noteMotion(minute, plan) }
    if minute % 5 == 0 { try log.loseSilentPeers(at: time) }
  }

  /// At a dock, which sets its date.
  private func switchOn(at time: UInt64, _ minute: Int, _ plan: WardPlan) throws {
    try log.start(at: time)
    try log.setDate(begin + time + plan.fastBy(number), at: time + 2000)
    try log.append(.ownPayload, payload, at: time + 2000)
    try log.append(
      .battery(level: UInt8(plan.charge(number, at: minute)), external: true), at: time + 3000)
    motion = .unknown
  }

  /// The badge is moved in the shift, and for an hour more on the way home, unless it is put into the box.
  private func noteMotion(_ minute: Int, _ plan: WardPlan) throws {
    let shift = plan.people[plan.wearer(of: number)].shift
    let wornUntil = shift.upperBound + (plan.isBoxed(number) ? 5 : 65)
    let state = (shift.lowerBound..<wornUntil).contains(minute % 1440) ? MotionState.worn : .lying
    guard state != motion else { return }
    motion = state
    try log.append(.motion(state), at: UInt64(minute) * 60_000 + 4000)
  }

  /// Takes a reading of the present minute.
  func hear(_ sender: Int, rssi: Int, at time: UInt64) { heard.append((time, sender, rssi)) }

  /// Logs the readings of the minute.
  func endMinute(_ badges: [WardBadge]) throws {
    for (time, sender, rssi) in heard.sorted(by: { ($0.at, $0.sender) < ($1.at, $1.sender) }) {
      let peer = badges[sender]
      try log.receive(sender, from: peer.address(at: time), payload: peer.payload, rssi: rssi, at: time)
    }
    heard.removeAll(keepingCapacity: true)
  }

  /// The badge after the days.
  func finished() throws -> PracticeWard.Badge {
    let pages = try log.pages()
    // As many pages of the ring as a node needs for some days more.
    let size = 4096 * min(pages.count + 32, 256)
    let flash = FlashImage(pageSize: 4096, pageCount: 2, wordSize: 4)
    var settings = SettingsStore(flash: MemoryFlash(flash))
    let key = accessKey
    _ = settings.keepAccessKey(key.span)
    return PracticeWard.Badge(
      serial: serial, epoch: epoch, payload: payload, hasMotionSensor: hasMotionSensor, accessKey: accessKey,
      pages: pages, logFlash: Array(log.image.bytes.prefix(size)), settingsFlash: flash.bytes)
  }
}
