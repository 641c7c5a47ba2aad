import HeraldDeviceLink
import HeraldEmbedded
import HeraldHCI
import HeraldLinux

/// The node as the management link sees it.
struct NodeDevice<Transport: PollableTransport & ~Copyable>: ManagedDevice, ~Copyable {
  typealias Radio = HCIRadio<Transport, 8>
  typealias Node = HeraldNode<Radio, FileFlash, SystemRandom, ConfiguredPayload, EventReporter, 256, 8>

  var node: Node
  let serialNumber: InlineBytes<16>
  /// When a host asked for a restart; the answer to it is still to be sent.
  private(set) var restartAt: Instant = .never

  init(node: consuming Node, serialNumber: InlineBytes<16>) {
    self.node = node
    self.serialNumber = serialNumber
  }

  mutating func logStatus() -> LogStatus {
    // Whoever asks is about to read: let it have everything there is.
    node.core.log.commit()
    return node.core.log.status
  }

  mutating func logReadableBytes(sequence: UInt32) -> Int? { node.core.log.readableBytes(sequence: sequence) }

  mutating func readLog(sequence: UInt32, offset: Int, into buffer: inout MutableSpan<UInt8>) -> Int {
    (try? node.core.log.read(sequence: sequence, offset: offset, into: &buffer)) ?? 0
  }

  var statisticsGroupCount: Int { 3 }

  func statisticsGroupName(_ group: Int) -> StaticString {
    switch group {
    case 0: type(of: node.core).statisticsName
    case 1: Radio.statisticsName
    case 2: type(of: node.core.log).statisticsName
    default: ""
    }
  }

  func statisticsCount(group: Int) -> Int {
    switch group {
    case 0: type(of: node.core).statisticsCount
    case 1: Radio.statisticsCount
    case 2: type(of: node.core.log).statisticsCount
    default: 0
    }
  }

  func statisticName(group: Int, _ index: Int) -> StaticString {
    switch group {
    case 0: type(of: node.core).statisticName(index)
    case 1: Radio.statisticName(index)
    case 2: type(of: node.core.log).statisticName(index)
    default: ""
    }
  }

  func statistic(group: Int, _ index: Int) -> UInt32 {
    switch group {
    case 0: node.core.statistic(index)
    case 1: node.radio.statistic(index)
    case 2: node.core.log.statistic(index)
    default: 0
    }
  }

  func unixMilliseconds(at now: Instant) -> UInt64? { node.core.clock.unixMilliseconds(at: now) }

  mutating func setClock(unixMilliseconds: UInt64, at now: Instant) -> Bool {
    node.core.setClock(unixMilliseconds: unixMilliseconds, at: now, source: .host)
  }

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
