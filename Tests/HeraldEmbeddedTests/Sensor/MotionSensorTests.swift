import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import Testing

/// A motion sensor that a test moves, with a latch.
final class Shaker {
  /// Whether it responds.
  var isThere = true
  /// Whether it has its configuration; a loss of the supply removes it.
  var isConfigured = false
  var wasMoved = false
  private(set) var starts = 0
  private(set) var reads = 0
  private(set) var stops = 0

  struct Source: MotionSource {
    let shaker: Shaker

    mutating func start() -> Bool {
      shaker.starts += 1
      shaker.isConfigured = shaker.isThere
      return shaker.isThere
    }
    mutating func wasMoved() -> Bool? {
      shaker.reads += 1
      guard shaker.isThere, shaker.isConfigured else { return nil }
      defer { shaker.wasMoved = false }
      return shaker.wasMoved
    }
    mutating func stop() {
      shaker.stops += 1
      shaker.isConfigured = false
    }
  }

  var source: Source { Source(shaker: self) }
}

@Suite("Motion sensor")
struct MotionSensorTests {
  private typealias Device = SensorScenario<SensorDelegates<LiveTap, MotionSensor<Shaker.Source>>>

  private func device(_ shaker: Shaker) -> Device {
    SensorScenario(SensorDelegates(LiveTap(), MotionSensor(shaker.source)))
  }

  /// The records of motion: milliseconds and state.
  private func motion(_ device: Device) -> [String] {
    device.records().compactMap { record in
      guard case .motion(let state) = record.event else { return nil }
      return "\(record.milliseconds) \(state)"
    }
  }

  private func scan(_ device: Device) -> [UInt32] {
    guard let scanning = device.node.radio.scanning else { return [] }
    return [scanning.window.milliseconds, scanning.interval.milliseconds]
  }

  @Test("After five minutes without motion the device lies, scans as the saver and advertises on")
  func lies() {
    let shaker = Shaker()
    let device = device(shaker)
    device.run(to: 60_000)
    shaker.wasMoved = true
    device.run(to: 300_000)
    #expect(scan(device) == [120, 1125])
    // Moved between 60 s and the next question.
    device.run(to: 369_990)
    #expect(motion(device) == ["0 worn"] && scan(device) == [120, 1125])
    device.run(to: 370_000)
    #expect(motion(device) == ["0 worn", "370000 lying"])
    #expect(scan(device) == [60, 1065])
    #expect(device.node.radio.advertising?.interval == .milliseconds(250))
    #expect(shaker.reads <= 38)
  }

  @Test("Picked up it is worn within half a second, with the scan timing that it had")
  func pickedUp() {
    let shaker = Shaker()
    let device = device(shaker)
    device.run(to: 3_600_250)
    #expect(motion(device) == ["0 worn", "300000 lying"] && scan(device) == [60, 1065])
    shaker.wasMoved = true
    device.run(to: 3_600_750)
    #expect(motion(device) == ["0 worn", "300000 lying", "3600500 worn"])
    #expect(scan(device) == [120, 1125])
    // And lies again five minutes later.
    device.run(to: 3_900_500)
    #expect(motion(device).last == "3900500 lying")
  }

  @Test("A device that is moved for ever is worn; a shorter rest is not lying")
  func moved() {
    let shaker = Shaker()
    let device = device(shaker)
    for time in stride(from: UInt64(290_000), to: 7_200_000, by: 290_000) {
      device.run(to: time)
      shaker.wasMoved = true
    }
    #expect(motion(device) == ["0 worn"])
  }

  @Test("A timing that scans less than the saver stays as it is")
  func sparser() {
    let shaker = Shaker()
    let device = device(shaker)
    var values = SettingValues()
    values.set(.scanInterval, to: 5000)
    values.set(.scanWindow, to: 100)
    device.node.core.take(values, at: .start)
    device.run(to: 301_000)
    #expect(motion(device).last == "300000 lying" && scan(device) == [100, 5000])
  }

  @Test("Without a response at the start there is no sensor: three attempts, nothing in the log")
  func absent() {
    let shaker = Shaker()
    shaker.isThere = false
    let device = device(shaker)
    device.run(to: 3_600_000)
    #expect(shaker.starts == 3 && shaker.stops == 1 && shaker.reads == 0)
    #expect(motion(device).isEmpty && scan(device) == [120, 1125])
    #expect(device.node.core.inEffect(.motionDetection) == 0)
  }

  @Test("A sensor that takes half a second to respond is found")
  func late() {
    let shaker = Shaker()
    shaker.isThere = false
    let device = device(shaker)
    device.run(to: 499)
    shaker.isThere = true
    device.run(to: 1000)
    #expect(motion(device) == ["500 worn"])
    #expect(device.node.core.inEffect(.motionDetection) == 1)
  }

  @Test(
    "A sensor that ceases to respond is unknown after three failures, and is configured again once a minute")
  func ceases() {
    let shaker = Shaker()
    let device = device(shaker)
    device.run(to: 400_100)
    shaker.isThere = false
    device.run(to: 401_600)
    #expect(motion(device) == ["0 worn", "300000 lying", "401500 unknown"])
    #expect(scan(device) == [120, 1125])
    let before = shaker.starts
    device.run(to: 1_001_600)
    #expect(shaker.starts - before <= 11)
    shaker.isThere = true
    device.run(to: 1_062_000)
    #expect(motion(device).count == 4 && motion(device).last?.hasSuffix(" worn") == true)
  }

  @Test("One failure changes nothing; a loss of the configuration is repaired")
  func failures() {
    let shaker = Shaker()
    let device = device(shaker)
    device.run(to: 305_100)
    shaker.isThere = false
    device.run(to: 305_600)
    shaker.isThere = true
    device.run(to: 310_100)
    #expect(motion(device) == ["0 worn", "300000 lying"])
    shaker.isConfigured = false
    device.run(to: 320_000)
    #expect(
      motion(device) == ["0 worn", "300000 lying", "311500 unknown", "312000 worn"]
        && shaker.isConfigured)
  }

  @Test("Switched off it is not asked, and the device is neither worn nor lying; switched on it is")
  func setting() {
    let shaker = Shaker()
    let device = device(shaker)
    device.run(to: 301_000)
    var values = SettingValues()
    values.set(.motionDetection, to: 0)
    device.node.core.take(values, at: device.now)
    device.poll()
    #expect(scan(device) == [120, 1125] && shaker.stops == 1)
    let reads = shaker.reads
    device.run(to: 900_000)
    #expect(shaker.reads == reads && device.node.core.inEffect(.motionDetection) == 0)
    values.set(.motionDetection, to: nil)
    device.node.core.take(values, at: device.now)
    device.run(to: 1_300_000)
    #expect(
      motion(device) == ["0 worn", "300000 lying", "301000 unknown", "900000 worn", "1200000 lying"])
    // A change of another setting is none of this one.
    values.set(.keepDays, to: 3)
    device.node.core.take(values, at: device.now)
    device.run(to: 1_310_000)
    #expect(motion(device).count == 5)
  }

  @Test("A device without a motion sensor has no code for it, and says that it is off")
  func none() {
    #expect(!NoDelegate.hasMotion && !SensorDelegates<LiveTap, NoDelegate>.hasMotion)
    #expect(SensorDelegates<LiveTap, MotionSensor<Shaker.Source>>.hasMotion)
    let device = SensorScenario(NoDelegate())
    #expect(device.node.core.inEffect(.motionDetection) == 0)
  }
}
