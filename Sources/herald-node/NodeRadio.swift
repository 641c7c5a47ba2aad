import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldHCI
import HeraldLinkLayer
import HeraldLinux

/// A radio that the loop of the node can wait for with `poll(2)`.
protocol NodeRadio: Radio, StatisticsSource, ~Copyable {
  /// The descriptor for `poll(2)`; -1 if there is none at present.
  var descriptor: Int32 { get }
  /// Whether to wait for the descriptor to become writable, too.
  var wantsToWrite: Bool { get }
}

extension HCIRadio: NodeRadio where Transport: PollableTransport & ~Copyable {
  var descriptor: Int32 { transport.descriptor }
  var wantsToWrite: Bool { transport.wantsToWrite }
}

/// The radio of a node on a simulated medium: the link layer of wearables, with the connections of their
/// boards.
typealias AirRadio = LinkLayerRadio<PhyRadio, NoHold, 4>

extension LinkLayerRadio: NodeRadio where Peripheral: ~Copyable, Hold: ~Copyable {
  var descriptor: Int32 { -1 }
  var wantsToWrite: Bool { false }
}

/// Holds nothing off: `PhyDevice` makes all calls on one thread, and none during another.
struct NoHold: ProceduresHold {
  func hold() {}
  func release() {}
}

/// The clock of the node.
enum NodeClock {
  /// Time as it passes.
  case system(SystemClock)
  /// The simulated time of a phy.
  case simulated(PhyDevice)

  /// The time since the start of the node.
  var now: Instant {
    switch self {
    case .system(let clock): clock.now
    case .simulated(let device): device.now
    }
  }
}
