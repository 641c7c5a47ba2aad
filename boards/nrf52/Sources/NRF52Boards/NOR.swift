import HeraldChips
import HeraldHAL

/// A serial NOR flash on SPIM2.
public typealias NRF52NOR = GuardedFlash<
  SerialNOR<NRF.SPIM<MappedRegisters>>, NRF52FlashSupply
>

/// A board whose log is in a serial NOR flash.
public protocol NRF52LogInNOR: NRF52Kit {
  /// The chip and its pins.
  static var memory: NRF52Memory { get }
}

/// A serial NOR flash and its pins.
public struct NRF52Memory: BitwiseCopyable, Sendable {
  let clock: NRF.Pin
  let out: NRF.Pin
  let input: NRF.Pin
  let select: UInt8
  let sectors: Int

  /// A chip with so many sectors of 4 KB. `out` is its SI (IO0), `input` its SO (IO1), `select` the number of
  /// the pin of port 0 at its CS.
  public init(clock: NRF.Pin, out: NRF.Pin, in input: NRF.Pin, select: UInt8, sectors: Int) {
    (self.clock, self.out, self.input, self.select, self.sectors) = (clock, out, input, select, sectors)
  }
}

// The buffer of SPIM2, which EasyDMA accesses.
nonisolated(unsafe) private var transfer: [128 of UInt8] = .init(repeating: 0)

extension NRF52Board where Kit: NRF52LogInNOR, Bluetooth: ~Copyable {
  /// The memory of the log. To be called once. If the chip does not respond, it has no pages, and the device
  /// runs without a log.
  public static func flash() -> NRF52NOR {
    let memory = Kit.memory
    memory.clock.becomeOutput(high: false)
    memory.out.becomeOutput(high: false)
    // The chip does not drive its output while it is not selected.
    memory.input.becomeInput()
    var chip = SerialNOR(bus(of: memory), sectorCount: memory.sectors)
    do throws(FlashError) {
      _ = try chip.start()
      return GuardedFlash(chip, on: Kit.flashSupply())
    } catch {
      return GuardedFlash(SerialNOR(bus(of: memory), sectorCount: 0), on: Kit.flashSupply())
    }
  }

  private static func bus(of memory: NRF52Memory) -> NRF.SPIM<MappedRegisters> {
    var bus = unsafe NRF.SPIM(
      MappedRegisters(at: 0x4002_3000), port: NRF.GPIO(MappedRegisters(at: 0x5000_0000)),
      chipSelect: memory.select, buffer: &transfer)
    bus.start(clock: memory.clock, out: memory.out, in: memory.input)
    return bus
  }
}
