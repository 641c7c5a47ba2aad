import HeraldChips
import HeraldEmbedded
import HeraldLinkLayer

/// The radio of the nRF51822.
public typealias OwnRadioPeripheral = NRF.Radio<NRF.NRF51822, FixedRegisters<0x400000>>
/// The link layer of the board, with two connections.
typealias OwnLinkLayer = LinkLayer<OwnRadioPeripheral, 2>
/// The link layer as the radio of a host.
public typealias OwnLinkLayerRadio = LinkLayerRadio<OwnRadioPeripheral, SWIHold, 2>
/// Time between the events of the link layer.
typealias OwnLinkLayerPause = LinkLayerPause<OwnRadioPeripheral, SWIHold, 2>
/// Time between the events of the radio, for the flash.
public typealias FlashPause = OwnRadioPause
/// The radio of the board: a link layer with two connections.
public typealias BoardRadio = OwnLinkLayerRadio
/// The random number generator of the chip.
public typealias Random = NRF.RNG<FixedRegisters<0x4000D0>>

/// No management link over Bluetooth, for which there is no memory.
public typealias Management = NoBluetoothManagement

nonisolated(unsafe) private var radioStorage = NRF.RadioStorage()
nonisolated(unsafe) var linkLayerMemory: [238 of UInt64] = .init(repeating: 0)

extension Board {
  /// The radio of the chip, switched on. To be called once, when the board has been made.
  public static func makeRadio() -> OwnLinkLayerRadio {
    // The low-frequency clock is derived from the 16 MHz crystal, which therefore stays on: 50 ppm.
    var radio = unsafe OwnRadioPeripheral(
      FixedRegisters(), memory: NRF.RadioMemory(&radioStorage), clockDeviation: 50, crystal: .alwaysOn)
    var factory = FixedRegisters<0x100000>()
    radio.trim(from: &factory)
    radio.switchOn()
    var generator = random()
    return startLinkLayer(on: radio, seed: generator.next())
  }

  /// The source of random numbers.
  public static func random() -> Random { Random(FixedRegisters()) }
}
