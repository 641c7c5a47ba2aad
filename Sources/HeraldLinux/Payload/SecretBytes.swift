import Glibc

/// Bytes that are overwritten when the value is destroyed. The buffer has a fixed capacity: growing or
/// copying it would leave unerased bytes in memory.
struct SecretBytes: ~Copyable {
  private let memory: UnsafeMutableBufferPointer<UInt8>
  private(set) var count = 0

  init(capacity: Int) { memory = .allocate(capacity: capacity) }

  deinit {
    if let start = memory.baseAddress { explicit_bzero(start, memory.count) }
    memory.deallocate()
  }

  /// The appended bytes.
  var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: memory[..<count]) }

  /// Appends a byte; `false` if the buffer is full.
  mutating func append(_ byte: UInt8) -> Bool {
    guard count < memory.count else { return false }
    memory[count] = byte
    count += 1
    return true
  }

  /// Reads a file to its end. Returns 0 or the system's error number; `EFBIG` if the file does not fit.
  mutating func append(contentsOf file: borrowing FileDescriptor) -> Int32 {
    while count < memory.count {
      let room = UnsafeMutableBufferPointer(rebasing: memory[count...])
      let more = read(file.number, room.baseAddress, room.count)
      if more == 0 { return 0 }
      if more < 0, errno != EINTR { return errno }
      count += max(0, more)
    }
    return EFBIG
  }
}
