// Words and bytes that an interrupt handler or a peripheral changes concurrently with the running code. Each
// access must occur exactly once and in program order: on a chip they use the compiler's volatile accesses.
// On Linux there are no interrupts.
#if hasFeature(Embedded)
  import _Volatile
#endif

/// A word shared by an interrupt handler and the interrupted code. Only one of the two may write a given word
/// at a time.
struct SharedWord: BitwiseCopyable {
  private let address: UnsafeMutablePointer<UInt32>

  init(_ address: UnsafeMutableRawPointer) {
    self.address = unsafe address.assumingMemoryBound(to: UInt32.self)
  }

  /// The value of the word.
  @inline(always)
  var value: UInt32 {
    get {
      #if hasFeature(Embedded)
        unsafe VolatileMappedRegister<UInt32>(unsafeBitPattern: UInt(bitPattern: address)).load()
      #else
        unsafe address.pointee
      #endif
    }
    nonmutating set {
      #if hasFeature(Embedded)
        unsafe VolatileMappedRegister<UInt32>(unsafeBitPattern: UInt(bitPattern: address)).store(newValue)
      #else
        unsafe address.pointee = newValue
      #endif
    }
  }
}

/// Bytes shared like a `SharedWord`, or accessed by a peripheral's DMA.
struct SharedBytes: BitwiseCopyable {
  private let start: UnsafeMutablePointer<UInt8>

  init(_ start: UnsafeMutableRawPointer) {
    self.start = unsafe start.assumingMemoryBound(to: UInt8.self)
  }

  /// Byte `index`, whose range the caller must have checked.
  @inline(always)
  subscript(index: Int) -> UInt8 {
    get {
      #if hasFeature(Embedded)
        unsafe VolatileMappedRegister<UInt8>(unsafeBitPattern: UInt(bitPattern: start + index)).load()
      #else
        unsafe start[index]
      #endif
    }
    nonmutating set {
      #if hasFeature(Embedded)
        unsafe VolatileMappedRegister<UInt8>(unsafeBitPattern: UInt(bitPattern: start + index)).store(
          newValue)
      #else
        unsafe start[index] = newValue
      #endif
    }
  }

  /// Copies `count` bytes from byte `start` on to `target`. The caller must have checked both ranges.
  @inline(never)
  func copy(from start: Int, _ count: Int, to target: UnsafeMutablePointer<UInt8>) {
    var from = unsafe SharedBytes(self.start + start)
    var to = unsafe target
    var left = count
    // Eight bytes at a time, as the overhead of the loop would exceed the copying itself.
    while left >= 8 {
      unsafe to[0] = from[0]
      unsafe to[1] = from[1]
      unsafe to[2] = from[2]
      unsafe to[3] = from[3]
      unsafe to[4] = from[4]
      unsafe to[5] = from[5]
      unsafe to[6] = from[6]
      unsafe to[7] = from[7]
      unsafe (from, to) = (SharedBytes(from.start + 8), to + 8)
      left &-= 8
    }
    while left > 0 {
      unsafe to[0] = from[0]
      unsafe (from, to) = (SharedBytes(from.start + 1), to + 1)
      left &-= 1
    }
  }

  /// A buffer of `count` bytes, for `RegisterBlock.busAddress`.
  func buffer(from offset: Int = 0, _ count: Int) -> UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: start + offset, count: count)
  }
}
