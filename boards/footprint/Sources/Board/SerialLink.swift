import HeraldDeviceLink
import HeraldHAL

/// The management link on a UART, for packets of at most `capacity` bytes.
public struct SerialLink<let capacity: Int>: ~Copyable {
  private var line: Line
  private var link = SMPSerialLink<capacity>()
  private var bytes: [64 of UInt8] = .init(repeating: 0)
  /// The numbers of received bytes and of those that were processed; both are 0 when all are.
  private var count = 0
  private var taken = 0

  /// A link on the UART whose registers are at `address`.
  public init(at address: UInt32) { line = Line(at: address) }

  /// Processes received bytes, and transmits responses.
  public mutating func serve<Device: ManagedDevice & ~Copyable>(
    at now: Instant, server: inout SMPServer, device: inout Device
  ) {
    if taken == count {
      var room = bytes.mutableSpan
      count = max(line.read(into: &room), 0)
      taken = 0
    }
    if taken < count {
      taken &+= link.receive(
        bytes.span.extracting(taken..<count), at: now, server: &server, device: &device)
    }
    // Bytes received after a request remain in `bytes`: responses have a buffer of their own.
    var output: [64 of UInt8] = .init(repeating: 0)
    while link.isSending {
      var room = output.mutableSpan
      let count = link.send(into: &room)
      guard count > 0, line.write(output.span.extracting(0..<count)) else { return }
    }
  }
}
