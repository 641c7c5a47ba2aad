import HeraldHAL

extension LinkLayer: StatisticsSource where Peripheral: ~Copyable {
  /// The name of the statistics group: `linklayer`.
  public static var statisticsName: StaticString { "linklayer" }
  /// The number of counters.
  public static var statisticsCount: Int { 5 }
  /// The name of counter `index`.
  public static func statisticName(_ index: Int) -> StaticWord {
    StaticWord(index, of: LinkLayerCounters.names)
  }
  /// The value of counter `index`.
  public mutating func statistic(_ index: Int) -> UInt32 { counters.total(index) }
}
