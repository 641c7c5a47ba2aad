import Foundation
import HeraldText

/// Memory for secrets. Its size is fixed, as growing or copying would leave the old bytes in memory. It is
/// overwritten at the end of its lifetime.
struct SecretMemory: ~Copyable {
  /// The entire memory, initially zeros.
  let bytes: UnsafeMutableBufferPointer<UInt8>
  /// The number of bytes in use.
  var count = 0

  init(capacity: Int) {
    bytes = .allocate(capacity: capacity)
    bytes.initialize(repeating: 0)
  }

  deinit {
    if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
    bytes.deallocate()
  }

  /// The bytes in use.
  var used: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: bytes[..<count]) }

  /// Fills the entire memory from the system's random source.
  mutating func fillRandomly() {
    var system = SystemRandomNumberGenerator()
    for index in bytes.indices { bytes[index] = UInt8.random(in: 0...255, using: &system) }
    count = bytes.count
  }

  /// Keeps the first line, without its end.
  mutating func cutFirstLine() {
    if let end = used.firstIndex(of: 0x0A) { count = end }
    if count > 0, bytes[count - 1] == 0x0D { count -= 1 }
  }

  /// Appends text as far as there is room.
  mutating func append(_ text: String) {
    for byte in text.utf8 { append(byte: byte) }
  }

  /// Appends a byte as two hexadecimal digits, as far as there is room.
  mutating func append(hexadecimal byte: UInt8) {
    append(byte: Hexadecimal.digit(byte >> 4))
    append(byte: Hexadecimal.digit(byte & 15))
  }

  /// Appends a byte if there is room.
  mutating func append(byte: UInt8) {
    guard count < bytes.count else { return }
    bytes[count] = byte
    count += 1
  }
}
