/// Something that counts what happens to it, for the statistics group of the management link.
///
/// Counters only grow, wrap at 2³², and start from zero at each start-up. Their names are stable: scripts
/// read them.
public protocol StatisticsSource: ~Copyable {
  /// The name of the group, lower case.
  static var statisticsName: StaticString { get }
  /// How many counters there are.
  static var statisticsCount: Int { get }
  /// The name of counter `index`, lower case with underscores; empty outside `0..<statisticsCount`.
  static func statisticName(_ index: Int) -> StaticWord
  /// The value of counter `index`; 0 outside `0..<statisticsCount`. `mutating`, as sources are large and a
  /// borrow of a stored one would copy it to the stack (docs/architecture.md).
  mutating func statistic(_ index: Int) -> UInt32
}
