import HeraldHAL

extension CRC16 {
  /// CRC-16 of `bytes` with the register set to FFFF in the beginning, where it would be 0.
  package static func initiallyOnes(_ bytes: [UInt8]) -> UInt16 {
    var crc = CRC16()
    // What brings it from 0 to FFFF.
    for byte in [0x84, 0xCF] as [UInt8] { crc.feed(byte) }
    for byte in bytes { crc.feed(byte) }
    return crc.value
  }
}
