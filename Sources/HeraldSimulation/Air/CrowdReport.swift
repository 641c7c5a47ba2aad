/// The results of a crowd, as printed by `herald-host simulate`.
public struct CrowdReport: Encodable, Equatable, Sendable {
  /// How many devices there were.
  public let devices: Int
  /// Simulated hours.
  public let hours: Double
  /// Share, in percent, of first encounters of 30 s and more in which the payload was read at all.
  public let detectionPercent: Double
  /// The same for payloads read within 30 s of entering range.
  public let detectionWithin30sPercent: Double
  /// How many such encounters there were: ordered pairs of devices.
  public let encounters: UInt64
  /// Share, in percent, of 30 s windows of pairs in range that have a reading at least.
  public let continuityPercent: Double
  /// Readings in a window of a pair in range, on average.
  public let readingsPerWindow: Double
  /// Payloads read.
  public let reads: UInt64
  /// Of these, of payloads that the device knew already.
  public let rereads: UInt64
  /// Seconds from entering range until the payload was read: the longest, and that of the 99th percent.
  public let longestSecondsUntilRead: Double
  /// See `longestSecondsUntilRead`.
  public let secondsUntilRead99: Double
  /// Advertisements that radios delivered to their devices.
  public let advertisementsDelivered: UInt64
  /// Readings that are in the logs, or were until the log went round.
  public let readingsLogged: UInt64
  /// Delivered advertisements that did not become a reading in the log.
  public let readingsLost: Int64
  /// Packets sent, and packets that a station in range lost to a collision.
  public let advertisementsSent: UInt64
  /// See `advertisementsSent`.
  public let collisions: UInt64
  /// Connections made.
  public let connections: UInt64
  /// Connection requests the peer did not receive.
  public let connectionRequestsLost: UInt64
  /// Attempts to connect, and those that took too long.
  public let attempts: UInt64
  /// See `attempts`.
  public let attemptsTimedOut: UInt64
  /// Exchanges in which the peer went away, did not answer, or refused.
  public let exchangesFailed: UInt64
  /// Milliampere-hours per hour and device, on average, as `EnergyModel` has it.
  public let chargePerHour: Double
  /// The same with the currents of the nRF52840.
  public let chargePerHourNRF52840: Double
  /// Of that of the nRF52833, in percent, what scanning takes.
  public let chargeScanningPercent: Double
  /// Bytes of memory that one simulated device takes.
  public let bytesPerDevice: Int
  /// What the devices saw of phones, if there were any.
  public let phones: PhoneReport?
}

/// What the devices of a crowd saw of the phones among them; each figure is that of the same name in
/// `CrowdReport`.
public struct PhoneReport: Encodable, Equatable, Sendable {
  /// How many phones there were.
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
    let energy = EnergyModel()
    for device in 0..<deviceCount {
      delivered += air.delivered(to: device)
      logged += withNode(device) { UInt64($0.core.log.statistic(1)) }
      let use = air.use(of: device)
      let heard = air.delivered(to: device)
      charge += energy.charge(use, over: air.now, advertisements: heard)
      charge840 += EnergyModel.nRF52840.charge(use, over: air.now, advertisements: heard)
      scanning += energy.receiving * Double(use.scanning) / Double(max(1, air.now))
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
      chargeScanningPercent: 100 * scanning / max(charge, 1e-9),
      bytesPerDevice: bytesPerNode, phones: phoneReport)
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
