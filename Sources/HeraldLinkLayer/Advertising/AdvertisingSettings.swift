import HeraldBluetooth
import HeraldHAL

/// The advertising event type (Core Specification, Vol 6, Part B, 4.4.2).
public enum AdvertisingType: Equatable, BitwiseCopyable, Sendable {
  /// Connectable and scannable, undirected: ADV_IND.
  case connectable
  /// Scannable, undirected: ADV_SCAN_IND.
  case scannable
  /// Non-connectable and non-scannable: ADV_NONCONN_IND.
  case nonConnectable
  /// Connectable by one device only: ADV_DIRECT_IND. In high duty cycle the events follow each other without
  /// a delay, for at most 1.28 s.
  case directed(to: DeviceAddress, isHighDuty: Bool)
}

/// The parameters and data of advertising, as set by the host.
struct AdvertisingSettings {
  /// The PDU type.
  var kind: AdvertisingHeader.Kind
  /// The target of directed advertising.
  var peer: DeviceAddress
  var isHighDuty: Bool
  var address: DeviceAddress
  /// The advertising interval in microseconds, without the random delay.
  var interval: UInt32
  /// The advertising channels in use: channel 37 in bit 0.
  var channels: UInt8
  /// Scan requests, and connect requests, are accepted from devices in the filter accept list only.
  var filtersScans: Bool
  var filtersConnections: Bool
  var data: InlineBytes<31>
  var response: InlineBytes<31>

  init() {
    kind = .connectable
    peer = .zero
    isHighDuty = false
    address = .zero
    interval = 0
    channels = AdvertisingEvent.allChannels
    filtersScans = false
    filtersConnections = false
    data = InlineBytes()
    response = InlineBytes()
  }

  /// Sets the event type. All channels are used, and requests are not filtered.
  mutating func set(_ type: AdvertisingType) {
    peer = .zero
    isHighDuty = false
    channels = AdvertisingEvent.allChannels
    filtersScans = false
    filtersConnections = false
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

  /// Appends the advertising PDU.
  mutating func writeAdvertisement(to writer: inout ByteWriter) {
    if kind == .directed {
      write(.directed, peer.kind, length: 12, to: &writer)
      writer.deviceAddress(peer)
    } else {
      write(kind, .public, length: 6 &+ data.count, to: &writer)
      writer.bytes(data.span)
    }
  }

  /// Appends the scan response PDU.
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

/// The state of an advertising event in progress that the radio interrupt uses.
struct AdvertisingEvent {
  /// The last operation.
  enum Phase: UInt8, BitwiseCopyable {
    case advertise = 0
    case listen = 1
    case respond = 2
  }

  /// The maximum time of one channel without a response: the longest packet, the space, and the receive
  /// window.
  static var channelTime: UInt32 { 376 &+ 150 &+ 45 }
  /// The maximum time that a scan request and its response, or a CONNECT_IND, add to it.
  static var answerTime: UInt32 { 176 &+ 150 &+ 376 }
  /// All advertising channels, as bits.
  static var allChannels: UInt8 { 7 }

  var phase: Phase
  /// The channel: 37…39.
  var channel: UInt8
  /// The channels in use: channel 37 in bit 0.
  var channels: UInt8
  /// Requests are accepted from devices in the filter accept list only.
  var filtersScans: Bool
  var filtersConnections: Bool
  /// The first packet was not transmitted, because it was given to the radio too late.
  var isLate: Bool
  var kind: AdvertisingHeader.Kind
  /// The time at which the last packet must have ended.
  var limit: RadioTime
  /// A CONNECT_IND for this device was received and ended at this time. It is in `LinkLayer.request`.
  var wasRequested: Bool
  var requestEnd: RadioTime

  init() {
    phase = .advertise
    channel = 0
    channels = Self.allChannels
    filtersScans = false
    filtersConnections = false
    isLate = false
    kind = .connectable
    limit = RadioTime(microseconds: 0)
    wasRequested = false
    requestEnd = limit
  }

  /// The first channel in use above `channel`; 40 if there is none.
  func next(after channel: UInt8) -> UInt8 {
    var next = channel &+ 1
    while next < 40, channels &>> (next &- 37) & 1 == 0 { next &+= 1 }
    return next
  }
}
