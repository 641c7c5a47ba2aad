import HeraldChips

/// The pins of the micro:bit (version 1) with a Bluetooth controller on the edge connector.
enum Pins {
  /// The line to the controller: its TXD is connected to ring 1, its RXD to ring 0, its CTS to ring 2, its
  /// RTS to pad 8.
  static var controllerLine: NRF.SerialPins {
    NRF.SerialPins(rxd: NRF.Pin(2), txd: NRF.Pin(3), rts: NRF.Pin(1), cts: NRF.Pin(18))
  }
  /// The reset line of the controller, active low: pad 16.
  static var controllerReset: UInt8 { 16 }

  /// Configures the pins. To be called before a peripheral uses them.
  static func configure(_ port: inout NRF.GPIO<FixedRegisters<0x500000>>) {
    port.configure(controllerReset, .output(high: true))
    let line = controllerLine
    // Without a controller, the input would otherwise float and be received as a break.
    port.configure(line.rxd.number, .input(.up))
    port.configure(line.txd.number, .output(high: true))
    if let rts = line.rts { port.configure(rts.number, .output(high: true)) }
    if let cts = line.cts { port.configure(cts.number, .input(.up)) }
  }
}
