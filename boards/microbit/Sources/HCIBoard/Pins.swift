import HeraldChips

/// What is on which pin of the micro:bit (version 1): a Bluetooth controller on the edge connector.
enum Pins {
  /// The line to the controller: ring 1 takes its TXD, ring 0 goes to its RXD, ring 2 to its CTS, pad 8 takes
  /// its RTS.
  static var controllerLine: NRF.SerialPins {
    NRF.SerialPins(rxd: NRF.Pin(2), txd: NRF.Pin(3), rts: NRF.Pin(1), cts: NRF.Pin(18))
  }
  /// The controller's reset line, low is reset: pad 16.
  static var controllerReset: UInt8 { 16 }

  /// Makes the pins what they are for, before anything drives them.
  static func configure(_ port: inout NRF.GPIO<FixedRegisters<0x500000>>) {
    port.configure(controllerReset, .output(high: true))
    let line = controllerLine
    // A controller that is not there is not to be heard as a break.
    port.configure(line.rxd.number, .input(.up))
    port.configure(line.txd.number, .output(high: true))
    if let rts = line.rts { port.configure(rts.number, .output(high: true)) }
    if let cts = line.cts { port.configure(cts.number, .input(.up)) }
  }
}
