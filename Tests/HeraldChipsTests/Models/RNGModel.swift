/// The random number generator (nRF51 Series Reference Manual, "RNG"; nRF52840 Product Specification, "RNG").
///
/// Rules that are kept:
/// - "Functional description": VALUE is valid after VALRDY; a further one comes by itself until STOP.
/// - "Digital error correction": bits are uniform only with DERCEN; it is written while the generator stands.
final class RNGModel: Peripheral {
  /// The bytes that come out.
  var bytes: [UInt8] = []
  /// Accesses of the driver until the next byte.
  var delay = 5
  /// Whether the generator is broken, and no byte ever comes.
  var isBroken = false
  private(set) var isRunning = false
  private var isCorrected = false
  private var isReady = false
  private var value: UInt8?
  private var countdown = 0

  private func pass() {
    guard isRunning, !isBroken else { return }
    countdown -= 1
    guard countdown <= 0 else { return }
    value = bytes.isEmpty ? 0 : bytes.removeFirst()
    isReady = true
    countdown = delay
  }

  override func value(at offset: UInt32) -> UInt32 {
    pass()
    switch offset {
    case 0x100: return isReady ? 1 : 0
    case 0x508:
      guard let value else {
        fault("VALUE was read before VALRDY")
        return 0
      }
      self.value = nil
      return UInt32(value)
    default: return super.value(at: offset)
    }
  }

  override func setValue(_ word: UInt32, at offset: UInt32) {
    switch offset {
    case 0x000:
      if !isCorrected { fault("started without bias correction") }
      (isRunning, countdown) = (true, delay)
    case 0x004: isRunning = false
    case 0x100: isReady = word != 0
    case 0x504:
      if isRunning { fault("CONFIG was written while the generator runs") }
      isCorrected = word & 1 != 0
    default: super.setValue(word, at: offset)
    }
  }
}
