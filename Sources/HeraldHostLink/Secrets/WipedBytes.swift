import Foundation

extension [UInt8] {
  /// Overwrites the bytes in a way that is not optimised away. The array must be uniquely referenced: copies
  /// that share its storage are not changed.
  public mutating func wipe() {
    withUnsafeMutableBytes { if let start = $0.baseAddress { explicit_bzero(start, $0.count) } }
  }
}

/// Bytes that are overwritten when the last reference is released.
final class WipedBytes: Sendable {
  /// The bytes, which are constant and can therefore be shared.
  private let memory: UnsafeMutableBufferPointerBox

  /// Copies the first `count` bytes of `bytes`.
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

/// A buffer that is not written after it has been shared.
private struct UnsafeMutableBufferPointerBox: @unchecked Sendable {
  let bytes: UnsafeMutableBufferPointer<UInt8>

  init(count: Int) {
    bytes = .allocate(capacity: count)
    bytes.initialize(repeating: 0)
  }
}
