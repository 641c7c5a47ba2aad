import HeraldEmbedded
import HeraldHAL
import HeraldSimulation

/// An owner of sealed logs, and a device.
enum SealedLog {
  static let owner = [UInt8](1...32)
  static let serial = Array("SEAL-0001".utf8)
}

extension FlashLog where F == MemoryFlash {
  /// Gives the log keys, so that it is sealed from its next page on.
  mutating func seal() {
    let secret = [UInt8](33...64)
    let publicKey = SealedPageOpener(secret: SealedLog.owner.span).publicKey
    sealer.begin(secret: secret.span)
    for _ in 0..<2 {
      while !sealer.advance() {}
      makeKeys(owner: publicKey.span, serial: SealedLog.serial.span, at: .start)
    }
  }
}
