import HeraldBluetooth

/// The result of evaluating one advertisement (HP-15, HP-16).
public struct Introspected: Equatable, BitwiseCopyable, Sendable {
  /// The identity under which the peer is tracked: its pseudo device address if it shows one, else its
  /// address.
  public var identity: TargetIdentity
  /// The Herald services it advertises.
  public var services: HeraldServiceSet
  /// The peer's pseudo device address.
  public var pseudoAddress: PseudoDeviceAddress? {
    identity.kind == .pseudoAddress ? PseudoDeviceAddress(high: identity.high, low: identity.low) : nil
  }
  /// The transmit power in the advertisement, in dBm.
  public var txPower: Int8?
  /// The verdict on its Apple manufacturer data.
  public var apple: AppleVerdict

  /// Whether it advertises a Herald service.
  public var isHerald: Bool { !services.isEmpty }

  /// The kind of device, as far as an advertisement shows it.
  public var peer: PeerGuess {
    if pseudoAddress != nil { return .android }
    if isHerald { return apple == .none ? .maybeAndroid : .ios }
    return apple == .overflowArea || apple == .unfiltered ? .maybeIOS : .ignored
  }
}

/// The probable kind of device that sent an advertisement. Its signal characteristic confirms or corrects it.
public enum PeerGuess: UInt8, BitwiseCopyable, Sendable {
  /// No relation to Herald, or an Apple device that is not a phone.
  case ignored = 0
  /// The peer shows a pseudo device address, which only Android phones do.
  case android = 1
  /// The peer advertises Herald, and no data of Apple's: an Android phone, or a device like this one.
  case maybeAndroid = 2
  /// The peer advertises Herald, and Apple's data.
  case ios = 3
  /// The peer hides its services as iPhones do in the background: a connection is needed to find them.
  case maybeIOS = 4
}

/// The verdict on the sender of Apple manufacturer data.
public enum AppleVerdict: UInt8, BitwiseCopyable, Sendable {
  case none = 0
  /// The data is of a kind that is not sent by phones that may run Herald in the background.
  case filtered = 1
  /// The data does not exclude a phone.
  case unfiltered = 2
  /// As `unfiltered`, with an overflow area that contains at least one hidden service.
  case overflowArea = 3
}

/// Classifies advertisements: Herald devices, and iPhones that hide the service in the background.
///
/// One pass over the data, which is untrusted: bounds come from its length alone, the first structure that
/// does not fit ends the pass, and the structures before it count. With all zero bits both standard services
/// are recognised.
public struct Introspection: BitwiseCopyable, Sendable {
  /// The provider's own service; all zeros if there is none. First, as in `HeraldAdvertisement`.
  var ownService: UUID128
  /// Services that are not recognised.
  public var ignored: HeraldServiceSet

  /// A service of the provider's own to recognise as well (HP-37). The UUID of all zeros is none.
  public var customService: UUID128? {
    get { ownService.orNil }
    set { ownService = newValue ?? .zero }
  }

  /// An introspection that recognises both standard services but `ignored`, and `customService`.
  public init(ignored: HeraldServiceSet = .none, customService: UUID128? = nil) {
    self.ignored = ignored
    ownService = customService ?? .zero
  }

  /// Evaluates the advertisement `data` that was received with `report`.
  ///
  /// This runs for each advertisement of every device: structures are only located during the pass, and rare
  /// ones are left to functions of their own.
  @inline(never)
  public func classify(_ report: AdvertisingReport, _ data: Span<UInt8>) -> Introspected {
    var services = HeraldServiceSet.none
    var apple = AppleVerdict.none
    // Where they begin; 0, an impossible position, if they were not found.
    var herald = 0
    var linuxFoundation = 0
    var power = 0
    var structures = AdvertisingData(data)
    while structures.next() {
      let start = structures.start
      let end = structures.end
      switch structures.type {
      case .someUUID16, .allUUID16:
        if hasShortService(data, start, end) { services = services.union(.short) }
      case .someUUID128, .allUUID128:
        services = services.union(longServices(data.extracting(unchecked: start..<end)))
      case .txPower:
        if start < end, power == 0 { power = start }
      case .manufacturerData:
        guard end &- start >= 2 else { continue }
        let company = data.littleEndian16(at: start)
        if company == CompanyID.apple {
          apple = apple.joined(AppleVerdict(messages: data.extracting(unchecked: (start &+ 2)..<end)))
        } else if end &- start == 8 {
          if company == CompanyID.linuxFoundation {
            if linuxFoundation == 0 { linuxFoundation = start &+ 2 }
          } else if company == CompanyID.herald || company == CompanyID.heraldSwapped {
            if herald == 0 { herald = start &+ 2 }
          }
        }
      default: break
      }
    }
    // Phones check the Linux Foundation's identifier first; other products use it too, so it counts only in
    // an advertisement of a Herald service.
    if linuxFoundation != 0, !services.isEmpty { herald = linuxFoundation }
    var found = Introspected(
      identity: TargetIdentity(report.address), services: services, txPower: nil, apple: apple)
    if herald != 0 {
      let low = UInt32(data.littleEndian16(at: herald)) | UInt32(data.littleEndian16(at: herald &+ 2)) &<< 16
      found.identity = TargetIdentity(
        PseudoDeviceAddress(high: data.littleEndian16(at: herald &+ 4), low: low))
    }
    if power != 0 { found.txPower = Int8(bitPattern: data[unchecked: power]) }
    return found
  }

  /// Whether the short service is among those that the bytes from `start` to `end` of `data` list.
  @inline(__always)
  private func hasShortService(_ data: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    var offset = start
    while offset &+ 2 <= end {
      if data.littleEndian16(at: offset) == HeraldUUIDs.shortService.rawValue {
        return !ignored.contains(.short)
      }
      offset &+= 2
    }
    return false
  }

  /// Which of the long services `data` lists.
  @inline(never)
  private func longServices(_ data: Span<UInt8>) -> HeraldServiceSet {
    let bytes = data.bytes
    var services = HeraldServiceSet.none
    var offset = 0
    while offset &+ 16 <= data.count {
      let low = UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
      let high = UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset &+ 8, as: UInt64.self))
      let uuid = UUID128(high, low)
      if uuid == HeraldUUIDs.service, !ignored.contains(.long) {
        services = services.union(.long)
      } else if let customService, uuid == customService {
        services = services.union(.custom)
      }
      offset &+= 16
    }
    return services
  }
}

extension Span where Element == UInt8 {
  /// The two bytes at `index` and after it, which the caller has checked to exist.
  @inline(__always)
  fileprivate func littleEndian16(at index: Int) -> UInt16 {
    UInt16(self[unchecked: index]) | UInt16(self[unchecked: index &+ 1]) &<< 8
  }
}
