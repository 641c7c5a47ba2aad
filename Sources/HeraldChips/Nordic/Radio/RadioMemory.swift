import HeraldHAL

extension NRF {
  /// The memory of a `Radio`: its two packet buffers. A variable of this type must be in RAM (EasyDMA).
  public struct RadioStorage: ~Copyable {
    private var turns: UInt32 = 0
    private var outgoing: [40 of UInt8] = .init(repeating: 0)
    private var incoming: [40 of UInt8] = .init(repeating: 0)

    /// Zeros.
    public init() {}
  }

  /// The memory that a `Radio` shares with the radio's direct memory access and with its interrupt handler.
  public struct RadioMemory: BitwiseCopyable, @unchecked Sendable {
    /// How often RTC0 has overflowed. The interrupt handler increments it.
    let turns: SharedWord
    // The radio reads and writes these only between START and END, when the processor does not access them.
    let outgoing: UnsafeMutableBufferPointer<UInt8>
    let incoming: UnsafeMutableBufferPointer<UInt8>

    /// The memory in `storage`, which has a fixed address and is used for nothing else.
    public init(_ storage: UnsafeMutablePointer<RadioStorage>) {
      let start = UnsafeMutableRawPointer(storage)
      unsafe turns = SharedWord(start)
      let bytes = unsafe (start + 4).assumingMemoryBound(to: UInt8.self)
      unsafe outgoing = UnsafeMutableBufferPointer(start: bytes, count: RadioMemory.longestPDU)
      unsafe incoming = UnsafeMutableBufferPointer(start: bytes + 40, count: RadioMemory.longestPDU)
    }

    /// The header and the longest payload of an advertising PDU.
    static var longestPDU: Int { 39 }
  }
}
