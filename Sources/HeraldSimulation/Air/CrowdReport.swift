import HeraldEnergy

/// The results of a crowd, as printed by `herald-host simulate`.
public struct CrowdReport: Encodable, Equatable, Sendable {
  /// The number of devices.
  public let devices: Int
  /// The simulated time in hours.
  public let hours: Double
  /// The percentage of first encounters of at least 30 s in which the payload was read.
  public let detectionPercent: Double
  /// The percentage of these encounters in which the payload was read within 30 s of entering range.
  public let detectionWithin30sPercent: Double
  /// The number of these encounters: ordered pairs of devices.
  public let encounters: UInt64
  /// The percentage of 30 s windows of pairs in range with at least one reading.
  public let continuityPercent: Double
  /// The mean number of readings in a window of a pair in range.
  public let readingsPerWindow: Double
  /// The number of payloads read.
  public let reads: UInt64
  /// The number of reads of payloads that the device already had.
  public let rereads: UInt64
  /// The maximum time in seconds from entering range until the payload was read.
  public let longestSecondsUntilRead: Double
  /// The 99th percentile of that time, in seconds.
  public let secondsUntilRead99: Double
  /// The number of advertisements delivered by the radios to their devices.
  public let advertisementsDelivered: UInt64
  /// The number of readings logged, including those that were overwritten since.
  public let readingsLogged: UInt64
  /// The number of delivered advertisements without a reading in the log.
  public let readingsLost: Int64
  /// The number of packets sent on advertising channels.
  public let advertisementsSent: UInt64
  /// The number of receptions prevented by a collision.
  public let collisions: UInt64
  /// The number of connections opened.
  public let connections: UInt64
  /// The number of connection requests that the peer did not receive.
  public let connectionRequestsLost: UInt64
  /// The number of connection attempts.
  public let attempts: UInt64
  /// The number of connection attempts that timed out.
  public let attemptsTimedOut: UInt64
  /// The number of exchanges that failed: the peer disconnected, did not respond, or refused.
  public let exchangesFailed: UInt64
  /// The mean charge per device and hour in mAh, by `EnergyModel`.
  public let chargePerHour: Double
  /// The same with the currents of the nRF52840.
  public let chargePerHourNRF52840: Double
  /// The same with the currents of the nRF51822.
  public let chargePerHourNRF51822: Double
  /// The percentage of the nRF52833's charge used by scanning.
  public let chargeScanningPercent: Double
  /// The memory in bytes for one simulated device.
  public let bytesPerDevice: Int
  /// The results for phones, if there were any.
  public let phones: PhoneReport?
}

/// The results of the devices for the phones in a crowd; each value is defined as that of the same name in
/// `CrowdReport`.
public struct PhoneReport: Encodable, Equatable, Sendable {
  /// The number of phones.
  public let phones: Int
  /// See `CrowdReport`.
  public let detectionPercent: Double
  /// See `CrowdReport`.
  public let detectionWithin30sPercent: Double
  /// See `CrowdReport`.
  public let encounters: UInt64
  /// See `CrowdReport`.
  public let continuityPercent: Double
  /// See `CrowdReport`.
  public let readingsPerWindow: Double
  /// See `CrowdReport`.
  public let rereads: UInt64
  /// See `CrowdReport`.
  public let secondsUntilRead99: Double
}

extension Crowd {
  /// The results so far. Open encounters are counted as if they ended now, so it should be called at the end.
  public func report() -> CrowdReport {
    record.finish()
    var delivered: UInt64 = 0
    var logged: UInt64 = 0
    var charge = 0.0
    var scanning = 0.0
    var charge840 = 0.0
    var charge51 = 0.0
    let energy = EnergyModel()
    for device in 0..<deviceCount {
      delivered += air.delivered(to: device)
      logged += withNode(device) { UInt64($0.core.log.statistic(1)) }
      let use = use(of: device)
      charge += energy.charge(use, over: air.now)
      charge840 += EnergyModel.nRF52840.charge(use, over: air.now)
      charge51 += EnergyModel.nRF51822.charge(use, over: air.now)
      scanning += energy.receiving * Double(use.radio.listening) / Double(max(1, air.now))
    }
    let devices = record.amongDevices
    return CrowdReport(
      devices: deviceCount, hours: Double(seconds) / 3600,
      detectionPercent: Self.percent(devices.readAtAll, devices.encounters),
      detectionWithin30sPercent: Self.percent(devices.readInTime, devices.encounters),
      encounters: devices.encounters,
      continuityPercent: Self.percent(devices.windowsWithReading, devices.windows),
      readingsPerWindow: Double(devices.readings) / Double(max(1, devices.windows)),
      reads: record.reads, rereads: devices.rereads,
      longestSecondsUntilRead: Double(devices.longestDelay) / 1000,
      secondsUntilRead99: devices.delay(share: 0.99),
      advertisementsDelivered: delivered, readingsLogged: logged,
      readingsLost: Int64(delivered) - Int64(logged),
      advertisementsSent: air.advertisements, collisions: air.collisions,
      connections: air.connectionsMade, connectionRequestsLost: air.requestsLost,
      attempts: total(.attempts), attemptsTimedOut: total(.attemptTimeouts) + total(.attemptsCut),
      exchangesFailed: total(.exchangesDropped) + total(.exchangesTimedOut) + total(.exchangesRefused)
        + total(.exchangesMalformed) + total(.exchangesWithoutBuffer),
      chargePerHour: charge / Double(deviceCount),
      chargePerHourNRF52840: charge840 / Double(deviceCount),
      chargePerHourNRF51822: charge51 / Double(deviceCount),
      chargeScanningPercent: 100 * scanning / max(charge, 1e-9),
      bytesPerDevice: bytesPerNode, phones: phoneReport)
  }

  /// What a device did so far, from its radio, its log and its flash.
  package func use(of device: Int) -> DeviceUse {
    var use = DeviceUse(air.use(of: device))
    use.advertisements = air.delivered(to: device)
    let image = images[device]
    let erasures = image.erasures.reduce(0, +)
    use.erasures = UInt64(erasures)
    // A step is a word or an erasure. The words of the simulated flash have eight bytes, those of chips four.
    use.words = UInt64((image.steps - erasures) * image.wordSize / 4)
    return use
  }

  /// The times of the radios of all devices so far.
  public var radioTimes: RadioTimes {
    var sum = RadioTimes()
    for device in 0..<deviceCount { sum.add(RadioTimes(air.use(of: device))) }
    return sum
  }

  /// The mean current of the devices in mA by its use, with the currents of a chip.
  package func energy(_ model: EnergyModel) -> EnergyParts {
    var parts = EnergyParts()
    for device in 0..<deviceCount { parts.add(model.parts(use(of: device), over: air.now)) }
    return parts.divided(by: deviceCount)
  }

  private var phoneReport: PhoneReport? {
    guard configuration.phones > 0 else { return nil }
    let seen = record.withPhones
    return PhoneReport(
      phones: configuration.phones, detectionPercent: Self.percent(seen.readAtAll, seen.encounters),
      detectionWithin30sPercent: Self.percent(seen.readInTime, seen.encounters), encounters: seen.encounters,
      continuityPercent: Self.percent(seen.windowsWithReading, seen.windows),
      readingsPerWindow: Double(seen.readings) / Double(max(1, seen.windows)), rereads: seen.rereads,
      secondsUntilRead99: seen.delay(share: 0.99))
  }

  private static func percent(_ part: UInt64, _ whole: UInt64) -> Double {
    whole == 0 ? 100 : 100 * Double(part) / Double(whole)
  }
}
