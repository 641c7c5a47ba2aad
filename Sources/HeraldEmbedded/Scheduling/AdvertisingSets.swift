import HeraldBluetooth
import HeraldHAL

/// What should be on the air.
public enum AdvertisingWish: Equatable, BitwiseCopyable, Sendable {
  case silence
  /// This set, with these parameters.
  case set(Int, AdvertisingParameters)
}

/// A wish and how long it holds.
public struct AdvertisingPlan: Equatable, BitwiseCopyable, Sendable {
  /// What should be on the air from now on.
  public let wish: AdvertisingWish
  /// Whether that differs from the plan before, in parameters or data: then it has to be applied to the
  /// radio.
  public let changed: Bool
  /// When to ask again; `.never` if nothing will change by itself.
  public let deadline: Instant
}

/// What the radio allows at the moment.
public struct AdvertisingAllowance: Equatable, BitwiseCopyable, Sendable {
  /// Advertising that peers may connect to. Without it connectable sets are shown as not connectable.
  public var connectable: Bool
  /// Any advertising at all.
  public var any: Bool
  /// Stated one by one.
  public init(connectable: Bool, any: Bool) {
    self.connectable = connectable
    self.any = any
  }
}

/// An `AdvertisingScheduler` of any number of sets, which describes the calls. It exists because the number
/// depends on the type of a device's neighbours, and a number cannot be had from a type.
public protocol AdvertisingSets: ~Copyable {
  /// Without sets, showing nothing.
  init()
  /// The own address shown by every set.
  var address: DeviceAddress { get }
  /// Defines a set.
  @discardableResult
  mutating func setTiming(_ set: Int, interval: Interval, share: UInt8, connectable: Bool) -> Bool
  /// Replaces what a set advertises.
  @discardableResult
  mutating func setData(_ set: Int, _ data: Span<UInt8>, scanResponse: Span<UInt8>) -> Bool
  /// Removes a set.
  mutating func remove(_ set: Int)
  /// Gives every set the new own address, at once.
  mutating func rotate(to address: DeviceAddress)
  /// Clears the plan.
  mutating func radioForgot()
  /// What should be on the air at `now`.
  mutating func next(at now: Instant, allowed: AdvertisingAllowance) -> AdvertisingPlan
  /// Has a radio advertise what a set holds.
  mutating func start<R: Radio & ~Copyable>(
    _ set: Int, _ parameters: AdvertisingParameters, on radio: inout R
  ) throws(RadioError)
}
