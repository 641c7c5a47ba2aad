import HeraldBluetooth
import HeraldHAL

/// What one advertisement shows of additional services.
public struct ServiceSighting: Equatable, BitwiseCopyable, Sendable {
  /// The service whose code the advertising data contain.
  public var service: ServiceNumber
  /// Where in the advertising data the code begins; 0 if there is none.
  public var start: UInt8
  /// The length of the code.
  public var length: UInt8
  /// Whether the peer has a code that is readable over a connection only.
  public var hasHiddenCode: Bool

  /// A code in the advertising data.
  public init(of service: ServiceNumber, start: UInt8, length: UInt8) {
    self.service = service
    self.start = start
    self.length = length
    hasHiddenCode = false
  }

  /// A code of `length` bytes that is all of the service data of a 16-bit UUID in an advertisement; no sighting
  /// if there is none.
  public init(of service: ServiceNumber, inServiceData uuid: UUID16, length: UInt8, of data: Span<UInt8>) {
    self = .nothing
    var structures = AdvertisingData(data)
    while structures.next() {
      let bytes = structures.bytes
      guard structures.type == .serviceData16, bytes.count == Int(length) &+ 2,
        bytes[unchecked: 0] == UInt8(truncatingIfNeeded: uuid.rawValue),
        bytes[unchecked: 1] == UInt8(truncatingIfNeeded: uuid.rawValue &>> 8)
      else { continue }
      // An extended advertisement may be long; positions above 255 are not searched.
      let start = UInt8(clamping: structures.range.lowerBound &+ 2)
      if start < .max { self.init(of: service, start: start, length: length) }
      return
    }
  }

  /// No sighting.
  public static var nothing: ServiceSighting { ServiceSighting(of: .firstFree, start: 0, length: 0) }
  /// Whether there is any sighting.
  public var isSomething: Bool { start != 0 || hasHiddenCode }
}

/// A code that is readable over a connection only: the service that it is in, and its location there.
public struct CodeSearch: BitwiseCopyable, Sendable {
  /// Where the code is.
  public enum Location: BitwiseCopyable, Sendable {
    /// The first `length` bytes, at most 16, of the value of this characteristic, which has at most `longest`
    /// bytes.
    case value(of: UUID128, length: UInt8, longest: UInt8)
    /// The lower half of the UUID of the first characteristic whose UUID has this upper half. The code has 8
    /// bytes, the most significant first.
    case lowerHalf(ofUpper: UInt64)
  }

  /// The service whose code it is.
  public var service: ServiceNumber
  /// The UUID of the service: a 16-bit UUID if it has the Bluetooth Base UUID.
  public var uuid: UUID128
  /// Where in the service the code is.
  public var location: Location
  /// After what time it is read again.
  public var life: Interval

  /// Initialises each member.
  public init(of service: ServiceNumber, in uuid: UUID128, at location: Location, life: Interval) {
    self.service = service
    self.uuid = uuid
    self.location = location
    self.life = life
  }
}

/// The effect of a peer's request in an additional service.
public struct ServiceEvent: BitwiseCopyable, Sendable {
  /// The kind of event.
  public enum Kind: UInt8, BitwiseCopyable, Sendable {
    /// No event.
    case nothing = 0
    /// A code of ours was served to the peer that was served to no other peer before.
    case served = 1
    /// The peer wrote its own code.
    case observed = 2
  }

  /// The kind of event.
  public var kind: Kind
  /// The service concerned.
  public var service: ServiceNumber
  /// The RSSI at which the peer receives this device, if it was written.
  public var rssi: RSSI
  /// How many bytes the code has, 0…16.
  public var length: UInt8
  /// The code, from the front.
  public var code: [16 of UInt8]

  /// An event with a code of `length` bytes, at most 16.
  public init(
    _ kind: Kind, _ service: ServiceNumber, length: UInt8, _ code: [16 of UInt8], rssi: RSSI = .notAvailable
  ) {
    self.kind = kind
    self.service = service
    self.rssi = rssi
    self.length = min(length, 16)
    self.code = code
  }

  /// No event.
  public static var nothing: ServiceEvent {
    ServiceEvent(.nothing, .firstFree, length: 0, .init(repeating: 0), rssi: RSSI(0))
  }
}
