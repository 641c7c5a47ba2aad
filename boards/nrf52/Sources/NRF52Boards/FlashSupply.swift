import HeraldChips

/// VDD as the supply of the flash of the chip and on the board.
public typealias NRF52FlashSupply = NRF.FlashVoltage<
  NRF.NRF52, FixedRegisters<0x400000>, NRF.SAADC<MappedRegisters>
>

extension NRF52Kit {
  /// The supply of a flash.
  static func flashSupply() -> NRF52FlashSupply {
    NRF52FlashSupply(FixedRegisters(), meter: NRF52Converter.make(), minimum: flashMinimum)
  }

  /// Enables the power-fail comparator. To be called once, at start.
  static func startPowerFail() {
    var comparator = NRF.PowerFail<NRF.NRF52, FixedRegisters<0x400000>>(
      FixedRegisters(), below: flashMinimum)
    comparator.start()
  }
}
