import HeraldDeviceLink
import HeraldEmbedded

/// An event of a device since the previous request for live events.
public struct DeviceLive: Equatable, Sendable {
  /// A single event.
  public struct Event: Equatable, Sendable {
    /// The age of the event at the time of the response, in ms.
    public let ageMilliseconds: UInt32
    /// The kind of the event.
    public let kind: LiveKind
    /// The identity of the target; all zeros for `state`.
    public let target: TargetIdentity
    /// An RSSI or transmit power in dBm, or a number, depending on the kind.
    public let level: Int8
    /// Bytes or seconds, depending on the kind.
    public let count: UInt16

    /// Parses an element of the response; `nil` if it is malformed or of an unknown kind.
    init?(_ value: CBORValue) {
      guard case .array(let parts) = value, parts.count >= 5, let age = parts[0].number32,
        let number = parts[1].number32, let kind = UInt8(exactly: number).flatMap(LiveKind.init(rawValue:)),
        let bytes = parts[2].byteString, bytes.count == 7,
        let identity = TargetIdentity.Kind(rawValue: bytes[0]),
        let level = parts[3].integer.flatMap({ Int8(exactly: $0) }),
        let count = parts[4].number32.flatMap({ UInt16(exactly: $0) })
      else { return nil }
      ageMilliseconds = age
      self.kind = kind
      target = TargetIdentity(
        kind: identity, high: UInt16(bytes[1]) << 8 | UInt16(bytes[2]),
        low: bytes[3...].reduce(0) { $0 << 8 | UInt32($1) })
      self.level = level
      self.count = count
    }
  }

  /// The events, oldest first.
  public let events: [Event]
  /// The number of events lost because the buffer was full, between the previous events and these.
  public let lost: UInt32
}

extension DeviceClient {
  /// The events since the last request. A device buffers fourteen events, and only if the last request was
  /// within ten seconds: poll about ten times a second. Refused with code 8 by a device that does not buffer
  /// events.
  public func live() throws(HostLinkError) -> DeviceLive {
    let request = ManagementRequest(
      "its live events", .read, .herald, HeraldCommand.live, isRepeatable: false)
    let body = try client.ask(request)
    guard case .array(let entries) = body[SMPKey.events], let lost = body[SMPKey.lost]?.number32 else {
      throw malformed(request, "no list of events")
    }
    return DeviceLive(events: entries.prefix(1024).compactMap(DeviceLive.Event.init), lost: lost)
  }
}
