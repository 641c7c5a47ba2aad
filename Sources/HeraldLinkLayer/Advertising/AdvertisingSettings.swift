import HeraldBluetooth
import HeraldHAL

/// What kind of advertising (Core Specification, Vol 6, Part B, 4.4.2).
public enum AdvertisingType: Equatable, BitwiseCopyable, Sendable {
  /// Connectable and scannable, undirected: ADV_IND.
  case connectable
  /// Scannable, undirected: ADV_SCAN_IND.
  case scannable
  /// Non-connectable and non-scannable: ADV_NONCONN_IND.
  case nonConnectable
  /// Connectable by one device alone: ADV_DIRECT_IND. In high duty cycle an event follows the other without a
  /// delay, for 1.28 s at most.
  case directed(to: DeviceAddress, isHighDuty: Bool)
}

/// What is advertised, as the host wants it.
struct AdvertisingSettings {
  /// The PDU's type.
  var kind: AdvertisingHeader.Kind
  /// Whom directed advertising is for.
  var peer: DeviceAddress
  var isHighDuty: Bool
  var address: DeviceAddress
  /// Microseconds between the starts of two events, without the random delay.
  var interval: UInt32
  var data: InlineBytes<31>
  var response: InlineBytes<31>

  init() {
    kind = .connectable
    peer = .zero
    isHighDuty = false
    address = .zero
    interval = 0
    data = InlineBytes()
    response = InlineBytes()
  }

  /// Takes over the type.
  mutating func set(_ type: AdvertisingType) {
    peer = .zero
    isHighDuty = false
    switch type {
    case .connectable: kind = .connectable
    case .scannable: kind = .scannable
    case .nonConnectable: kind = .nonConnectable
    case .directed(let target, let isHighDuty):
      kind = .directed
      peer = target
      self.isHighDuty = isHighDuty
    }
  }

  /// Appends the PDU that is advertised.
  mutating func writeAdvertisement(to writer: inout ByteWriter) {
    if kind == .directed {
      write(.directed, peer.kind, length: 12, to: &writer)
      writer.deviceAddress(peer)
    } else {
      write(kind, .public, length: 6 &+ data.count, to: &writer)
      writer.bytes(data.span)
    }
  }

  /// Appends the PDU that answers a scan request.
  mutating func writeResponse(to writer: inout ByteWriter) {
    write(.scanResponse, .public, length: 6 &+ response.count, to: &writer)
    writer.bytes(response.span)
  }

  private func write(
    _ kind: AdvertisingHeader.Kind, _ receiver: DeviceAddress.Kind, length: Int, to writer: inout ByteWriter
  ) {
    let length = UInt8(truncatingIfNeeded: length)
    writer.u8(AdvertisingHeader(kind, sender: address.kind, receiver: receiver, length: length).firstByte)
    writer.u8(length)
    writer.deviceAddress(address)
  }
}

/// An advertising event that is under way: what the radio interrupt knows of it.
struct AdvertisingEvent {
  /// What the last operation was.
  enum Phase: UInt8, BitwiseCopyable {
    case advertise = 0
    case listen = 1
    case respond = 2
  }

  /// The longest time of one channel without an answer: the longest packet, the space, and the window.
  static var channelTime: UInt32 { 376 &+ 150 &+ 45 }
  /// What a scan request and its answer, or a CONNECT_IND, add to that at most.
  static var answerTime: UInt32 { 176 &+ 150 &+ 376 }

  var phase: Phase
  /// The channel: 37…39.
  var channel: UInt8
  var kind: AdvertisingHeader.Kind
  /// By when the last packet must be over.
  var limit: RadioTime
  /// A CONNECT_IND for us came, which ended then. It is in `LinkLayer.request`.
  var wasRequested: Bool
  var requestEnd: RadioTime

  init() {
    phase = .advertise
    channel = 0
    kind = .connectable
    limit = RadioTime(microseconds: 0)
    wasRequested = false
    requestEnd = limit
  }
}
