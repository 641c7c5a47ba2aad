import HeraldBluetooth
import HeraldHAL

/// The creation of an `HCIController` in memory, for a device without the stack for a value of this size.
public enum HCIControllerMemory {
  /// Makes a controller of a link layer.
  ///
  /// The link layer was created by `LinkLayer.create` in memory that was filled with zeros, and has the
  /// size of the controller, aligned to eight; nothing has used the link layer since. Its interrupts may be
  /// enabled. `address` is the public device address, `zero` if there is none.
  public static func complete<
    Peripheral: RadioPeripheral & ~Copyable, Random: RandomSource & ~Copyable, let connections: Int
  >(
    _ layer: UnsafeMutablePointer<LinkLayer<Peripheral, connections>>, random: consuming Random,
    address: DeviceAddress
  ) -> UnsafeMutablePointer<HCIController<Peripheral, Random, connections>> {
    typealias Controller = HCIController<Peripheral, Random, connections>
    // The link layer is the first member, and the source of random numbers the second one, which is
    // initialised and not assigned: an assignment would end the life of one that does not exist.
    let memory = UnsafeMutableRawPointer(layer)
    let randomMemory = unsafe (memory + MemoryLayout<LinkLayer<Peripheral, connections>>.size).alignedUp(
      for: Random.self)
    unsafe randomMemory.bindMemory(to: Random.self, capacity: 1).initialize(to: random)
    let controller = unsafe memory.assumingMemoryBound(to: Controller.self)
    unsafe controller.pointee.address = address
    unsafe controller.pointee.events = HCIEvents()
    unsafe controller.pointee.advertisingInterval = Controller.initialAdvertisingInterval
    unsafe controller.pointee.setInitialScan()
    return unsafe controller
  }
}
