import HeraldBluetooth
import HeraldHAL

/// The advertising to apply.
public enum AdvertisingWish: Equatable, BitwiseCopyable, Sendable {
  case silence
  /// This set, with these parameters.
  case set(Int, AdvertisingParameters)
}

/// The advertising to apply and how long it holds.
public struct AdvertisingPlan: Equatable, BitwiseCopyable, Sendable {
  /// The advertising to apply from now on.
  public let wish: AdvertisingWish
  /// Whether that differs from the plan before, in parameters or data: then it has to be applied to the
  /// radio.
  public let changed: Bool
  /// When to call again; `.never` if nothing will change by itself.
  public let deadline: Instant
}

/// What the radio allows at the moment.
public struct AdvertisingAllowance: Equatable, BitwiseCopyable, Sendable {
  /// Advertising that peers may connect to. Without it connectable sets are shown as not connectable.
  public var connectable: Bool
  /// Any advertising at all.
  public var any: Bool
  /// Initialises each member.
  public init(connectable: Bool, any: Bool) {
    self.connectable = connectable
    self.any = any
  }
}

/// An `AdvertisingScheduler` of any number of sets, which describes the calls. It exists because the number
/// depends on the type of a device's additional services, and a type cannot supply a number as a generic
/// argument.
public protocol AdvertisingSets: ~Copyable {
  /// A scheduler without sets.
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
  /// The advertising to apply at `now`.
  mutating func next(at now: Instant, allowed: AdvertisingAllowance) -> AdvertisingPlan
  /// Starts advertising of a set on a radio.
  mutating func start<R: Radio & ~Copyable>(
    _ set: Int, _ parameters: AdvertisingParameters, on radio: inout R
  ) throws(RadioError)
}
