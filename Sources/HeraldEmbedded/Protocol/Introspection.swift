/// What one advertisement says about who sent it (HP-15, HP-16).
public struct Introspected: Equatable, BitwiseCopyable, Sendable {
  /// Under what the peer is tracked: its pseudo device address if it shows one, else its address.
  public var identity: TargetIdentity
  /// The Herald services it advertises.
  public var services: HeraldServiceSet
  /// Its pseudo device address.
  public var pseudoAddress: PseudoDeviceAddress?
  /// The power it says it sends with, in dBm.
  public var txPower: Int8?
  /// What its Apple manufacturer data tell.
  public var apple: AppleVerdict

  /// Whether it advertises a Herald service.
  public var isHerald: Bool { !services.isEmpty }

  /// What kind of device this is, as far as an advertisement can tell.
  public var peer: PeerGuess {
    if pseudoAddress != nil { return .android }
    if isHerald { return apple == .none ? .maybeAndroid : .ios }
    return apple == .overflowArea || apple == .unfiltered ? .maybeIOS : .ignored
  }
}

/// What kind of device an advertisement seems to come from. The signal characteristic it hosts confirms or corrects it.
public enum PeerGuess: UInt8, BitwiseCopyable, Sendable {
  /// Nothing to do with Herald, or an Apple device that is no phone.
  case ignored = 0
  /// It shows a pseudo device address, which only Android phones do.
  case android = 1
  /// It advertises Herald, and nothing of Apple's: an Android phone, or a device like this one.
  case maybeAndroid = 2
  /// It advertises Herald, and Apple's data beside it.
  case ios = 3
  /// It hides its services as iPhones do in the background: connect and look.
  case maybeIOS = 4
}

/// What Apple manufacturer data tell about their sender.
public enum AppleVerdict: UInt8, BitwiseCopyable, Sendable {
  /// There are none.
  case none = 0
  /// They are of a kind that phones in whose background Herald may run do not send.
  case filtered = 1
  /// Nothing in them says that it is no phone.
  case unfiltered = 2
  /// As `unfiltered`, and there is an overflow area with at least one service hidden in it.
  case overflowArea = 3
}

/// Looks into advertisements for phones that speak Herald, also those that hide it.
///
/// One pass over the data, which may be anything: bounds come from its length alone, the first structure that does not
/// fit ends the pass, and what came before it counts. All zero bits recognise both standard services.
public struct Introspection: BitwiseCopyable, Sendable {
  /// Services that are not recognised.
  public var ignored: HeraldServiceSet
  private var ownService: UUID128

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

  /// What the advertisement `data` that came with `report` says.
  public func classify(_ report: AdvertisingReport, _ data: Span<UInt8>) -> Introspected {
    var found = Introspected(
      identity: TargetIdentity(report.address), services: .none, pseudoAddress: nil, txPower: nil,
      apple: .none)
    var manufacturer = ManufacturerFindings()
    var structures = AdvertisingData(data)
    while structures.next() {
      let bytes = structures.bytes
      switch structures.type {
      case .someUUID16, .allUUID16: lookForShortService(bytes, &found)
      case .someUUID128, .allUUID128: lookForLongServices(bytes, &found)
      case .txPower:
        if bytes.count > 0, found.txPower == nil { found.txPower = Int8(bitPattern: bytes[unchecked: 0]) }
      case .manufacturerData: manufacturer.look(bytes)
      default: break
      }
    }
    found.apple = manufacturer.apple
    found.pseudoAddress = manufacturer.pseudoAddress(isHerald: found.isHerald)
    if let address = found.pseudoAddress { found.identity = TargetIdentity(address) }
    return found
  }

  @inline(__always)
  private func lookForShortService(_ data: Span<UInt8>, _ found: inout Introspected) {
    guard !ignored.contains(.short) else { return }
    var place = 0
    while place &+ 2 <= data.count {
      if data.littleEndian16(at: place) == HeraldUUIDs.shortService.rawValue {
        found.services = found.services.union(.short)
      }
      place &+= 2
    }
  }

  @inline(__always)
  private func lookForLongServices(_ data: Span<UInt8>, _ found: inout Introspected) {
    let bytes = data.bytes
    var place = 0
    while place &+ 16 <= data.count {
      let low = UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self))
      let high = UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: place &+ 8, as: UInt64.self))
      let uuid = UUID128(high, low)
      if uuid == HeraldUUIDs.service, !ignored.contains(.long) {
        found.services = found.services.union(.long)
      } else if let customService, uuid == customService {
        found.services = found.services.union(.custom)
      }
      place &+= 16
    }
  }
}

/// What the manufacturer data structures of one advertisement hold; there may be several.
private struct ManufacturerFindings {
  var apple: AppleVerdict = .none
  private var herald: PseudoDeviceAddress?
  private var linuxFoundation: PseudoDeviceAddress?

  /// Takes in one structure: company identifier and data.
  @inline(__always)
  mutating func look(_ data: Span<UInt8>) {
    guard data.count >= 2 else { return }
    let company = data.littleEndian16(at: 0)
    if company == CompanyID.apple {
      apple = apple.joined(AppleVerdict(messages: data.extracting(unchecked: 2..<data.count)))
    } else if data.count == 8 {
      let low = UInt32(data.littleEndian16(at: 2)) | UInt32(data.littleEndian16(at: 4)) &<< 16
      let address = PseudoDeviceAddress(high: data.littleEndian16(at: 6), low: low)
      if company == CompanyID.linuxFoundation, linuxFoundation == nil {
        linuxFoundation = address
      } else if company == CompanyID.herald || company == CompanyID.heraldSwapped, herald == nil {
        herald = address
      }
    }
  }

  /// The pseudo device address, if any. Phones look at the Linux Foundation's identifier first; other products have it
  /// too, so it counts only in an advertisement of a Herald service.
  func pseudoAddress(isHerald: Bool) -> PseudoDeviceAddress? {
    if isHerald, let linuxFoundation { return linuxFoundation }
    return herald
  }
}

extension Span where Element == UInt8 {
  /// The two bytes at `index` and after it, which the caller knows to be there.
  @inline(__always)
  fileprivate func littleEndian16(at index: Int) -> UInt16 {
    UInt16(self[unchecked: index]) | UInt16(self[unchecked: index &+ 1]) &<< 8
  }
}
