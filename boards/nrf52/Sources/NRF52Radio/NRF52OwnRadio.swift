import HeraldBluetooth
import HeraldChips
import HeraldEmbedded
import HeraldFirmware
import HeraldHAL
import HeraldLinkLayer
import NRF52Boards
import Startup

/// The radio of the chip.
public typealias OwnRadioPeripheral = NRF.Radio<NRF.NRF52, FixedRegisters<0x400000>>
/// The link layer of the board, with four connections.
typealias OwnLinkLayer = LinkLayer<OwnRadioPeripheral, 4>
/// The link layer as the radio of a host.
public typealias OwnLinkLayerRadio = LinkLayerRadio<OwnRadioPeripheral, SWIHold, 4>
/// Time between the events of the link layer.
typealias OwnLinkLayerPause = LinkLayerPause<OwnRadioPeripheral, SWIHold, 4>

/// The requests of the management link over Bluetooth. Several wait, so that a response follows the other.
public typealias BluetoothRequests = BluetoothManagementPort<472>
/// The management link over Bluetooth: packets of two notifications at the largest ATT_MTU of the radio.
public typealias BluetoothLink = BluetoothManagement<475>

nonisolated(unsafe) private var radioStorage = NRF.RadioStorage()

/// The radio of the chip as the Bluetooth part of the board.
///
/// RADIO, RTC0 and SWI0 have handlers. The interrupts that only end a sleep have none: they are enabled only
/// during a sleep, while all handlers are held off.
public struct NRF52OwnRadio: NRF52Bluetooth, ~Copyable {
  public init() {}

  /// A pause of the link layer.
  public static func pause() -> OwnRadioPause { OwnRadioPause() }

  /// The interrupts of the radio are enabled when the link layer has been created.
  public mutating func enableInterrupts<Kit: NRF52Kit>(_ sleeper: inout NRF52Sleep<Kit>) {}

  /// Interrupts of the radio do not end the sleep unless `procedures` has run: otherwise the loop has nothing
  /// to process.
  public mutating func sleep<Kit: NRF52Kit>(until deadline: Instant, _ sleeper: inout NRF52Sleep<Kit>) -> Bool
  {
    guard sleeper.prepare(until: deadline) else { return false }
    var hasStopped = false
    var isDue = false
    while !isDue {
      // From here on a handler cannot run between the look at `hasNews` and the stop, which would then last
      // until the deadline. An interrupt that becomes pending ends the stop.
      startup_hold_interrupts()
      isDue = unsafe hasNews
      if !isDue {
        for index in 0..<NRF52Sleep<Kit>.count { sleeper.control.enable(NRF52Sleep<Kit>.number(index)) }
        sleeper.stop()
        hasStopped = true
        for index in 0..<NRF52Sleep<Kit>.count {
          let number = NRF52Sleep<Kit>.number(index)
          sleeper.control.disable(number)
          if sleeper.control.isPending(number) { isDue = true }
        }
      }
      startup_let_interrupts()
    }
    unsafe hasNews = false
    sleeper.clock.acknowledge()
    return hasStopped
  }

  public static var hasReset: Bool { false }
  public mutating func holdReset(_ isHeld: Bool) {}
  public static var overruns: UInt32 { 0 }
  public static var stopsCrystal: Bool { true }
}

extension NRF52Board where Bluetooth == NRF52OwnRadio {
  /// The radio of the chip, switched on. To be called once, when the board has been made.
  public static func makeRadio() -> OwnLinkLayerRadio {
    // 20 ppm of the crystal, and 30 ppm for its temperature and ageing. The crystal of the high-frequency
    // clock, if the low-frequency clock is derived from it, is not worse.
    var radio = unsafe OwnRadioPeripheral(
      FixedRegisters(), memory: NRF.RadioMemory(&radioStorage), clockDeviation: 50,
      crystal: Kit.hasLowFrequencyCrystal ? .sharedWithUSB : .alwaysOn)
    radio.switchOn()
    var generator = random()
    return startLinkLayer(on: radio, seed: generator.next())
  }
}
