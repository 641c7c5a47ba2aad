import HeraldConsole
import HeraldHostLink
import HeraldText

/// A pull of one device's log into its folder.
struct DevicePull {
  private let pageStore: PageStore
  private let device: DeviceClient
  private let open: OpenDevice
  private let serial: String
  private let trims: Bool
  private let rebinds: Bool
  private let clockGuard: ClockGuard

  /// If `trims`, pages that are stored in files are acknowledged to the device, which erases them. If
  /// `rebinds`, the folder may be bound to another device identifier. `clockGuard` decides whether records of
  /// a device without a date get this computer's.
  init(
    _ pageStore: PageStore, _ device: DeviceClient, _ open: OpenDevice, _ serial: String, trims: Bool,
    rebinds: Bool, clockGuard: ClockGuard
  ) {
    self.pageStore = pageStore
    self.device = device
    self.open = open
    self.serial = serial
    self.trims = trims
    self.rebinds = rebinds
    self.clockGuard = clockGuard
  }

  /// Downloads new pages. Throws if the pull could not be started; later errors are in the report. Also
  /// returns the error of the device's clock, if known.
  func run(_ progress: @escaping (PullProgress) -> Void) throws(HostLinkError) -> (
    report: PullReport, clock: HostLinkError?
  ) {
    let status = try device.logStatus()
    try bind(id: status.identifier?.hexadecimal)
    var clock = status.unixMilliseconds.flatMap { PlausibleDate.complaint(about: $0) }
    var isBelieved = true
    let newest = pageStore.device.clocks.map(\.unixMilliseconds).max()
    if status.unixMilliseconds == nil,
      case .refused(let error) = clockGuard.verdict(device: nil, records: .init(ofDevice: newest))
    {
      isBelieved = false
      clock = HostLinkError(
        .partial,
        "the device has no date, and the records since its start get none from this computer: \(error.what)",
        advice: error.advice)
    }
    var download = LogDownload(
      device: device, pageStore: pageStore, trims: trims, now: { isBelieved ? PlausibleDate.now : nil },
      progress: progress)
    return (try download.run(), clock)
  }

  /// Binds the folder to a device identifier. A folder contains the log of one device: another device is
  /// refused before any file is written.
  private func bind(id: String?) throws(HostLinkError) {
    if let complaint = pageStore.device.complaint(
      serial: serial, id: id, folder: pageStore.path, rebinds: rebinds, isInSession: device.client.isSealed)
    {
      throw complaint
    }
    let information = try device.information()
    let power = try device.power(board: information.board, date: PlausibleDate.now)
    let sealing = try DeviceRecord.Sealing.told(by: device, date: PlausibleDate.now)
    try pageStore.updateDevice { record in
      if !serial.isEmpty { record.serial = serial }
      if let id { record.id = id }
      record.power = power
      if let sealing { record.sealing = sealing }
      let name = open.identity.product.isEmpty ? information.board : open.identity.product
      if !name.isEmpty { record.name = name }
      if !information.firmware.isEmpty { record.system = information.firmware }
      if !information.release.isEmpty { record.version = information.release }
    }
  }

  /// Creates the tables derived from the pages: those of the phones, and others.
  static func convert(
    _ folder: PageStore, _ report: PullReport? = nil, clock: HostLinkError? = nil, isForced: Bool = false
  ) throws(HostLinkError) -> PullResult {
    PullResult(
      folder: folder.path, conversion: try LogConversion(folder, isForced: isForced), report: report,
      clock: clock)
  }

  /// The progress as text.
  static func words(_ progress: PullProgress) -> String {
    "\(progress.pages) of \(Console.count(progress.ofPages, "page")), \(Console.size(progress.bytes))"
  }
}
