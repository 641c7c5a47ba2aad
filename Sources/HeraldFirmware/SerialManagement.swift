import HeraldDeviceLink
import HeraldHAL

/// A byte line in both directions, without framing.
public protocol ByteLine: ~Copyable {
  /// Moves received bytes to the start of `buffer`, which is not empty. Returns their number; 0 if there are
  /// none.
  mutating func read(into buffer: inout MutableSpan<UInt8>) -> Int
  /// Sends all bytes, or, if there is no room, none and returns `false`.
  mutating func write(_ bytes: Span<UInt8>) -> Bool
}

/// The management link on a serial line, for packets of at most `capacity` bytes.
public struct SerialManagement<Line: ByteLine & ~Copyable, let capacity: Int>: ManagementLinks, ~Copyable {
  /// The line.
  public var line: Line
  private var server = SMPServer()
  private var link = SMPSerialLink<capacity>()
  private var bytes: [64 of UInt8] = .init(repeating: 0)
  /// The number of received bytes, and the number of those that the link has processed; 0 and 0 if there are
  /// none.
  private var count = 0
  private var taken = 0
  private var output: [64 of UInt8] = .init(repeating: 0)
  /// The number of bytes of `output` still to be sent.
  private var waiting = 0

  /// Creates a link on `line`.
  public init(_ line: consuming Line) { self.line = line }

  /// Receives, serves requests and sends responses.
  public mutating func serve<Device: ManagedDevice & ~Copyable>(at now: Instant, device: inout Device)
    -> Instant
  {
    if taken == count {
      var room = bytes.mutableSpan
      count = max(line.read(into: &room), 0)
      taken = 0
    }
    if taken < count {
      // Bytes received after a request remain in `bytes`: the response has a separate buffer.
      taken &+= link.receive(
        bytes.span.extracting(taken..<count), at: now, server: &server, device: &device)
    }
    while true {
      if waiting == 0 {
        guard link.isSending else { break }
        var room = output.mutableSpan
        waiting = link.send(into: &room)
        guard waiting > 0 else { break }
      }
      // The line is full: wait for its interrupt, at most 2 ms.
      guard line.write(output.span.extracting(0..<waiting)) else { return now + .milliseconds(2) }
      waiting = 0
    }
    // At most 64 bytes are received at a time: there may be more.
    return count > 0 ? now : .never
  }
}
