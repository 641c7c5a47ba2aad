import HeraldChips
import HeraldFirmware

extension NRF.UARTE: @retroactive ByteLine where Block: RegisterBlock & ~Copyable {}

nonisolated(unsafe) private var linkMemory = NRF.UARTEStorage<256, 64>()

/// A board whose management link is on UARTE0.
public protocol NRF52SerialLink: NRF52Kit {
  /// The pins of the line.
  static var managementPins: NRF.SerialPins { get }
}

extension NRF52Board where Kit: NRF52SerialLink, Bluetooth: ~Copyable {
  /// The line of the management link, at 115,200 baud without flow control, switched on. To be called once,
  /// when the board has been made.
  public static func managementLine() -> NRF52Line {
    var line = NRF52Line(
      MappedRegisters(at: 0x4000_2000), counter: MappedRegisters(at: 0x4000_9000),
      ppi: MappedRegisters(at: 0x4001_F000), wiring: NRF.UARTEWiring(),
      memory: unsafe NRF.UARTEMemory(&linkMemory))
    line.start(Kit.managementPins, .baud115200)
    return line
  }
}
