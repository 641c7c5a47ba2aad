import HeraldDeviceLink
import HeraldEmbedded
import HeraldHCI
import HeraldLinux

/// The node as the management link sees it.
typealias NodeDevice<Transport: PollableTransport & ~Copyable> = ManagedNode<
  HCIRadio<Transport, 8>, FileFlash, SystemRandom, ConfiguredPayload, EventReporter, NoNeighbours, NodeBoard,
  256, 8
>

/// What takes the place of a board: this process, on this machine.
struct NodeBoard: ManagedBoard {
  let serialNumber: InlineBytes<16>
  /// When a host asked for a restart; the answer to it is still to be sent.
  private(set) var restartAt: Instant = .never

  init(serialNumber: InlineBytes<16>) { self.serialNumber = serialNumber }

  func information(_ field: InformationField, into text: inout MutableSpan<UInt8>) -> Int {
    var writer = ByteWriter(text._mutatingExtracting(0...))
    switch field {
    case .kernelName: writer.text("Herald")
    case .nodeName:
      for index in 0..<serialNumber.count { writer.u8(serialNumber[index] ?? 0) }
    case .kernelRelease, .kernelVersion: writer.text(NodeVersion.bytes)
    case .machine:
      #if arch(x86_64)
        writer.text("x86_64")
      #elseif arch(arm64)
        writer.text("aarch64")
      #else
        writer.text("unknown")
      #endif
    case .hardwarePlatform: writer.text("herald-node")
    case .operatingSystem: writer.text("Linux")
    case .buildDate, .processor: return 0
    }
    return writer.overflowed ? 0 : writer.count
  }

  mutating func restart(at now: Instant) { restartAt = now + .milliseconds(250) }
}

extension ManagedNode
where
  RadioType: ~Copyable, FlashType: ~Copyable, RandomType: ~Copyable, SupplierType: ~Copyable,
  DelegateType: ~Copyable, BoardType == NodeBoard
{
  /// When a host asked for a restart; never if none did.
  var restartAt: Instant { board.restartAt }
}
