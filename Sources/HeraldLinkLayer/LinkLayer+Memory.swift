import HeraldHAL

extension LinkLayer where Peripheral: ~Copyable {
  /// Creates an idle link layer in memory that is filled with zeros, for a device without the stack for a
  /// value of this size: an initialiser creates the value on the stack and copies it.
  ///
  /// The initial state is zero bits except for the few members set here: the indexes of connections are free,
  /// queues are empty, and no event is in progress. `memory` has `MemoryLayout<Self>.size` bytes, aligned to
  /// eight, and has no other use.
  public static func create(in memory: UnsafeMutableRawPointer, radio: consuming Peripheral, seed: UInt32)
    -> UnsafeMutablePointer<Self>
  {
    // The radio is the first member of the first member. It is initialised and not assigned: an assignment
    // would end the life of a radio that does not exist.
    unsafe memory.bindMemory(to: Peripheral.self, capacity: 1).initialize(to: radio)
    let layer = unsafe memory.assumingMemoryBound(to: Self.self)
    unsafe layer.pointee.setInitialValues(seed: seed)
    return unsafe layer
  }

  private mutating func setInitialValues(seed: UInt32) {
    advertising.channels = AdvertisingEvent.allChannels
    channels = .all
    random = XorShift(seed: seed)
  }
}
