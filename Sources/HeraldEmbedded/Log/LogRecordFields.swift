import HeraldBluetooth
import HeraldHAL

/// The kind of a record, as it is coded in the page. "Measured" has a decision of its own, the others a tree
/// of four.
enum LogKind: UInt8, BitwiseCopyable {
  case end = 0
  case measured = 1
  case detected = 2
  case read = 3
  case shared = 4
  case heraldDetected = 5
  case lost = 6
  case txPower = 7
  case ownPayload = 8
  case battery = 9
  case started = 10
  case clockSet = 11
  case dropped = 12
  /// Bytes received from a target; their meaning is in the plain field.
  case targetBytes = 13
  /// Bytes of this device; their meaning is in the plain field.
  case ownBytes = 14
  case visited = 15

  /// Whether the record has a target.
  var hasTarget: Bool {
    rawValue >= 1 && rawValue <= 7 || self == .targetBytes || self == .visited
  }
  /// Whether payload bytes precede the record.
  var hasBytes: Bool {
    self == .read || self == .shared || self == .ownPayload || self == .targetBytes || self == .ownBytes
  }

  /// How many plain bits follow the time and the target: first those of `extra`, then those of `value`, then
  /// those of `high`, each most significant first.
  var plainBits: (extra: UInt32, value: UInt32, high: UInt32) {
    switch self {
    case .txPower, .battery, .started, .targetBytes, .ownBytes: (8, 0, 0)
    case .visited: (0, 32, 32)
    case .clockSet: (2, 32, 32)
    case .dropped: (0, 32, 0)
    default: (0, 0, 0)
    }
  }
}

/// A record in the form that the model codes: input of a writer, output of a reader.
struct LogRecordFields: BitwiseCopyable {
  var kind: LogKind
  /// Steps of 10 ms since the record before.
  var step: UInt32
  var target: TargetIdentity
  var rssi: Int8
  var extra: UInt8
  var value: UInt32
  var high: UInt32
  /// After reading, where the payload is: 0 none, 1…21 bytes of the record, 31 in blocks before it.
  var payload: UInt8

  @inline(__always)
  init(
    kind: LogKind, target: TargetIdentity = Self.nobody,
    rssi: Int8 = 0, extra: UInt8 = 0, value: UInt32 = 0, high: UInt32 = 0
  ) {
    self.kind = kind
    step = 0
    self.target = target
    self.rssi = rssi
    self.extra = extra
    self.value = value
    self.high = high
    payload = 0
  }

  init(_ event: LogEvent) {
    switch event {
    case .detected(let target): self.init(kind: .detected, target: target)
    case .measured(let target, let rssi): self.init(kind: .measured, target: target, rssi: rssi.rawValue)
    case .read(let target): self.init(kind: .read, target: target)
    case .shared(let target): self.init(kind: .shared, target: target)
    case .heraldDetected(let target): self.init(kind: .heraldDetected, target: target)
    case .lost(let target): self.init(kind: .lost, target: target)
    case .txPower(let target, let power):
      self.init(kind: .txPower, target: target, extra: UInt8(bitPattern: power))
    case .received(let target): self.init(kind: .targetBytes, target: target, extra: Self.message)
    case .model(let target): self.init(kind: .targetBytes, target: target, extra: Self.model)
    case .observed(let target, let service):
      self.init(kind: .targetBytes, target: target, extra: Self.services &+ service.rawValue)
    case .visited(let target, let firstReceived, let lastReceived):
      self.init(kind: .visited, target: target, value: firstReceived, high: lastReceived)
    case .ownCode(let service): self.init(kind: .ownBytes, extra: Self.services &+ service.rawValue)
    case .restarted: self.init(kind: .ownBytes, extra: Self.restart)
    case .motion(let state): self.init(kind: .ownBytes, extra: Self.motion &+ state.rawValue)
    case .ownPayload: self.init(kind: .ownPayload)
    case .battery(let level, let external):
      self.init(kind: .battery, extra: min(level, 127) | (external ? 0x80 : 0))
    case .started(let reason): self.init(kind: .started, extra: reason)
    case .clockSet(let unix, let source):
      self.init(kind: .clockSet, extra: source.rawValue, value: unix.low32, high: unix.high32)
    case .dropped(let count): self.init(kind: .dropped, value: count)
    }
  }

  /// The placeholder for the target in records without one.
  static var nobody: TargetIdentity {
    TargetIdentity(kind: .publicAddress, high: 0, low: 0)
  }

  /// The meaning of the bytes of kinds 13 and 14: a message, a model, a restart report, from 3 on a state of
  /// motion, which has no bytes, or from 16 on the code of an additional service.
  static var message: UInt8 { 0 }
  static var model: UInt8 { 1 }
  private static var restart: UInt8 { 2 }
  private static var motion: UInt8 { 3 }
  static var services: UInt8 { 16 }

  /// The event; `nil` for the end of a codeword and for an unknown value of a plain field.
  var event: LogEvent? {
    switch kind {
    case .end: nil
    case .measured: .measured(target, RSSI(rssi))
    case .detected: .detected(target)
    case .read: .read(target)
    case .shared: .shared(target)
    case .heraldDetected: .heraldDetected(target)
    case .lost: .lost(target)
    case .txPower: .txPower(target, Int8(bitPattern: extra))
    case .ownPayload: .ownPayload
    case .battery: .battery(level: extra & 0x7F, external: extra & 0x80 != 0)
    case .started: .started(reason: extra)
    case .clockSet:
      if let source = WallClock.Source(rawValue: extra) {
        .clockSet(unixMilliseconds: UInt64(high: high, low: value), source: source)
      } else {
        nil
      }
    case .dropped: .dropped(count: value)
    case .targetBytes:
      switch extra {
      case Self.message: .received(target)
      case Self.model: .model(target)
      default: service.map { .observed(target, $0) }
      }
    case .ownBytes:
      if extra == Self.restart {
        .restarted
      } else if let state = MotionState(rawValue: extra &- Self.motion) {
        .motion(state)
      } else {
        service.map { .ownCode($0) }
      }
    case .visited: .visited(target, firstReceived: value, lastReceived: high)
    }
  }

  private var service: ServiceNumber? {
    extra < Self.services ? nil : ServiceNumber(rawValue: extra &- Self.services)
  }
}
