import HeraldChips
import HeraldHAL

/// The random number generator of the chip.
public typealias NRF52Random = NRF.RNG<FixedRegisters<0x4000D0>>
/// The supply of the board.
public typealias NRF52Supply = NRF.Battery<MappedRegisters>

// Memory that peripherals access. Only the loop measures, so that one conversion ends before the next.
nonisolated(unsafe) private var usbMemory: [16 of UInt32] = .init(repeating: 0)
nonisolated(unsafe) private var conversion: UInt32 = 0

/// The analogue-to-digital converter of the chip. Only the loop uses it.
enum NRF52Converter {
  static func make() -> NRF.SAADC<MappedRegisters> {
    unsafe NRF.SAADC(MappedRegisters(at: 0x4000_7000), result: &conversion)
  }
}

extension NRF52Kit {
  /// The supply, for the battery sensor and for the panel.
  static func measuredSupply() -> NRF52Supply {
    NRF52Supply(
      NRF52Converter.make(), supply.input,
      power: NRF.Power(Clock.control), empty: supply.empty, full: supply.full)
  }
}

extension NRF52Board where Bluetooth: ~Copyable {
  /// The USB device. To be called once.
  public static func usb() -> USBD<MappedRegisters> {
    let buffer = unsafe withUnsafeMutableBytes(of: &usbMemory) { unsafe $0 }
    var usb = unsafe USBD(chip: Kit.chip, buffer: buffer)
    usb.leavesCrystalOn = Bluetooth.stopsCrystal
    return usb
  }

  /// The source of random numbers.
  public static func random() -> NRF52Random { NRF52Random(FixedRegisters()) }

  /// The supply. On the development kits it is VDD, which is 3.0 V with USB, and the voltage of the cell in
  /// the holder otherwise.
  public static func supply() -> NRF52Supply { Kit.measuredSupply() }

  /// The identifier of this chip in hexadecimal: the serial number of the device, on USB and in responses to
  /// information requests.
  public static func serialNumber() -> InlineBytes<32> {
    var factory = NRF.FactoryInformation(MappedRegisters(at: 0x1000_0000))
    let number = factory.deviceIdentifier()
    var text = InlineBytes<32>()
    appendHexadecimal(number.high, to: &text)
    appendHexadecimal(number.low, to: &text)
    return text
  }

  /// Writes the serial number to the beginning of `text`. Returns its length in bytes, 0 if it does not fit.
  @inline(never)
  static func tellSerialNumber(into text: inout MutableSpan<UInt8>) -> Int {
    var number = serialNumber()
    var writer = ByteWriter(text._mutatingExtracting(0...))
    writer.bytes(number.span)
    return writer.overflowed ? 0 : writer.count
  }

  @inline(never)
  private static func appendHexadecimal(_ word: UInt32, to text: inout InlineBytes<32>) {
    for digit in stride(from: UInt32(28), through: 0, by: -4) {
      let value = UInt8(truncatingIfNeeded: word &>> digit) & 15
      text.append(value < 10 ? 0x30 &+ value : 0x57 &+ value)
    }
  }
}
