import HeraldBluetooth
import HeraldHAL

extension HCIController where Peripheral: ~Copyable, Random: ~Copyable {
  /// Makes a controller of a link layer, for a device without the stack for a value of this size.
  ///
  /// The link layer was created by `LinkLayer.create` in memory that was filled with zeros, and has
  /// `MemoryLayout<Self>.size` bytes, aligned to eight; nothing has used the link layer since. Its interrupts
  /// may be enabled. `address` is the public device address, `zero` if there is none.
  public static func complete(
    _ layer: UnsafeMutablePointer<LinkLayer<Peripheral, connections>>, random: consuming Random,
    address: DeviceAddress
  ) -> UnsafeMutablePointer<Self> {
    // The link layer is the first member, and the source of random numbers the second one, which is
    // initialised and not assigned: an assignment would end the life of one that does not exist.
    let memory = unsafe UnsafeMutableRawPointer(layer)
    let place = unsafe (memory + MemoryLayout<LinkLayer<Peripheral, connections>>.size).alignedUp(
      for: Random.self)
    unsafe place.bindMemory(to: Random.self, capacity: 1).initialize(to: random)
    let controller = unsafe memory.assumingMemoryBound(to: Self.self)
    unsafe controller.pointee.setInitialValues(address)
    return unsafe controller
  }

  private mutating func setInitialValues(_ address: DeviceAddress) {
    self.address = address
    eventMask = Self.initialEventMask
    leEventMask = Self.initialLEEventMask
    advertisingInterval = Self.initialAdvertisingInterval
    setInitialScan()
  }
}
