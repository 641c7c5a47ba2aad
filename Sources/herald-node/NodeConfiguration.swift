import ArgumentParser
import HeraldEmbedded
import HeraldLinux

extension HeraldNodeCommand {
  /// The configuration of the core. Throws for combinations of options that contradict each other.
  func configuration() throws(ValidationError) -> HeraldConfiguration {
    var configuration = HeraldConfiguration()
    try takeRole(&configuration)
    try takeScanTiming(&configuration.scanTiming)
    configuration.scanTiming.active = air.activeScan
    configuration.advertisingInterval = .milliseconds(air.advertisingInterval)
    configuration.addressPeriod = .seconds(air.addressPeriod)
    configuration.retentionDays = keepDays
    configuration.expiry = .seconds(peers.expiry)
    configuration.staysOpen = stayOpen
    configuration.managesOverBluetooth = bluetoothManagement
    configuration.takesTimeFromBeacons = clock == .beacon
    configuration.sharesPayloads = peers.sharing
    configuration.readsModel = peers.readModel
    configuration.keepsConnections = peers.keepConnections
    configuration.connectionPolicy = peers.connectionPolicy.policy
    try takeServices(&configuration)
    return configuration
  }

  private func takeScanTiming(_ timing: inout ScanTiming) throws(ValidationError) {
    let interval = air.scanInterval ?? timing.interval.milliseconds
    let window = air.scanWindow ?? timing.window.milliseconds
    guard window <= interval else {
      throw ValidationError(
        "The scan window of \(window) ms is longer than the scan interval of \(interval) ms.")
    }
    timing.interval = .milliseconds(interval)
    timing.window = .milliseconds(window)
    timing.busyWindow = .milliseconds(interval)
    // As with the settings of these names: one that is given ends scanning in rounds.
    if air.scanInterval != nil || air.scanWindow != nil { timing.latency = .zero }
  }

  private func takeRole(_ configuration: inout HeraldConfiguration) throws(ValidationError) {
    configuration.advertises = air.advertise
    switch role {
    case .wearable: configuration.scans = air.scan ?? true
    case .beacon:
      switch payload {
      case .venue, .stored: break
      default:
        throw ValidationError(
          "--role beacon needs --payload venue:COUNTRY,STATE,CODE[,NAME], or stored."
        )
      }
      guard air.scan != true else {
        throw ValidationError("A beacon does not scan: --scan is for wearables.")
      }
      guard air.advertise else {
        throw ValidationError("A beacon is there to be found: --no-advertise is for wearables.")
      }
      configuration.scans = false
    }
    guard configuration.scans || configuration.advertises else {
      throw ValidationError("A device that neither advertises nor scans detects no peers.")
    }
  }

  private func takeServices(_ configuration: inout HeraldConfiguration) throws(ValidationError) {
    configuration.introspection = Introspection(
      ignored: air.service.omitted, customService: air.customService?.uuid)
    var omitted = air.service.omitted
    // Only the default table has the short service.
    if air.gatt != .usual { omitted = omitted.union(.short) }
    if air.customService != nil { omitted = omitted.union(.long) }
    var advertisement = HeraldAdvertisement(
      omitted: omitted, customService: air.customService?.uuid, txPower: air.txPower)
    guard air.customService != nil || !omitted.contains(.long.union(.short)) else {
      throw ValidationError(
        "--gatt \(air.gatt.rawValue) has the long service only: --service short leaves none.")
    }
    configuration.advertisement = advertisement
    // The core omits the short service if the advertising data has no room for it.
    if configuration.addressPeriod < OwnIdentity.stableLifetime {
      advertisement.pseudoAddress = PseudoDeviceAddress(high: 0, low: 0)
      advertisement.omitted = omitted.union(.short)
    }
    guard advertisement.length <= HeraldAdvertisement.maximumLength else {
      throw ValidationError(
        "An advertisement has no room for a 128-bit service, a transmit power, and the pseudo device address that an "
          + "--address-period below 60 seconds needs.")
    }
  }
}
