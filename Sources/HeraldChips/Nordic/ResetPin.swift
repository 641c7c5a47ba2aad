extension NRF {
  /// Which pin resets the chip: PSELRESET of UICR (nRF52833 and nRF52840 Product Specifications, "UICR" and
  /// "POWER", "Pin reset").
  ///
  /// UICR is written as flash is, word by word, and erased with the whole chip alone. Both words have to name
  /// the same pin, and take effect from the next reset on.
  public struct ResetPin<Block: RegisterBlock & ~Copyable, Memory: RegisterBlock & ~Copyable>: ~Copyable {
    private var controller: Block
    private var configuration: Memory

    /// UICR as a block whose first word is at 0x1000_1000, and the registers of NVMC, by which it is written.
    public init(_ configuration: consuming Memory, controller: consuming Block) {
      self.configuration = configuration
      self.controller = controller
    }

    /// Selects pin `number` of port 0 as reset pin, unless another one was selected, and returns whether that
    /// needs a reset of the chip now.
    ///
    /// Only words that are erased are written, each once, so that it continues if power was lost between the
    /// two. A word whose write fails does not request a reset: a caller that resets the chip when this is
    /// `true` does it only once.
    public mutating func connect(_ number: UInt8) -> Bool {
      let wanted = UInt32(number)
      var isWritten = false
      for index in UInt32(0)..<2 {
        let place = 0x200 &+ index &* 4
        let word = configuration.load(at: place)
        if word == wanted { continue }
        guard word == .max else { return false }
        controller.write(.write, to: NVMCRegisters.configuration)
        configuration.store(wanted, at: place)
        // 43 µs at the most, in which the processor is stopped anyway if it runs from flash.
        for _ in 0..<10_000 where controller.read(NVMCRegisters.ready) & 1 != 0 { break }
        controller.write(.read, to: NVMCRegisters.configuration)
        guard configuration.load(at: place) == wanted else { return false }
        isWritten = true
      }
      return isWritten
    }
  }
}
