import HeraldBluetooth
import HeraldHAL

/// A PDU of an advertising channel that was received.
public struct HeardPDU: BitwiseCopyable, Sendable {
  /// dBm, or 127.
  public internal(set) var rssi: Int8
  /// How many bytes the PDU has, header included; 0 is none.
  public internal(set) var count: UInt8
  /// The PDU: `AdvertisingHeader` reads its first two bytes.
  public internal(set) var bytes: [39 of UInt8]

  /// An empty report.
  init() {
    rssi = 0
    count = 0
    bytes = .init(repeating: 0)
  }

  /// A copy of a PDU of at most 39 bytes.
  mutating func copy(_ pdu: Span<UInt8>, rssi: Int8) {
    self.rssi = rssi
    let size = min(pdu.count, 39)
    var index = 0
    while index < size {
      bytes[index] = pdu[unchecked: index]
      index &+= 1
    }
    count = UInt8(truncatingIfNeeded: size)
  }
}

/// A part of a scan window that is under way: what the radio interrupt knows of it. It ends with the first
/// advertisement that is of interest, so that the level below takes that and begins the next part.
struct ScanningEvent {
  /// What the last operation was.
  enum Phase: UInt8, BitwiseCopyable {
    case listen = 0
    /// A scan request is being sent.
    case ask = 1
    /// The scan response is awaited.
    case hear = 2
    /// A CONNECT_IND is being sent.
    case connect = 3
  }

  /// What comes after the end of a window at most: the rest of a packet that began in it.
  static var packetTime: UInt32 { 376 }
  /// What an exchange of scan request and response adds to it; a CONNECT_IND adds less.
  static var exchangeTime: UInt32 { 150 &+ 176 &+ 150 &+ 376 }

  var phase: Phase
  /// Advertisements are to be reported.
  var reports: Bool
  /// A scannable advertisement is to be answered with a scan request.
  var mayAsk: Bool
  /// A connectable advertisement of `target` is to be answered with a CONNECT_IND.
  var connects: Bool
  /// The own address in scan requests.
  var own: DeviceAddress
  /// The own address in CONNECT_IND.
  var initiator: DeviceAddress
  var target: DeviceAddress
  /// As central: when anchors are to come, modulo `interval` microseconds; 0 if that does not matter.
  var phaseTime: RadioTime
  var interval: UInt32
  // What came of it.
  var wasScannable: Bool
  var asked: Bool
  var wasAnswered: Bool
  var wasConnected: Bool
  var requestEnd: RadioTime

  init() {
    phase = .listen
    reports = false
    mayAsk = false
    connects = false
    own = .zero
    initiator = .zero
    target = .zero
    phaseTime = RadioTime(microseconds: 0)
    interval = 0
    wasScannable = false
    asked = false
    wasAnswered = false
    wasConnected = false
    requestEnd = phaseTime
  }
}

extension ScanningEvent {
  /// What a packet means to the scanner.
  enum Verdict {
    /// It is not for the scanner.
    case ignore
    /// It is to be reported.
    case report
    /// It is to be reported, and asked for more.
    case ask
    /// It is from whom we want to connect to.
    case connect
  }

  /// What a PDU that came means.
  mutating func verdict(on pdu: Span<UInt8>) -> Verdict {
    guard let header = AdvertisingHeader(of: pdu), header.isAdvertisement else { return .ignore }
    if isTarget(pdu, header) { return .connect }
    guard reports, header.kind != .directed || own.isNamed(in: pdu, at: 8, header.receiver) else {
      return .ignore
    }
    wasScannable = header.kind == .connectable || header.kind == .scannable
    asked = wasScannable && mayAsk
    return asked ? .ask : .report
  }

  /// Whether an advertisement is one that we want to connect to, and may.
  private func isTarget(_ pdu: Span<UInt8>, _ header: AdvertisingHeader) -> Bool {
    guard connects, target.isNamed(in: pdu, at: 2, header.sender) else { return false }
    switch header.kind {
    case .connectable: return true
    case .directed: return initiator.isNamed(in: pdu, at: 8, header.receiver)
    default: return false
    }
  }
}

extension HeardPDU {
  /// Writes the scan request to whom this advertisement is from. RxAdd is the advertisement's TxAdd.
  mutating func writeRequest(from own: DeviceAddress, into pdu: consuming MutableSpan<UInt8>) {
    guard pdu.count >= 14 else { return }
    let advertisement = bytes.span
    let receiver: DeviceAddress.Kind = advertisement[0] & 0x40 == 0 ? .public : .random
    let header = AdvertisingHeader(.scanRequest, sender: own.kind, receiver: receiver, length: 12)
    pdu[0] = header.firstByte
    pdu[1] = header.length
    var index = 0
    while index < 6 {
      pdu[2 &+ index] = own.onAirByte(index)
      pdu[8 &+ index] = advertisement[2 &+ index]
      index &+= 1
    }
  }
}

extension DeviceAddress {
  /// Whether this is the address, of this kind, at a place of a PDU.
  func isNamed(in pdu: Span<UInt8>, at start: Int, _ kind: Kind) -> Bool {
    guard kind == self.kind, pdu.count >= start &+ 6 else { return false }
    return DeviceAddress(onAir: pdu.extracting(start..<(start &+ 6)), kind: kind) == self
  }
}

/// How often an active scanner sends scan requests: after failures more and more rarely, so that scanners
/// that hear each other's advertisers do not collide for ever (Core Specification, Vol 6, Part B, 4.4.3.2).
struct ScanBackoff: BitwiseCopyable {
  /// How often the limit was doubled: 0…8.
  private var doublings: UInt8 = 0
  /// backoffCount: how many advertisements are still to come before one is answered, which is that after the
  /// others.
  private(set) var count: UInt16 = 0
  private var failures: UInt8 = 0
  private var successes: UInt8 = 0

  /// At the start of scanning: all zero bits.
  init() {}

  /// upperLimit: 1…256.
  var upperLimit: UInt16 { 1 &<< UInt16(doublings) }

  /// Whether the next scannable advertisement is to be answered.
  var mayAsk: Bool { count <= 1 }

  /// A scannable advertisement came and was not answered.
  mutating func passed() { if count > 1 { count &-= 1 } }

  /// A scan request was sent, and answered or not. `random` is any number.
  mutating func asked(wasAnswered: Bool, random: UInt32) {
    if wasAnswered {
      failures = 0
      successes &+= 1
      if successes == 2 {
        successes = 0
        if doublings > 0 { doublings &-= 1 }
      }
    } else {
      successes = 0
      failures &+= 1
      if failures == 2 {
        failures = 0
        if doublings < 8 { doublings &+= 1 }
      }
    }
    // The limit is a power of two.
    count = 1 &+ UInt16(truncatingIfNeeded: random) & (upperLimit &- 1)
  }
}

/// What the host wants to be scanned for.
struct ScanSettings: BitwiseCopyable {
  var isOn: Bool
  var isActive: Bool
  var address: DeviceAddress
  /// Microseconds from one window to the next, and of each window.
  var interval: UInt32
  var window: UInt32

  init() {
    isOn = false
    isActive = false
    address = .zero
    interval = 0
    window = 0
  }
}
