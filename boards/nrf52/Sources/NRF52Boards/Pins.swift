import HeraldChips

/// The pins of the header of the nRF52833 DK (PCA10100) and of the nRF52840 DK (PCA10056): D0 to D4 of the
/// Arduino header.
enum Pins {
  /// The line to the Bluetooth controller: its TXD is connected to D0, its RXD to D1, its CTS to D2, its RTS
  /// to D3.
  static var controllerLine: NRF.SerialPins {
    NRF.SerialPins(
      rxd: NRF.Pin(port: 1, 1), txd: NRF.Pin(port: 1, 2), rts: NRF.Pin(port: 1, 3), cts: NRF.Pin(port: 1, 4))
  }
  /// The reset line of the controller, active low: D4, pin 5 of port 1.
  static var controllerReset: UInt8 { 5 }
  /// Configures the pins. To be called before a peripheral uses them.
  static func configure() {
    var port1 = NRF.GPIO(FixedRegisters<0x500003>())
    port1.configure(controllerReset, .output(high: true))
    let line = controllerLine
    // Without a controller, or if it is off, the input would otherwise float and be received as a break.
    port1.configure(line.rxd.number, .input(.up))
    port1.configure(line.txd.number, .output(high: true))
    if let rts = line.rts { port1.configure(rts.number, .output(high: true)) }
    if let cts = line.cts { port1.configure(cts.number, .input(.up)) }
  }
}
