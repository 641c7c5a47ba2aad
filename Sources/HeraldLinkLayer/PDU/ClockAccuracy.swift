/// The maximum deviation of a device's sleep clock, as one of the eight values of the SCA field (Core
/// Specification, Vol 6, Part B, 2.3.3.1).
public struct ClockAccuracy: Equatable, BitwiseCopyable, Sendable {
  /// The value of the field: 0…7, from the least to the most accurate.
  public let code: UInt8

  /// From the value of the field; a value above 7 is treated as 0, the least accurate.
  public init(code: UInt8) { self.code = code < 8 ? code : 0 }

  /// The most accurate value whose limit a clock of ±`partsPerMillion` does not exceed. A clock worse than
  /// ±500 ppm violates the specification and is encoded as 0.
  public init(partsPerMillion: UInt16) {
    var code: UInt8 = 7
    while code > 0, Self(code: code).partsPerMillion < partsPerMillion { code &-= 1 }
    self.code = code
  }

  /// The maximum deviation in ppm: 500, 250, 150, 100, 75, 50, 30 or 20.
  public var partsPerMillion: UInt16 {
    switch code {
    case 1: 250
    case 2: 150
    case 3: 100
    case 4: 75
    case 5: 50
    case 6: 30
    case 7: 20
    default: 500
    }
  }
}
