import Foundation
import HeraldEmbedded
import HeraldHAL
import Testing

@Suite("The table of settings")
struct SettingTableTests {
  private var all: [Setting] { (0..<UInt8(Setting.count)).compactMap { Setting(rawValue: $0) } }

  /// A row of the table in docs/herald-host.md, as the code has it.
  private func row(_ named: Setting) -> [String] {
    let setting = named.description
    let type =
      switch setting.kind {
      case .u8: "u8"
      case .u16: "u16"
      case .u32: "u32"
      case .choice: "enum u8"
      case .bytes: "bytes"
      }
    let unit =
      switch setting.unit {
      case .none: "–"
      case .days: "days"
      case .seconds: "s"
      case .milliseconds: "ms"
      }
    let separator = setting.kind == .bytes ? " or " : "…"
    return [
      "`\(named.name)`", type, unit, "\(setting.range.lowerBound)\(separator)\(setting.range.upperBound)",
      setting.standard.map(String.init) ?? "none", setting.isReadable ? "yes" : "no",
      setting.appliesAtOnce ? "yes" : "no",
    ]
  }

  @Test("A device that was told to stay open can be told otherwise, and forget it")
  func stayOpen() {
    var values = SettingValues()
    for wanted in [1, 0, nil, 1, nil, 0] as [UInt32?] {
      let isSet = values.set(.stayOpen, to: wanted)
      #expect(isSet && values[.stayOpen] == wanted.map { UInt16($0) })
    }
  }

  @Test("The motion sensor is switched off, on, and as by default; the value of another setting stays")
  func motionDetection() {
    var values = SettingValues()
    values.set(.stayOpen, to: 1)
    for wanted in [1, 0, nil, 1, nil, 0] as [UInt32?] {
      let isSet = values.set(.motionDetection, to: wanted)
      #expect(isSet && values[.motionDetection] == wanted.map { UInt16($0) } && values[.stayOpen] == 1)
    }
    let isSet = values.set(.motionDetection, to: 2)
    #expect(!isSet && values[.motionDetection] == 0)
  }

  @Test("Of latency and lifetime only the last that was set is; 0 days, and a removal, remove nothing else")
  func latencyOrLifetime() {
    var values = SettingValues()
    func all() -> [UInt16?] { [values[.latency], values[.lifetimeDays], values[.cellCapacity]] }
    for (setting, number, expected) in [
      (.cellCapacity, 500, [nil, nil, 500]), (.latency, 20, [20, nil, 500]),
      (.lifetimeDays, 90, [nil, 90, 500]), (.latency, nil, [nil, 90, 500]),
      (.latency, 300, [300, nil, 500]), (.lifetimeDays, 0, [300, nil, 500]),
      (.lifetimeDays, nil, [300, nil, 500]), (.cellCapacity, nil, [300, nil, nil]),
      (.lifetimeDays, 3650, [nil, 3650, nil]), (.lifetimeDays, 0, [nil, nil, nil]),
    ] as [(Setting, UInt32?, [UInt16?])] {
      let isSet = values.set(setting, to: number)
      #expect(isSet && all() == expected)
      #expect(values.isSet(setting) == (number ?? 0 > 0))
    }
    for (setting, number) in [
      (.latency, 9), (.latency, 301), (.latency, 0), (.lifetimeDays, 3651), (.cellCapacity, 9),
      (.cellCapacity, 20_001),
    ] as [(Setting, UInt32)] {
      let isSet = values.set(setting, to: number)
      #expect(!isSet && all() == [nil, nil, nil])
    }
  }

  @Test("docs/herald-host.md lists what the code has, and nothing else")
  func documented() throws {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { folder.deleteLastPathComponent() }
    let text = try String(contentsOf: folder.appendingPathComponent("docs/herald-host.md"), encoding: .utf8)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let head = try #require(lines.firstIndex { $0.hasPrefix("| name | type | unit | range | default |") })
    let rows = lines[(head + 2)...].prefix { $0.hasPrefix("|") }.map { line in
      line.split(separator: "|").prefix(7).map { $0.trimmingCharacters(in: .whitespaces) }
    }
    #expect(rows == all.map(row))
  }

  @Test("names are told apart, fit into MCUmgr's 32 bytes, and numbers fit where they are kept")
  func shape() {
    #expect(all.count == Setting.count && Setting(rawValue: UInt8(Setting.count)) == nil)
    for named in all {
      let name = Array("\(named.name)".utf8)
      #expect(!name.isEmpty && name.count <= 32 && name.allSatisfy { $0 < 0x80 })
      #expect(Setting(name: name.span) == named)
      let setting = named.description
      #expect(setting.range.upperBound <= UInt16.max)
      if let standard = setting.standard { #expect(setting.allows(standard)) }
      if setting.kind == .bytes {
        #expect(setting.allows(0) && setting.allows(32) && !setting.allows(16) && !setting.allows(33))
      } else {
        #expect(setting.allows(setting.range.lowerBound) && setting.allows(setting.range.upperBound))
        #expect(!setting.allows(setting.range.upperBound + 1))
      }
    }
  }

  @Test("the defaults are those of HeraldConfiguration")
  func defaults() {
    let configuration = HeraldConfiguration()
    #expect(Setting.keepDays.description.standard == UInt32(configuration.retentionDays))
    #expect(Setting.commitSeconds.description.standard.map(Interval.seconds) == configuration.commitPeriod)
    #expect(
      Setting.scanInterval.description.standard.map(Interval.milliseconds)
        == configuration.scanTiming.interval)
    #expect(
      Setting.scanWindow.description.standard.map(Interval.milliseconds) == configuration.scanTiming.window)
    #expect(
      Setting.advertisingInterval.description.standard.map(Interval.milliseconds)
        == configuration.advertisingInterval)
    #expect(Setting.radioSetting.description.standard == UInt32(RadioSetting.standard.rawValue))
    #expect(Setting.latency.description.standard.map(Interval.seconds) == configuration.scanTiming.latency)
    #expect(Setting.cellCapacity.description.standard == UInt32(configuration.cellCapacity))
  }
}
