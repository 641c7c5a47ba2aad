extension NRF {
  /// A pin of the chip, named as on a schematic: P0.07, P1.09.
  public struct Pin: Equatable, BitwiseCopyable, Sendable {
    /// Port and number as in PSEL registers: bit 5 is the port, bits 0…4 the number.
    public let select: UInt8

    /// Pin `number` (0…31) of `port` (0 or 1; the nRF51 has port 0 only). Bits beyond these ranges are
    /// ignored.
    public init(port: UInt8 = 0, _ number: UInt8) { select = (port & 1) &<< 5 | number & 31 }

    /// The port: 0 or 1.
    public var port: UInt8 { select &>> 5 }
    /// The number: 0…31.
    public var number: UInt8 { select & 31 }
  }

  /// The contents of a PSEL register: the pin of a signal.
  struct PinSelect: RegisterValue {
    let bits: UInt32

    init(bits: UInt32) { self.bits = bits }

    /// Encodes a pin, or none: all ones, which means "not connected" on the nRF51 and, by bit 31, on the
    /// nRF52.
    init(_ pin: Pin?) { bits = pin.map { UInt32($0.select) } ?? .max }
  }
}
