import Foundation
import HeraldConsole
import HeraldDeviceLink
import HeraldHostLink

/// The collection of one device: pull, check, archive, clock, and trim if wanted. Run by a thread of its own.
///
/// A clock that was set is set again only after what it has dated is in the archive; one that was not is set
/// first, as the records since the start of the device get their dates from that.
struct DockCollection {
  /// The folder of the folders of all devices.
  let output: String
  let trims: Bool
  let archivist: DockArchivist
  let clockGuard: ClockGuard
  let stop: DockStop
  /// Claims a serial number for this device; throws if another connected device has it.
  let claim: (String) throws(HostLinkError) -> Void
  /// Receives each step, and its progress in pages.
  let report: (DockPhase, PullProgress?) -> Void

  /// The attempts to have a signal shown that the device refuses for a moment.
  private static let signalAttempts = 3

  /// Collects the device. `found` receives its serial number and its folder as soon as they are known.
  func run(
    _ device: DeviceClient, _ open: OpenDevice, found: (_ serial: String, _ folder: String?) -> Void
  ) throws -> DockResult {
    var result = DockResult()
    do {
      report(.identify, nil)
      let serial = try open.identity.serial.isEmpty ? device.serialNumber() : open.identity.serial
      found(serial, nil)
      if !serial.isEmpty { try claim(serial) }
      show(.collecting, on: device)
      try device.checkLogAccess()
      let status = try device.logStatus()
      // A device without a serial number has a folder by its identifier, wherever it is connected.
      let own = serial.isEmpty ? status.identifier.map { "id-\($0.hexadecimal)" } : nil
      let folder = "\(output)/\(own ?? DeviceFolder.name(serial: serial, location: open.transport.location))"
      result.folder = folder
      let hasDate = status.unixMilliseconds != nil
      if !hasDate { try setClock(of: device, serial, &result) }
      let pulled: (epoch: UInt32, shortcoming: HostLinkError?)
      pulled = try pull(device, open, serial, &result) { found(serial, folder) }
      if let shortcoming = pulled.shortcoming {
        // What came is in the archive, whatever becomes of the rest.
        archivist.addSoon(folder)
        try stop.check()
        throw shortcoming
      }
      report(.archive, nil)
      let kept = try archivist.add(folder, wantsKept: trims)
      if hasDate { try setClock(of: device, serial, &result) }
      result.person = archivist.people.person(ofSerial: serial, at: PlausibleDate.now)
      result.battery = BatteryRow(try device.battery(), capacity: nil)
      if trims {
        try stop.check()
        report(.trim, nil)
        show(.collecting, on: device)
        try archivist.holding(folder) { () throws(HostLinkError) in
          try trim(device, folder, pulled.epoch, kept, &result)
        }
      }
      result.room = LogRoom(try device.logStatus(), capacity: try device.logRoom().capacity)
      show(.done, on: device)
      return result
    } catch {
      if !isLinkFailure(error) { show(.failed, on: device) }
      throw error
    }
  }

  /// Sets the clock, unless it is right or this computer's date is doubtful. The log is collected anyway.
  private func setClock(of device: DeviceClient, _ serial: String, _ result: inout DockResult)
    throws(HostLinkError)
  {
    report(.clock, nil)
    do throws(HostLinkError) {
      let outcome = try clockGuard.setClock(of: device, records: archivist.newestRecords(of: serial))
      result.clock = outcome.isSet ? .set : .right
      if let remark = outcome.remark { result.remarks.append(remark) }
    } catch {
      guard error.cause == .refused || error.cause == .notConfirmed else { throw error }
      result.clock = .refused
      result.remarks.append(error.advice.map { "\(error.what) → \($0)" } ?? error.what)
    }
  }

  /// Pulls, and checks on the disk what came. The folder is open only meanwhile: the archive opens it next.
  /// Returns the epoch of the log, and the reason if not all of it came.
  private func pull(
    _ device: DeviceClient, _ open: OpenDevice, _ serial: String, _ result: inout DockResult,
    began: () -> Void
  ) throws(HostLinkError) -> (epoch: UInt32, shortcoming: HostLinkError?) {
    report(.pull, nil)
    return try archivist.holding(result.folder) { () throws(HostLinkError) in
      try pullHeld(device, open, serial, &result, began: began)
    }
  }

  private func pullHeld(
    _ device: DeviceClient, _ open: OpenDevice, _ serial: String, _ result: inout DockResult,
    began: () -> Void
  ) throws(HostLinkError) -> (epoch: UInt32, shortcoming: HostLinkError?) {
    let pageStore = try PageStore(path: result.folder, create: true)
    let known = Set(try pageStore.pages())
    let pull = DevicePull(
      pageStore, device, open, serial, trims: false, rebinds: false, clockGuard: clockGuard)
    let (report, clock) = try pull.run { [self] progress in self.report(.pull, progress) }
    // Bound to this device: what is in the folder is its log.
    began()
    result.newPages = report.newPages
    result.knownPages = report.knownPages
    result.lostPages = report.lostPages
    result.bytes = report.bytes
    result.remarks += report.remarks
    if let clock { result.remarks.append(clock.what) }
    if let first = report.replacedPages.first {
      let count = Console.count(report.replacedPages.count, "page")
      result.remarks.append(
        "\(count) here were not as the device has them, and are replaced; kept aside: \(first)")
    }
    self.report(.check, nil)
    let stored = try StoredPages(checking: pageStore, except: known)
    result.checkedPages = stored.checked
    result.remarks += stored.damaged.filter { !result.remarks.contains($0) }
    if let first = stored.wrong.first {
      throw HostLinkError(
        .storage, "\(result.folder)/pages: \(first)",
        advice: "check the disk; move the file away, and plug the device in again")
    }
    guard !report.isComplete else { return (report.epoch, nil) }
    let error = report.stoppedBy
    let what = (report.problems.prefix(3) + [error?.what].compactMap(\.self)).joined(separator: "; ")
    let kept = "\(Console.count(report.newPages, "new page")) in \(result.folder)"
    return (
      report.epoch,
      HostLinkError(
        error?.cause ?? .partial, what.isEmpty ? "not all of the log is here" : what,
        advice: "\(report.advice ?? "see what is wrong with it"); \(kept)")
    )
  }

  private func trim(
    _ device: DeviceClient, _ folder: String, _ epoch: UInt32, _ kept: Set<PageName>,
    _ result: inout DockResult
  ) throws(HostLinkError) {
    let pageStore = try PageStore(path: folder, create: false)
    var trimming = LogTrimming(device, pageStore)
    defer {
      result.trimmedPages = trimming.outcome.trimmedPages
      result.trimmedThrough = trimming.outcome.trimmedThrough
    }
    try trimming.run(epoch: epoch, kept: kept)
    guard let page = trimming.outcome.differingPage else { return }
    let name = PageName(epoch: epoch, sequence: page, isOpen: false).fileName
    throw HostLinkError(
      .partial, "page \(page) of the device is not the one in \(folder)/pages/\(name): it was not erased",
      advice: "that file came from elsewhere or was changed: move it away and plug the device in again")
  }

  /// Has the device show a signal. A light is no reason to fail.
  private func show(_ signal: CollectionSignal, on device: DeviceClient) {
    for _ in 0..<Self.signalAttempts where !stop.isRequested {
      guard (try? device.show(signal)) == .busy else { return }
      // Refused because the light has just changed: until that is over.
      guard signal != .collecting else { return }
      Thread.sleep(forTimeInterval: 0.3)
    }
  }

  private func isLinkFailure(_ error: any Error) -> Bool {
    guard let error = error as? HostLinkError else { return false }
    return error.cause == .link || error.cause == .noAnswer
  }
}
