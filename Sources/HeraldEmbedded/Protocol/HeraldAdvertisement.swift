import HeraldBluetooth
import HeraldHAL

/// The contents of a Herald device's advertisement, and its encoding as advertising data.
///
/// With both services it takes 25 bytes of 31: `02 01 06 03 03 F6 FC 11 07 9B FD …`. A TxPower takes 3 more.
/// A pseudo device address takes 10, which leaves room for one of the services only. The default is all zero
/// bits.
public struct HeraldAdvertisement: Equatable, BitwiseCopyable, Sendable {
  // First, as it is aligned to eight bytes: there is no padding before it, and the default is zeroed in
  // place.
  private var ownService = UUID128.zero
  /// Services that are not advertised; by default both standard ones are.
  public var omitted: HeraldServiceSet
  /// A service of the provider's own to advertise (HP-37), instead of `.long`: there is room for one.
  public var customService: UUID128? {
    get { ownService.orNil }
    set { ownService = newValue ?? .zero }
  }
  /// The transmit power in dBm, if it is to be included.
  public var txPower: Int8? {
    get { tellsTxPower ? power : nil }
    set {
      tellsTxPower = newValue != nil
      power = newValue ?? 0
    }
  }
  /// The pseudo device address, if the device needs one: that of its `OwnIdentity`.
  public var pseudoAddress: PseudoDeviceAddress? {
    get { showsPseudoAddress ? shownAddress : nil }
    set {
      showsPseudoAddress = newValue != nil
      shownAddress = newValue ?? PseudoDeviceAddress(high: 0, low: 0)
    }
  }

  private var tellsTxPower = false
  private var power: Int8 = 0
  private var showsPseudoAddress = false
  private var shownAddress = PseudoDeviceAddress(high: 0, low: 0)

  /// Initialises each member.
  public init(
    omitted: HeraldServiceSet = .none, customService: UUID128? = nil, txPower: Int8? = nil,
    pseudoAddress: PseudoDeviceAddress? = nil
  ) {
    self.omitted = omitted
    self.customService = customService
    self.txPower = txPower
    self.pseudoAddress = pseudoAddress
  }

  /// The most bytes a legacy advertisement holds.
  public static var maximumLength: Int { 31 }

  /// The length of the data in bytes, which may exceed the maximum.
  public var length: Int {
    3 &+ (omitted.contains(.short) ? 0 : 4) &+ (omitted.contains(.long) ? 0 : 18)
      &+ (customService == nil ? 0 : 18) &+ (txPower == nil ? 0 : 3) &+ (pseudoAddress == nil ? 0 : 10)
  }

  /// Writes it to the front of `buffer` and returns its length. `.tooLong`, with nothing written, if they are
  /// more than 31 or than `buffer` has.
  public func write(to buffer: inout MutableSpan<UInt8>) throws(HeraldAdvertisementError) -> Int {
    guard length <= Self.maximumLength, length <= buffer.count else { throw .tooLong }
    var writer = ByteWriter(buffer._mutatingExtracting(0..<buffer.count))
    writer.advertisingFlags(0x06)
    if !omitted.contains(.short) { writer.advertisingService(HeraldUUIDs.shortService) }
    if !omitted.contains(.long) { writer.advertisingService(HeraldUUIDs.service) }
    if let customService { writer.advertisingService(customService) }
    if let txPower { writer.advertisingTxPower(txPower) }
    if let pseudoAddress, writer.startAdvertisingStructure(.manufacturerData, length: 8) {
      writer.u16(CompanyID.herald)
      writer.pseudoDeviceAddress(pseudoAddress)
    }
    return writer.count
  }
}

/// The reason why an advertisement cannot be written.
public enum HeraldAdvertisementError: Error, BitwiseCopyable, Sendable {
  /// The contents take more than 31 bytes: omit a service, or the TxPower.
  case tooLong
}
