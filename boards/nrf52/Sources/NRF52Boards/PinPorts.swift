import HeraldChips

extension NRF.Pin {
  /// Makes the pin an output with this level.
  @inline(__always)
  public func becomeOutput(high: Bool) { configure(.output(high: high), .output(high: high)) }

  /// Makes the pin an input with a resistor to the supply.
  @inline(__always)
  public func becomeInput() { configure(.input(.up), .input(.up)) }

  /// Makes the pin an input with a resistor to the supply, whose low level ends a sleep.
  @inline(__always)
  func becomeWatchedInput() { configure(.sensed(.up, .low), .sensed(.up, .low)) }

  /// Disconnects the pin.
  @inline(__always)
  func disconnect() { configure(.disconnected, .disconnected) }

  /// Whether the level of an input is high.
  @inline(__always)
  func isHigh() -> Bool {
    if port == 0 {
      var port = Port0(FixedRegisters())
      return port.isHigh(number)
    }
    var port = Port1(FixedRegisters())
    return port.isHigh(number)
  }

  /// Whether the level of an input becomes high within some microseconds, in which its resistor charges what
  /// is connected to it.
  @inline(never)
  func becomesHigh() -> Bool {
    for _ in 0..<100 where isHigh() { return true }
    return false
  }

  private typealias Port0 = NRF.GPIO<FixedRegisters<0x500000>>
  private typealias Port1 = NRF.GPIO<FixedRegisters<0x500003>>

  @inline(__always)
  private func configure(_ first: Port0.Mode, _ second: Port1.Mode) {
    if port == 0 {
      var port = Port0(FixedRegisters())
      port.configure(number, first)
    } else {
      var port = Port1(FixedRegisters())
      port.configure(number, second)
    }
  }
}
