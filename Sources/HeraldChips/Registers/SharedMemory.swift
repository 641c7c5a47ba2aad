// Words and bytes that an interrupt handler, or a peripheral, changes concurrently with the running code.
// Each access has to happen, once, and in the order written: on a chip they go through the compiler's
// volatile accesses. On Linux there are no interrupts.
#if hasFeature(Embedded)
  import _Volatile
#endif

/// A word that an interrupt handler and the code it interrupts share. Only one of the two ever writes a given
/// word at a time.
struct SharedWord: BitwiseCopyable {
  private let place: UnsafeMutablePointer<UInt32>

  init(_ place: UnsafeMutableRawPointer) {
    self.place = unsafe place.assumingMemoryBound(to: UInt32.self)
  }

  /// What it holds.
  @inline(always)
  var value: UInt32 {
    get {
      #if hasFeature(Embedded)
        unsafe VolatileMappedRegister<UInt32>(unsafeBitPattern: UInt(bitPattern: place)).load()
      #else
        unsafe place.pointee
      #endif
    }
    nonmutating set {
      #if hasFeature(Embedded)
        unsafe VolatileMappedRegister<UInt32>(unsafeBitPattern: UInt(bitPattern: place)).store(newValue)
      #else
        unsafe place.pointee = newValue
      #endif
    }
  }
}

/// Bytes that are shared as a `SharedWord` is, or that a peripheral reads and writes by itself.
struct SharedBytes: BitwiseCopyable {
  private let start: UnsafeMutablePointer<UInt8>

  init(_ start: UnsafeMutableRawPointer) {
    self.start = unsafe start.assumingMemoryBound(to: UInt8.self)
  }

  /// Byte `index`, which the caller has checked to be in range.
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

  /// Copies `count` of them from byte `start` on to `target`. The caller has checked both ranges.
  @inline(never)
  func copy(from start: Int, _ count: Int, to target: UnsafeMutablePointer<UInt8>) {
    var from = unsafe SharedBytes(self.start + start)
    var to = unsafe target
    var left = count
    // Four at a time: otherwise the loop takes more time than the copies.
    while left >= 4 {
      unsafe to[0] = from[0]
      unsafe to[1] = from[1]
      unsafe to[2] = from[2]
      unsafe to[3] = from[3]
      unsafe (from, to) = (SharedBytes(from.start + 4), to + 4)
      left &-= 4
    }
    while left > 0 {
      unsafe to[0] = from[0]
      unsafe (from, to) = (SharedBytes(from.start + 1), to + 1)
      left &-= 1
    }
  }

  /// `count` of them, for `RegisterBlock.busAddress`.
  func buffer(from offset: Int = 0, _ count: Int) -> UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: start + offset, count: count)
  }
}
