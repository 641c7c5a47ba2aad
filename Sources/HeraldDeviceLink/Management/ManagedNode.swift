import HeraldEmbedded

/// What only the board, or the program around the node, knows of the device.
public protocol ManagedBoard: ~Copyable {
  /// Writes what there is to say about `field` to the start of `text`, in ASCII, and returns its length: 0 if
  /// there is nothing to say or too little room.
  func information(_ field: InformationField, into text: inout MutableSpan<UInt8>) -> Int
  /// Restarts the device soon: the answer to the request is still to be sent.
  mutating func restart(at now: Instant)
}

/// A Herald device as the management link sees it: the node, and the board it runs on.
public struct ManagedNode<
  RadioType: Radio & StatisticsSource & ~Copyable, FlashType: Flash & ~Copyable,
  RandomType: RandomSource & ~Copyable, SupplierType: PayloadSupplier & ~Copyable,
  DelegateType: SensorDelegate & ~Copyable, BoardType: ManagedBoard & ~Copyable,
  let targets: Int, let connections: Int
>: ManagedDevice, ~Copyable {
  /// The kind of node it is.
  public typealias Node = HeraldNode<
    RadioType, FlashType, RandomType, SupplierType, DelegateType, targets, connections
  >

  private typealias Core = HeraldCore<
    FlashType, RandomType, SupplierType, DelegateType, targets, connections
  >
  private typealias Log = FlashLog<FlashType, 32>

  /// The node.
  public var node: Node
  /// The board.
  public var board: BoardType

  /// A node on a board.
  @inlinable
  public init(node: consuming Node, board: consuming BoardType) {
    self.node = node
    self.board = board
  }

  /// Where the log stands. Commits it: whoever asks is about to read, and is to have everything there is.
  public mutating func logStatus() -> LogStatus {
    node.core.log.commit()
    return node.core.log.status
  }

  /// How many bytes of a page of the log can be read.
  public mutating func logReadableBytes(sequence: UInt32) -> Int? {
    node.core.log.readableBytes(sequence: sequence)
  }

  /// Reads bytes of a page of the log.
  public mutating func readLog(
    sequence: UInt32, offset: Int, into buffer: inout MutableSpan<UInt8>
  ) -> Int {
    do throws(LogError) {
      return try node.core.log.read(sequence: sequence, offset: offset, into: &buffer)
    } catch {
      return 0
    }
  }

  /// The node, its radio, its log.
  public var statisticsGroupCount: Int { 3 }

  /// The name of a group of counters.
  public func statisticsGroupName(_ group: Int) -> StaticString {
    switch group {
    case 0: Core.statisticsName
    case 1: RadioType.statisticsName
    case 2: Log.statisticsName
    default: ""
    }
  }

  /// How many counters a group has.
  public func statisticsCount(group: Int) -> Int {
    switch group {
    case 0: Core.statisticsCount
    case 1: RadioType.statisticsCount
    case 2: Log.statisticsCount
    default: 0
    }
  }

  /// The name of a counter.
  public func statisticName(group: Int, _ index: Int) -> StaticString {
    switch group {
    case 0: Core.statisticName(index)
    case 1: RadioType.statisticName(index)
    case 2: Log.statisticName(index)
    default: ""
    }
  }

  /// The value of a counter.
  public func statistic(group: Int, _ index: Int) -> UInt32 {
    switch group {
    case 0: node.core.statistic(index)
    case 1: node.radio.statistic(index)
    case 2: node.core.log.statistic(index)
    default: 0
    }
  }

  /// The date, if it is known.
  public func unixMilliseconds(at now: Instant) -> UInt64? { node.core.clock.unixMilliseconds(at: now) }

  /// Sets the date, as told by a host.
  public mutating func setClock(unixMilliseconds: UInt64, at now: Instant) -> Bool {
    node.core.setClock(unixMilliseconds: unixMilliseconds, at: now, source: .host)
  }

  /// What there is to say about `field`.
  public func information(_ field: InformationField, into text: inout MutableSpan<UInt8>) -> Int {
    board.information(field, into: &text)
  }

  /// Restarts the device soon.
  public mutating func restart(at now: Instant) { board.restart(at: now) }
}
