extension NRF {
  /// A pin of the chip, as it is called on a schematic: P0.07, P1.09.
  public struct Pin: Equatable, BitwiseCopyable, Sendable {
    /// The port and the number as PSEL registers take them: bit 5 is the port, bits 0…4 the number.
    public let select: UInt8

    /// Pin `number` (0…31) of `port` (0 or 1; the nRF51 has port 0 only). Bits beyond these ranges are
    /// ignored.
    public init(port: UInt8 = 0, _ number: UInt8) { select = (port & 1) &<< 5 | number & 31 }

    /// 0 or 1.
    public var port: UInt8 { select &>> 5 }
    /// 0…31.
    public var number: UInt8 { select & 31 }
  }

  /// What a PSEL register holds: which pin a signal of a peripheral is on.
  struct PinSelect: RegisterValue {
    let bits: UInt32

    init(bits: UInt32) { self.bits = bits }

    /// The pin, or none. All ones is "not connected" on the nRF51; on the nRF52 bit 31 says it.
    init(_ pin: Pin?) { bits = pin.map { UInt32($0.select) } ?? .max }
  }
}
