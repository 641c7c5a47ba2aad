import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import Testing

@Suite("Coordinator: settings applied at run time")
struct AppliedSettingsTests {
  private func values(_ numbers: [(Setting, UInt32)]) -> SettingValues {
    var values = SettingValues()
    for (setting, number) in numbers { values.set(setting, to: number) }
    return values
  }

  /// The last parameters the radio was to scan with, and how often it was to advertise.
  private func shown(_ scenario: Scenario) -> (scan: ScanParameters?, advertising: Interval?) {
    var advertising: Interval?
    for record in scenario.node.radio.commands {
      if case .startAdvertising(let parameters, _, _) = record.command { advertising = parameters.interval }
    }
    return (scenario.node.radio.scanning, advertising)
  }

  @Test("timings that are set change what the radio does at once, and go back when they are set no more")
  func timings() {
    let scenario = Scenario()
    scenario.run(seconds: 2)
    #expect(
      shown(scenario).scan?.interval == .milliseconds(1125)
        && shown(scenario).scan?.window == .milliseconds(120))
    #expect(shown(scenario).advertising == .milliseconds(250))
    scenario.node.core.take(
      values([(.scanInterval, 500), (.scanWindow, 100), (.advertisingInterval, 700)]), at: scenario.now)
    scenario.run(seconds: 1)
    #expect(
      shown(scenario).scan?.interval == .milliseconds(500)
        && shown(scenario).scan?.window == .milliseconds(100))
    #expect(shown(scenario).advertising == .milliseconds(700))
    // A window longer than its interval is all of it.
    scenario.node.core.take(values([(.scanInterval, 50)]), at: scenario.now)
    scenario.run(seconds: 1)
    #expect(
      shown(scenario).scan?.interval == .milliseconds(50) && shown(scenario).scan?.window == .milliseconds(50)
    )
    scenario.node.core.take(SettingValues(), at: scenario.now)
    scenario.run(seconds: 1)
    #expect(
      shown(scenario).scan?.interval == .milliseconds(1125)
        && shown(scenario).scan?.window == .milliseconds(120))
    #expect(shown(scenario).advertising == .milliseconds(250))
    #expect(scenario.violations.isEmpty)
  }

  @Test(
    "the settings of the radio are those of HeraldConfiguration, and a timing that is set by name counts more"
  )
  func radio() {
    for (setting, configuration) in [
      (RadioSetting.saver, HeraldConfiguration.saver), (.standard, HeraldConfiguration()),
      (.steady, HeraldConfiguration.steady),
      (.dense, HeraldConfiguration.dense),
    ] {
      let scenario = Scenario()
      scenario.node.core.take(values([(.radioSetting, UInt32(setting.rawValue))]), at: scenario.now)
      scenario.run(seconds: 1)
      #expect(shown(scenario).scan?.interval == configuration.scanTiming.interval)
      #expect(shown(scenario).scan?.window == configuration.scanTiming.window)
      #expect(shown(scenario).advertising == configuration.advertisingInterval)
      #expect(
        scenario.node.core.inEffect(.scanWindow) == UInt32(configuration.scanTiming.window.milliseconds))
      #expect(scenario.node.core.inEffect(.radioSetting) == UInt32(setting.rawValue))
      scenario.node.core.take(
        values([(.radioSetting, UInt32(setting.rawValue)), (.scanWindow, 33)]), at: scenario.now)
      scenario.run(seconds: 1)
      #expect(shown(scenario).scan?.interval == configuration.scanTiming.interval)
      #expect(shown(scenario).scan?.window == .milliseconds(33))
    }
  }

  @Test("HP-24 balanced: after a minute a window of 263 ms every 26 to 27 s; a timing that is set ends that")
  func balanced() {
    let scenario = Scenario()
    scenario.node.core.take(values([(.radioSetting, 3)]), at: scenario.now)
    scenario.run(seconds: 59)
    #expect(shown(scenario).scan?.window == .milliseconds(120))
    scenario.run(seconds: 6)
    #expect(shown(scenario).scan == nil)
    var windows = 0
    var wasScanning = false
    for _ in 0..<540 {
      scenario.run(milliseconds: 100)
      let isScanning = shown(scenario).scan?.window == .milliseconds(263)
      if isScanning, !wasScanning { windows += 1 }
      wasScanning = isScanning
    }
    #expect(windows == 2)
    #expect(scenario.node.core.inEffect(.radioSetting) == 3)
    scenario.node.core.take(values([(.radioSetting, 3), (.scanWindow, 33)]), at: scenario.now)
    scenario.run(seconds: 1)
    #expect(shown(scenario).scan?.window == .milliseconds(33))
    #expect(scenario.violations.isEmpty)
  }

  /// Bytes of the first page that are in flash.
  private func readable(_ scenario: Scenario) -> Int {
    scenario.node.core.log.readableBytes(sequence: 1) ?? 0
  }

  @Test("the log is brought to flash as often as was set, from now on, and kept for as many days")
  func log() {
    let scenario = Scenario { $0.commitPeriod = .seconds(3000) }
    scenario.run(seconds: 1)
    let phone = DeviceAddress(high: 0x5000, low: 1, kind: .random)
    scenario.hear(phone, Peer.iPhoneAdvert)
    let before = readable(scenario)
    scenario.run(seconds: 20)
    #expect(readable(scenario) == before)
    scenario.node.core.take(values([(.commitSeconds, 5), (.keepDays, 3)]), at: scenario.now)
    #expect(scenario.node.core.retentionDays == 3 && scenario.node.core.inEffect(.keepDays) == 3)
    #expect(scenario.node.core.inEffect(.commitSeconds) == 5)
    scenario.run(seconds: 6)
    #expect(readable(scenario) > before)
    scenario.node.core.take(SettingValues(), at: scenario.now)
    #expect(scenario.node.core.retentionDays == 14 && scenario.node.core.inEffect(.commitSeconds) == 3000)
  }
}
