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

  /// The times in ms between windows of 263 ms, in steps of 100 ms, in the next seconds.
  private func rounds(_ scenario: Scenario, seconds: Int) -> [Int] {
    var starts: [Int] = []
    var wasScanning = true
    for step in 0..<(seconds * 10) {
      scenario.run(milliseconds: 100)
      let isScanning = shown(scenario).scan?.window == .milliseconds(263)
      if isScanning, !wasScanning { starts.append(step * 100) }
      wasScanning = isScanning
    }
    return zip(starts.dropFirst(), starts).map(-)
  }

  @Test(
    "A latency that is set is that of the rounds: a window in 87 to 90 % of it; without rounds it is none")
  func latency() {
    let scenario = Scenario()
    scenario.node.core.take(values([(.radioSetting, 3), (.latency, 100)]), at: scenario.now)
    scenario.run(seconds: 170)
    #expect(scenario.node.core.inEffect(.latency) == 100)
    let found = rounds(scenario, seconds: 300)
    #expect(found.count >= 2 && found.allSatisfy { (86_700...90_200).contains($0) }, "\(found)")
    #expect(shown(scenario).advertising == .milliseconds(250))
    for (setting, number) in [(.radioSetting, 4), (.radioSetting, 0), (.scanWindow, 33)]
      as [(Setting, UInt32)]
    {
      scenario.node.core.take(
        values([(.radioSetting, 3), (.latency, 100), (setting, number)]), at: scenario.now)
      #expect(scenario.node.core.inEffect(.latency) == 0)
    }
    scenario.node.core.take(values([(.radioSetting, 3)]), at: scenario.now)
    #expect(scenario.node.core.inEffect(.latency) == 30)
    #expect(scenario.violations.isEmpty)
  }

  @Test("Scanning is in rounds if peers are kept for two of them, and otherwise not")
  func expiry() {
    for (expiry, latency) in [(59, 0), (60, 30)] as [(UInt32, UInt32)] {
      let scenario = Scenario { $0.expiry = .seconds(expiry) }
      scenario.node.core.take(values([(.radioSetting, 3)]), at: scenario.now)
      scenario.run(seconds: 170)
      #expect(scenario.node.core.inEffect(.latency) == latency)
      #expect(rounds(scenario, seconds: 300).isEmpty == (latency == 0))
      scenario.node.core.take(values([(.radioSetting, 3), (.latency, 20)]), at: scenario.now)
      #expect(scenario.node.core.inEffect(.latency) == 20)
    }
  }

  @Test("With days that are set, the latency follows from the time for which the radio has received")
  func lifetime() {
    let scenario = Scenario()
    let days = values([(.radioSetting, 3), (.lifetimeDays, 90)])
    scenario.node.radio.received = 0
    scenario.node.core.take(days, at: scenario.now)
    #expect(scenario.node.core.inEffect(.lifetimeDays) == 90)
    #expect(scenario.node.core.inEffect(.cellCapacity) == 220)
    scenario.run(seconds: 59)
    // There are no rounds yet.
    #expect(scenario.node.core.inEffect(.latency) == 30)
    scenario.run(seconds: 10)
    #expect(scenario.node.core.inEffect(.latency) == 34)
    // Twice as much as is allowed.
    scenario.node.radio.received = 31_629
    scenario.run(seconds: 1850)
    #expect((50...51).contains(scenario.node.core.inEffect(.latency)))
    scenario.node.core.take(
      values([(.radioSetting, 3), (.lifetimeDays, 90), (.cellCapacity, 500)]), at: scenario.now)
    scenario.run(seconds: 60)
    #expect(scenario.node.core.inEffect(.latency) == 20)
    scenario.node.core.take(values([(.radioSetting, 3), (.latency, 50)]), at: scenario.now)
    #expect(scenario.node.core.inEffect(.latency) == 50 && scenario.node.core.inEffect(.lifetimeDays) == 0)
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
