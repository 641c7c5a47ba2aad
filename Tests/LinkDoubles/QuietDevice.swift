import HeraldDeviceLink
import HeraldEmbedded
import HeraldHAL

/// A device that has nothing but what the link itself answers.
public struct QuietDevice: ManagedDevice, ~Copyable {
  public init() {}

  public mutating func logStatus() -> LogStatus {
    LogStatus(epoch: 1, oldest: 1, newest: 0, openBytes: 0, pageSize: 4096, boot: 1)
  }
  public mutating func logReadableBytes(sequence: UInt32) -> Int? { nil }
  public mutating func readLog(sequence: UInt32, offset: Int, into buffer: inout MutableSpan<UInt8>) -> Int {
    0
  }
  public static var statisticsGroupCount: Int { 0 }
  public static func statisticsGroupName(_ group: Int) -> StaticString { "" }
  public static func statisticsCount(group: Int) -> Int { 0 }
  public static func statisticName(group: Int, _ index: Int) -> StaticWord { "" }
  public mutating func statistic(group: Int, _ index: Int) -> UInt32 { 0 }
  public mutating func unixMilliseconds(at now: Instant) -> UInt64? { nil }
  public mutating func setClock(unixMilliseconds: UInt64, at now: Instant) -> Bool { false }
  public mutating func information(_ field: InformationField, into text: inout MutableSpan<UInt8>) -> Int {
    0
  }
  public mutating func restart(at now: Instant) {}
}
