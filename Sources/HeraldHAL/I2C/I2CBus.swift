/// A serial bus with two lines and several devices, each with an address of seven bits (UM10204, "I2C-bus
/// specification and user manual").
///
/// A transfer is finished when its call returns, successful or not, and the bus is then free.
public protocol I2CBus: ~Copyable {
  /// Sends bytes to the device at `address` (0…127).
  mutating func send(_ bytes: Span<UInt8>, to address: UInt8) throws(I2CError)
  /// Sends bytes to the device at `address` (0…127) and then, after a repeated start condition, receives as
  /// many bytes as `buffer` has.
  mutating func send(_ bytes: Span<UInt8>, to address: UInt8, receiving buffer: inout MutableSpan<UInt8>)
    throws(I2CError)
}

/// Why a transfer failed.
public enum I2CError: Error, BitwiseCopyable, Sendable {
  /// No device acknowledges the address, or the device does not acknowledge a byte.
  case notAcknowledged
  /// The transfer did not end in time: a device holds a line of the bus, or the bus is not started.
  case timeout
  /// More bytes than the bus transfers at once, or none.
  case badLength
}

extension I2CBus where Self: ~Copyable {
  /// Writes one register of a device whose registers have numbers of eight bits.
  @inline(never)
  public mutating func write(_ value: UInt8, to register: UInt8, of address: UInt8) throws(I2CError) {
    let bytes: [2 of UInt8] = [register, value]
    try send(bytes.span, to: address)
  }

  /// Reads one register of such a device.
  @inline(never)
  public mutating func read(_ register: UInt8, of address: UInt8) throws(I2CError) -> UInt8 {
    let number: [1 of UInt8] = [register]
    var value: [1 of UInt8] = [0]
    var buffer = value.mutableSpan
    try send(number.span, to: address, receiving: &buffer)
    return value[0]
  }
}
