import Foundation

extension [UInt8] {
  /// Overwrites the bytes, in a way that is not optimised away. Copies that share the storage are not
  /// changed: the array has to be uniquely referenced.
  public mutating func wipe() {
    withUnsafeMutableBytes { if let start = $0.baseAddress { explicit_bzero(start, $0.count) } }
  }
}

/// Bytes that are overwritten when the last reference is released.
final class WipedBytes: Sendable {
  /// The bytes. They never change, so that they can be shared.
  private let memory: UnsafeMutableBufferPointerBox

  /// A copy of the beginning of `bytes`.
  init(_ bytes: Span<UInt8>, count: Int) {
    memory = UnsafeMutableBufferPointerBox(count: count)
    for index in 0..<count { memory.bytes[index] = bytes[index] }
  }

  deinit {
    if let start = memory.bytes.baseAddress { explicit_bzero(start, memory.bytes.count) }
    memory.bytes.deallocate()
  }

  /// The bytes.
  var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(memory.bytes) }
}

/// A buffer that is written before it is shared, and never after.
private struct UnsafeMutableBufferPointerBox: @unchecked Sendable {
  let bytes: UnsafeMutableBufferPointer<UInt8>

  init(count: Int) {
    bytes = .allocate(capacity: count)
    bytes.initialize(repeating: 0)
  }
}
