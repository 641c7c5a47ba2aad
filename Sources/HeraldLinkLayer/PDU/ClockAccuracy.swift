/// How far a device's sleep clock may be off, by the eight steps in which centrals say it (Core
/// Specification, Vol 6, Part B, 2.3.3.1, SCA).
public struct ClockAccuracy: Equatable, BitwiseCopyable, Sendable {
  /// The field: 0…7, from the worst to the best.
  public let code: UInt8

  /// From the field; what is above 7 counts as the worst.
  public init(code: UInt8) { self.code = code < 8 ? code : 0 }

  /// The step that promises no more than a clock of ±`partsPerMillion` keeps. One worse than ±500 ppm is
  /// against the specification, and has no step of its own.
  public init(partsPerMillion: UInt16) {
    var code: UInt8 = 7
    while code > 0, Self(code: code).partsPerMillion < partsPerMillion { code &-= 1 }
    self.code = code
  }

  /// The worst deviation in ppm: 500, 250, 150, 100, 75, 50, 30 or 20.
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
