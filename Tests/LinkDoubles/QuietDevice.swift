import HeraldDeviceLink
import HeraldEmbedded
import HeraldHAL

/// A device that has nothing but what the link itself answers.
package struct QuietDevice: ManagedDevice, ~Copyable {
  package init() {}

  package mutating func logStatus() -> LogStatus {
    LogStatus(epoch: 1, oldest: 1, newest: 0, openBytes: 0, pageSize: 4096, boot: 1)
  }
  package mutating func logReadableBytes(sequence: UInt32) -> Int? { nil }
  package mutating func readLog(sequence: UInt32, offset: Int, into buffer: inout MutableSpan<UInt8>) -> Int {
    0
  }
  package static var statisticsGroupCount: Int { 0 }
  package static func statisticsGroupName(_ group: Int) -> StaticString { "" }
  package static func statisticsCount(group: Int) -> Int { 0 }
  package static func statisticName(group: Int, _ index: Int) -> StaticWord { "" }
  package mutating func statistic(group: Int, _ index: Int) -> UInt32 { 0 }
  package mutating func unixMilliseconds(at now: Instant) -> UInt64? { nil }
  package mutating func setClock(unixMilliseconds: UInt64, at now: Instant) -> Bool { false }
  package mutating func information(_ field: InformationField, into text: inout MutableSpan<UInt8>) -> Int {
    0
  }
  package mutating func restart(at now: Instant) {}
}
