import Glibc
import HeraldDeviceLink
import HeraldHAL

/// A host connected by a byte stream: SMP in its serial framing, processed packet by packet.
final class StreamSession {
  private static let bufferSize = 4096

  private let file: FileDescriptor
  /// SMP packets of up to 4160 bytes: a page of the log and its envelope. Hosts read this limit from the
  /// device.
  private var link = SMPSerialLink<4160>()
  /// The SMP server of this host: a session of one host does not give access to another.
  private var server = SMPServer()
  private let input = UnsafeMutablePointer<UInt8>.allocate(capacity: bufferSize)
  private var inputStart = 0
  private var inputCount = 0
  private let output = UnsafeMutablePointer<UInt8>.allocate(capacity: bufferSize)
  private var outputStart = 0
  private var outputCount = 0

  /// When bytes were last received, or the host connected.
  private(set) var lastInput: Instant

  /// Takes ownership of an open stream.
  init(_ file: consuming FileDescriptor, at now: Instant) {
    file.makeNonBlocking()
    self.file = file
    lastInput = now
  }

  /// Whether the host has an authenticated session.
  func hasSession(at now: Instant) -> Bool { server.hasSession(at: now) }

  deinit {
    input.deallocate()
    output.deallocate()
  }

  var descriptor: Int32 { file.number }
  /// Whether a response is still to be written.
  var wantsToWrite: Bool { outputCount > 0 }

  /// Processes available requests without blocking. Returns `false` when the host has disconnected.
  func serve<Device: ManagedDevice & ~Copyable>(at now: Instant, device: inout Device) -> Bool {
    while true {
      if outputCount == 0, link.isSending {
        var room = MutableSpan(_unsafeStart: output, count: Self.bufferSize)
        outputStart = 0
        outputCount = link.send(into: &room)
      }
      if outputCount > 0 {
        let taken = file.write(UnsafeBufferPointer(start: output + outputStart, count: outputCount).span)
        guard taken >= 0 else { return false }
        outputStart += taken
        outputCount -= taken
        guard taken > 0 else { return true }
        continue
      }
      if inputCount == 0 {
        var room = MutableSpan(_unsafeStart: input, count: Self.bufferSize)
        let count = file.read(into: &room)
        guard count >= 0 else { return false }
        guard count > 0 else { return true }
        inputStart = 0
        inputCount = count
        lastInput = now
      }
      let bytes = UnsafeBufferPointer(start: input + inputStart, count: inputCount)
      let taken = link.receive(bytes.span, at: now, server: &server, device: &device)
      inputStart += taken
      inputCount -= taken
    }
  }
}
