import HeraldBluetooth
import HeraldHAL

/// A received advertising channel PDU.
public struct ReceivedPDU: BitwiseCopyable, Sendable {
  /// RSSI in dBm; 127 if unknown.
  public internal(set) var rssi: Int8
  /// The length of the PDU in bytes, including the header; 0 if there is none.
  public internal(set) var count: UInt8
  /// The PDU: `AdvertisingHeader` reads its first two bytes.
  public internal(set) var bytes: [39 of UInt8]

  /// An empty report.
  init() {
    rssi = 0
    count = 0
    bytes = .init(repeating: 0)
  }

  /// Creates a copy of a PDU of at most 39 bytes.
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

/// The state of a part of a scan window in progress that the radio interrupt uses. It ends with the first
/// advertisement that is to be processed, so that the level below processes it and starts the next part.
struct ScanningEvent {
  /// The last operation.
  enum Phase: UInt8, BitwiseCopyable {
    case listen = 0
    /// A scan request is being transmitted.
    case ask = 1
    /// A scan response is expected.
    case hear = 2
    /// A CONNECT_IND is being transmitted.
    case connect = 3
  }

  /// The maximum time after the end of a window: the remainder of a packet that began in it.
  static var packetTime: UInt32 { 376 }
  /// The time that a scan request and its response add to it; a CONNECT_IND adds less.
  static var exchangeTime: UInt32 { 150 &+ 176 &+ 150 &+ 376 }

  var phase: Phase
  /// Advertisements are to be reported.
  var reports: Bool
  /// A scannable advertisement is to be answered with a scan request.
  var mayAsk: Bool
  /// Only advertisements of devices in the filter accept list are to be reported.
  var filters: Bool
  /// A connectable advertisement of `target` is to be answered with a CONNECT_IND.
  var connects: Bool
  /// The devices in the filter accept list are the target.
  var connectsListed: Bool
  /// The own address in scan requests.
  var own: DeviceAddress
  /// The own address in CONNECT_IND.
  var initiator: DeviceAddress
  var target: DeviceAddress
  /// The required time of the central's anchor points, modulo `interval` microseconds; 0 if there is no
  /// requirement.
  var phaseTime: RadioTime
  var interval: UInt32
  // The result of the event.
  var wasScannable: Bool
  var asked: Bool
  var wasAnswered: Bool
  var wasConnected: Bool
  var requestEnd: RadioTime

  init() {
    phase = .listen
    reports = false
    mayAsk = false
    filters = false
    connects = false
    connectsListed = false
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
  /// The classification of a received packet.
  enum Verdict {
    /// The packet is ignored.
    case ignore
    /// The packet is reported.
    case report
    /// The packet is reported and answered with a scan request.
    case ask
    /// The packet is answered with a CONNECT_IND.
    case connect
  }

  /// Classifies a received PDU.
  mutating func verdict(on pdu: Span<UInt8>, _ acceptList: inout FilterAcceptList) -> Verdict {
    guard let header = AdvertisingHeader(of: pdu), header.isAdvertisement else { return .ignore }
    if isTarget(pdu, header, &acceptList) { return .connect }
    guard reports, header.kind != .directed || own.isNamed(in: pdu, at: 8, header.receiver) else {
      return .ignore
    }
    guard !filters || acceptList.contains(pdu, at: 2, header.sender) else { return .ignore }
    wasScannable = header.kind == .connectable || header.kind == .scannable
    asked = wasScannable && mayAsk
    return asked ? .ask : .report
  }

  /// Whether an advertisement is connectable by this device and from a peer to connect to.
  private func isTarget(
    _ pdu: Span<UInt8>, _ header: AdvertisingHeader, _ acceptList: inout FilterAcceptList
  ) -> Bool {
    guard connects else { return false }
    guard
      connectsListed
        ? acceptList.contains(pdu, at: 2, header.sender) : target.isNamed(in: pdu, at: 2, header.sender)
    else { return false }
    switch header.kind {
    case .connectable: return true
    case .directed: return initiator.isNamed(in: pdu, at: 8, header.receiver)
    default: return false
    }
  }
}

extension ReceivedPDU {
  /// Writes the scan request for this advertisement. RxAdd is the advertisement's TxAdd.
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
  /// Whether the address and its type are those at a position of a PDU.
  func isNamed(in pdu: Span<UInt8>, at start: Int, _ kind: Kind) -> Bool {
    guard kind == self.kind, pdu.count >= start &+ 6 else { return false }
    return DeviceAddress(onAir: pdu.extracting(start..<(start &+ 6)), kind: kind) == self
  }
}

/// The back-off of an active scanner: after failures it transmits scan requests less frequently, so that
/// scanners in range of the same advertisers do not collide repeatedly (Core Specification, Vol 6, Part B,
/// 4.4.3.2).
struct ScanBackoff: BitwiseCopyable {
  /// The number of times that the limit was doubled: 0…8.
  private var doublings: UInt8 = 0
  /// backoffCount: the number of advertisements until one is answered, including that one.
  private(set) var count: UInt16 = 0
  private var failures: UInt8 = 0
  private var successes: UInt8 = 0

  /// The state at the start of scanning: all bits are zero.
  init() {}

  /// upperLimit: 1…256.
  var upperLimit: UInt16 { 1 &<< UInt16(doublings) }

  /// Whether the next scannable advertisement is answered with a scan request.
  var mayAsk: Bool { count <= 1 }

  /// Records a scannable advertisement that was not answered.
  mutating func passed() { if count > 1 { count &-= 1 } }

  /// Records a scan request and whether a response was received. `random` is any number.
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
    // The limit is always a power of two.
    count = 1 &+ UInt16(truncatingIfNeeded: random) & (upperLimit &- 1)
  }
}

/// The parameters of scanning, as set by the host.
struct ScanSettings: BitwiseCopyable {
  var isOn: Bool
  var isActive: Bool
  /// Only advertisements of devices in the filter accept list are reported.
  var filters: Bool
  var address: DeviceAddress
  /// The scan interval and the scan window in microseconds.
  var interval: UInt32
  var window: UInt32

  init() {
    isOn = false
    isActive = false
    filters = false
    address = .zero
    interval = 0
    window = 0
  }
}
