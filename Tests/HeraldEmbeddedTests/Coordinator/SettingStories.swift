import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import Testing

@Suite("Coordinator: what a host sets, from the moment it does")
struct SettingStories {
  private func values(_ numbers: [(Setting, UInt32)]) -> SettingValues {
    var values = SettingValues()
    for (setting, number) in numbers { values.set(setting, to: number) }
    return values
  }

  /// The last parameters the radio was to scan with, and how often it was to advertise.
  private func shown(_ story: Story) -> (scan: ScanParameters?, advertising: Interval?) {
    var advertising: Interval?
    for record in story.node.radio.commands {
      if case .startAdvertising(let parameters, _, _) = record.command { advertising = parameters.interval }
    }
    return (story.node.radio.scanning, advertising)
  }

  @Test("timings that are set change what the radio does at once, and go back when they are set no more")
  func timings() {
    let story = Story()
    story.run(seconds: 2)
    #expect(
      shown(story).scan?.interval == .milliseconds(1125) && shown(story).scan?.window == .milliseconds(120))
    #expect(shown(story).advertising == .milliseconds(250))
    story.node.core.take(
      values([(.scanInterval, 500), (.scanWindow, 100), (.advertisingInterval, 700)]), at: story.now)
    story.run(seconds: 1)
    #expect(
      shown(story).scan?.interval == .milliseconds(500) && shown(story).scan?.window == .milliseconds(100))
    #expect(shown(story).advertising == .milliseconds(700))
    // A window longer than its interval is all of it.
    story.node.core.take(values([(.scanInterval, 50)]), at: story.now)
    story.run(seconds: 1)
    #expect(
      shown(story).scan?.interval == .milliseconds(50) && shown(story).scan?.window == .milliseconds(50))
    story.node.core.take(SettingValues(), at: story.now)
    story.run(seconds: 1)
    #expect(
      shown(story).scan?.interval == .milliseconds(1125) && shown(story).scan?.window == .milliseconds(120))
    #expect(shown(story).advertising == .milliseconds(250))
    #expect(story.violations.isEmpty)
  }

  @Test(
    "the settings of the radio are those of HeraldConfiguration, and a timing that is set by name counts more"
  )
  func radio() {
    for (setting, configuration) in [
      (RadioSetting.saver, HeraldConfiguration.saver), (.standard, HeraldConfiguration()),
      (.dense, HeraldConfiguration.dense),
    ] {
      let story = Story()
      story.node.core.take(values([(.radioSetting, UInt32(setting.rawValue))]), at: story.now)
      story.run(seconds: 1)
      #expect(shown(story).scan?.interval == configuration.scanTiming.interval)
      #expect(shown(story).scan?.window == configuration.scanTiming.window)
      #expect(shown(story).advertising == configuration.advertisingInterval)
      #expect(story.node.core.inEffect(.scanWindow) == UInt32(configuration.scanTiming.window.milliseconds))
      #expect(story.node.core.inEffect(.radioSetting) == UInt32(setting.rawValue))
      story.node.core.take(
        values([(.radioSetting, UInt32(setting.rawValue)), (.scanWindow, 33)]), at: story.now)
      story.run(seconds: 1)
      #expect(shown(story).scan?.interval == configuration.scanTiming.interval)
      #expect(shown(story).scan?.window == .milliseconds(33))
    }
  }

  /// Bytes of the first page that are in flash.
  private func readable(_ story: Story) -> Int { story.node.core.log.readableBytes(sequence: 1) ?? 0 }

  @Test("the log is brought to flash as often as was set, from now on, and kept for as many days")
  func log() {
    let story = Story { $0.commitPeriod = .seconds(3000) }
    story.run(seconds: 1)
    let phone = DeviceAddress(high: 0x5000, low: 1, kind: .random)
    story.hear(phone, Peer.iPhoneAdvert)
    let before = readable(story)
    story.run(seconds: 20)
    #expect(readable(story) == before)
    story.node.core.take(values([(.commitSeconds, 5), (.keepDays, 3)]), at: story.now)
    #expect(story.node.core.retentionDays == 3 && story.node.core.inEffect(.keepDays) == 3)
    #expect(story.node.core.inEffect(.commitSeconds) == 5)
    story.run(seconds: 6)
    #expect(readable(story) > before)
    story.node.core.take(SettingValues(), at: story.now)
    #expect(story.node.core.retentionDays == 14 && story.node.core.inEffect(.commitSeconds) == 3000)
  }
}
