import HeraldHAL
import Placeholders

/// A UART at a fixed address.
public struct Line: ControllerTransport, ~Copyable {
  private let address: UInt32

  /// The UART whose registers are at `address`.
  public init(at address: UInt32) { self.address = address }

  /// Moves received bytes into the queue.
  public mutating func read(into buffer: inout MutableSpan<UInt8>) -> Int {
    let address = address
    return unsafe buffer.withUnsafeMutableBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return 0 }
      return unsafe Int(board_line_read(address, start, Int32(truncatingIfNeeded: bytes.count)))
    }
  }

  /// Sends a packet.
  public mutating func write(_ packet: Span<UInt8>) -> Bool {
    let address = address
    return unsafe packet.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return true }
      return unsafe board_line_write(address, start, Int32(truncatingIfNeeded: bytes.count)) == bytes.count
    }
  }
}
