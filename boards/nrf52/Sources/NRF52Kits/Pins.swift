import HeraldChips

/// What is on which pin of the nRF52833 DK (PCA10100) and of the nRF52840 DK (PCA10056): the Arduino header's
/// D0…D4 and two of the lights.
enum Pins {
  /// The line to the Bluetooth controller: D0 takes the controller's TXD, D1 goes to its RXD, D2 to its CTS,
  /// D3 takes its RTS.
  static var controllerLine: NRF.SerialPins {
    NRF.SerialPins(
      rxd: NRF.Pin(port: 1, 1), txd: NRF.Pin(port: 1, 2), rts: NRF.Pin(port: 1, 3), cts: NRF.Pin(port: 1, 4))
  }
  /// The controller's reset line, low is reset: D4, pin 5 of port 1.
  static var controllerReset: UInt8 { 5 }
  /// Lit while the processor is awake: LED1, low is on, pin 13 of port 0.
  static var awakeLight: UInt8 { 13 }
  /// Lit while the Bluetooth controller is ready: LED2, low is on, pin 14 of port 0.
  static var readyLight: UInt8 { 14 }

  /// The button that resets the chip: pin 18 of port 0.
  static var reset: UInt8 { 18 }

  /// Makes the pins what they are for, before anything drives them.
  static func configure() {
    var port0 = NRF.GPIO(FixedRegisters<0x500000>())
    var port1 = NRF.GPIO(FixedRegisters<0x500003>())
    port0.configure(awakeLight, .output(high: false))
    port0.configure(readyLight, .output(high: true))
    port1.configure(controllerReset, .output(high: true))
    let line = controllerLine
    // A controller that is not there, or asleep, is not to be heard as a break.
    port1.configure(line.rxd.number, .input(.up))
    port1.configure(line.txd.number, .output(high: true))
    if let rts = line.rts { port1.configure(rts.number, .output(high: true)) }
    if let cts = line.cts { port1.configure(cts.number, .input(.up)) }
  }
}
