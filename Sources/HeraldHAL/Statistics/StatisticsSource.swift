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

  /// How many further groups there are: one for each role of the source, all with the same counters. 0 unless
  /// the source states it.
  static var statisticsRoles: Int { get }
  /// The name of the group of role number `role`, lower case; empty outside `0..<statisticsRoles`.
  static func statisticsRoleName(_ role: Int) -> StaticString
  /// How many counters each role has.
  static var roleStatisticsCount: Int { get }
  /// The name of counter `index` of each role; empty outside `0..<roleStatisticsCount`.
  static func roleStatisticName(_ index: Int) -> StaticWord
  /// The value of counter `index` of role number `role`; 0 if there is no such counter.
  mutating func roleStatistic(_ index: Int, of role: Int) -> UInt32
}

// A source without roles.
extension StatisticsSource where Self: ~Copyable {
  /// No role.
  @inline(__always) public static var statisticsRoles: Int { 0 }
  /// No group.
  @inline(__always) public static func statisticsRoleName(_ role: Int) -> StaticString { "" }
  /// No counters.
  @inline(__always) public static var roleStatisticsCount: Int { 0 }
  /// No counter has a name.
  @inline(__always) public static func roleStatisticName(_ index: Int) -> StaticWord { "" }
  /// No counter has a value.
  @inline(__always) public mutating func roleStatistic(_ index: Int, of role: Int) -> UInt32 { 0 }
}
