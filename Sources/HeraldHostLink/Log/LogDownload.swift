import Foundation
import HeraldDeviceLink

/// Downloads from a device the pages that a page folder does not have yet.
///
/// Only new data is requested, with several outstanding requests, each for as much as fits in a packet,
/// across page boundaries. A page is complete if all bytes are received, its header and checksums are valid,
/// and it is on the disk. If a pull is interrupted, the received part of a page is stored and the next pull
/// continues after it. The open page is downloaded as far as it is committed, and its rest by the next pull.
///
/// The device is not modified, unless pages are to be acknowledged: then the SHA-256 of each page that is on
/// the disk is sent, and the device erases the pages with an equal digest.
///
/// The device is not trusted: numbers are bounded, contradictions end the page or the pull, and valid data is
/// kept.
public struct LogDownload {
  /// The maximum number of downloads of a page that was received with errors.
  static let attempts = 2
  /// The number of invalid pages after which the pull ends.
  static let mostProblems = 16
  /// The number of pages that were missing, or wrong at the first attempt, after which the pull ends: a
  /// device may report a million pages that it does not have.
  static let mostSetbacks = 1024

  private let device: DeviceClient
  private let pageStore: PageStore
  private let inspect: (([UInt8], UInt32, UInt32) -> PageInspection)?
  private let trims: Bool
  private let now: () -> UInt64?
  private let progress: (PullProgress) -> Void

  private var report = PullReport()
  private var wanted = 0
  private var problemPages = 0
  private var setbacks = 0
  private var remarkedLoss = false
  /// The closed pages that came in this session, or were compared in it.
  private var proved: Set<UInt32> = []
  /// The pages that the device reported as missing.
  private var gone: Set<UInt32> = []

  /// A pull from `device` into `pageStore`. If `trims`, the pages that are on the disk are acknowledged.
  /// `inspect` checks pages in another format than the log's, for tests. `now` is this computer's date in
  /// milliseconds since 1970, for start-ups of the device without another source of the date; `nil` if it
  /// is not believed.
  public init(
    device: DeviceClient, pageStore: PageStore,
    inspect: (([UInt8], UInt32, UInt32) -> PageInspection)? = nil,
    trims: Bool = false,
    now: @escaping () -> UInt64? = { UInt64(max(0, Date().timeIntervalSince1970 * 1000)) },
    progress: @escaping (PullProgress) -> Void = { _ in }
  ) {
    self.device = device
    self.pageStore = pageStore
    self.inspect = inspect
    self.trims = trims
    self.now = now
    self.progress = progress
  }

  /// Performs the pull. Throws if it could not be started; a later error is in the report.
  public mutating func run() throws(HostLinkError) -> PullReport {
    let started = ContinuousClock.now
    let (status, parameters) = try device.committedStatusAndParameters()
    let arrived = now()
    report.epoch = status.epoch
    report.isProved = device.client.isSealed
    let fix = Self.clockFix(status, hostNow: arrived, isProved: report.isProved)
    try pageStore.updateDevice { record in
      record.note(epoch: status.epoch)
      if let fix { record.note(fix) }
    }
    var flight = LogRequestWindow(status, room: parameters?.streamRoom(isSealed: device.client.isSealed))
    do {
      try plan(status, &flight)
      try fetch(status, &flight)
      try trim(status)
    } catch {
      report.stoppedBy = error
      device.client.forgetAll()
      // A page that cannot be stored now is downloaded again by the next pull.
      for page in flight.beginnings() {
        let name = PageName(epoch: status.epoch, sequence: page.sequence, isOpen: page.isOpen)
        try? pageStore.storeBeginning(page.bytes, of: name)
      }
    }
    do {
      try noteProved(status)
    } catch {
      if report.stoppedBy == nil { report.stoppedBy = error }
    }
    let elapsed = started.duration(to: ContinuousClock.now).components
    report.seconds = Double(elapsed.seconds) + Double(elapsed.attoseconds) * 1e-18
    return report
  }

  /// Notes the pages that came in this session. Those of a pull that is killed are compared by the next one.
  private mutating func noteProved(_ status: DeviceLogStatus) throws(HostLinkError) {
    if report.isProved, !proved.isEmpty {
      try pageStore.updateDevice { $0.note(proved: proved, epoch: status.epoch) }
    }
    let unproved = try pageStore.pages().filter { !$0.isOpen && !pageStore.device.isProved($0) }
    report.unprovedPages = unproved.count
    let others = Set(unproved.map(\.epoch)).subtracting([status.epoch])
    guard report.isProved, !others.isEmpty else { return }
    let count = unproved.count { $0.epoch != status.epoch }
    report.remarks.append(
      "\(count) pages of earlier logs came without a session: nothing shows whether they are this device's")
  }

  private static func clockFix(_ status: DeviceLogStatus, hostNow: UInt64?, isProved: Bool)
    -> DeviceRecord.ClockFix?
  {
    guard let date = status.unixMilliseconds ?? hostNow else { return nil }
    return DeviceRecord.ClockFix(
      epoch: status.epoch, boot: status.boot, uptimeMilliseconds: status.uptimeMilliseconds,
      unixMilliseconds: date,
      source: status.unixMilliseconds == nil ? .host : .device, isProved: isProved ? true : nil)
  }

  /// Determines the pages to download, and the offset in each.
  private mutating func plan(_ status: DeviceLogStatus, _ flight: inout LogRequestWindow)
    throws(HostLinkError)
  {
    var comparison = LogComparison(device, pageStore, status)
    defer { report.replacedPages = comparison.replaced }
    try comparison.run()
    report.problems += comparison.problems
    report.isOfAnotherLog = !comparison.problems.isEmpty
    if report.isProved { proved = comparison.proved }
    let here = try pageStore.pages().filter { $0.epoch == status.epoch }
    let closed = Set(here.filter { !$0.isOpen }.map(\.sequence))
    if let newest = here.last?.sequence {
      if status.pageCount > 0, status.last < newest {
        report.isOfAnotherLog = true
        report.problems.append(
          "the device reports its newest page as \(status.last), but page \(newest) of the same log is here already"
        )
      } else if status.pageCount > 0, status.first > newest, status.first - newest > 1 {
        report.lostPages = Int(status.first - newest) - 1
        report.remarks.append(
          "pages \(newest + 1) to \(status.first - 1) were overwritten on the device before this pull")
      }
    }
    let beginnings = comparison.beginnings
    if status.pageCount > 0 {
      for sequence in status.first...status.last {
        if closed.contains(sequence) {
          report.knownPages += 1
        } else {
          flight.want(sequence, beginning: beginnings[sequence] ?? [])
          wanted += 1
        }
      }
    }
  }

  private mutating func fetch(_ status: DeviceLogStatus, _ flight: inout LogRequestWindow)
    throws(HostLinkError)
  {
    progress(PullProgress(pages: 0, ofPages: wanted, bytes: 0))
    let begun = ContinuousClock.now
    var tempo = PullRate(timeout: device.client.timeout, start: .zero)
    try askForMore(&flight)
    while !flight.isOver {
      guard let (ticket, result) = try device.client.next() else {
        throw HostLinkError(
          .protocolViolation, "\(device.client.location) sent no usable response to the requests of the pull")
      }
      guard let request = flight.close(ticket) else { continue }
      let sequence = flight.page(of: request)
      switch result {
      case .success(let body):
        let data = body[SMPKey.data]?.byteString ?? []
        guard tempo.note(data.count, at: begun.duration(to: .now)) else {
          throw HostLinkError(
            .noAnswer, "\(device.client.location) sends its log too slowly: the pull was aborted",
            advice:
              "what is here is kept, and the next pull goes on behind it; a larger --timeout allows a slower line"
          )
        }
        switch flight.take(data, to: request) {
        case .success(let pages):
          // Further requests are sent first, so that the device works while these pages are written to the
          // disk.
          try askForMore(&flight)
          for page in pages { try finish(page, status, &flight) }
        case .failure(let fault):
          try abandon(request, "answered page \(sequence) with \(fault.what)", &flight)
        }
      case .failure(let failure) where failure.is(.pageGone) || failure.is(SMPFailure(.notFound)):
        flight.drop(sequence, after: request)
        gone.insert(sequence)
        try noteSetback()
        report.lostPages += 1
        if !remarkedLoss { report.remarks.append("pages were overwritten on the device during this pull") }
        remarkedLoss = true
      case .failure(let failure):
        let error = failure.error(
          DeviceClient.logStream(sequence: sequence, offset: 0, length: nil), at: device.client.location)
        // Requests for other pages would fail in the same way.
        switch failure {
        case .noAnswer, .sessionOver: throw error
        case .refused where failure.is(.locked) || failure.is(.inSetUp): throw error
        case .refused where failure.is(SMPFailure(.unsupported)): throw error
        default: break
        }
        try abandon(request, error.what, &flight, isFinal: true)
      }
      try askForMore(&flight)
    }
  }

  private func askForMore(_ flight: inout LogRequestWindow) throws(HostLinkError) {
    while device.client.room > 0, let next = flight.next() {
      let request = DeviceClient.logStream(
        sequence: next.sequence, offset: next.offset, length: next.length)
      flight.asked(next.range, try device.client.submit(request))
    }
  }

  private mutating func finish(
    _ page: LogRequestWindow.Page, _ status: DeviceLogStatus, _ flight: inout LogRequestWindow
  ) throws(HostLinkError) {
    let decoded = inspect == nil ? LogPage(page.bytes) : nil
    let inspection =
      inspect?(page.bytes, status.epoch, page.sequence)
      ?? PageInspection(decoded, epoch: status.epoch, sequence: page.sequence)
    switch inspection {
    case .wrong(let what):
      return try giveUp(page, "what came as page \(page.sequence) \(what)", &flight)
    case .damaged(let what):
      // The damage may be in the device's memory or from the transfer; in the latter case the next attempt
      // differs.
      guard page.bytes == page.earlier else {
        guard page.attempt < Self.attempts else {
          return try giveUp(page, "page \(page.sequence) was received twice with different errors", &flight)
        }
        return flight.restart(page, keeping: page.bytes)
      }
      report.remarks.append("page \(page.sequence) \(what)")
    case .good: break
    }
    flight.drop(page.sequence)
    try pageStore.store(
      page.bytes, as: PageName(epoch: status.epoch, sequence: page.sequence, isOpen: page.isOpen),
      decoded: decoded)
    if !page.isOpen, device.client.isSealed { proved.insert(page.sequence) }
    report.newPages += 1
    report.bytes += page.bytes.count
    progress(PullProgress(pages: report.newPages, ofPages: wanted, bytes: report.bytes))
  }

  /// Handles an unusable response: the page in which it begins is requested again, unless that cannot
  /// succeed.
  private mutating func abandon(
    _ request: LogRequestWindow.Request, _ what: String, _ flight: inout LogRequestWindow,
    isFinal: Bool = false
  ) throws(HostLinkError) {
    let page = flight.page(flight.page(of: request))
    // A request sent before the page was started again does not count for this attempt.
    guard flight.counts(request) else { return flight.drop(after: request) }
    if !isFinal, page.attempt < Self.attempts { return flight.restart(page, after: request) }
    flight.drop(page.sequence, after: request)
    try note(what)
  }

  private mutating func giveUp(
    _ page: LogRequestWindow.Page, _ what: String, _ flight: inout LogRequestWindow
  ) throws(HostLinkError) {
    if page.attempt < Self.attempts {
      try noteSetback()
      return flight.restart(page)
    }
    flight.drop(page.sequence)
    try note(what)
  }

  private mutating func noteSetback() throws(HostLinkError) {
    setbacks += 1
    guard setbacks > Self.mostSetbacks else { return }
    throw HostLinkError(
      .protocolViolation, "\(device.client.location) does not have more than \(setbacks - 1) of its pages",
      advice: "the pages that were good are kept; update the device's firmware or report this")
  }

  private mutating func note(_ problem: String) throws(HostLinkError) {
    report.problems.append(problem)
    problemPages += 1
    guard problemPages < Self.mostProblems else {
      throw HostLinkError(
        .protocolViolation, "\(device.client.location) sent \(problemPages) pages that are wrong",
        advice: "the pages that were good are kept; update the device's firmware or report this")
    }
  }

  // MARK: Acknowledging

  /// Acknowledges the pages that are on the disk.
  private mutating func trim(_ status: DeviceLogStatus) throws(HostLinkError) {
    guard trims else { return }
    let kept = Set(try pageStore.pages())
    var trimming = LogTrimming(device, pageStore)
    defer {
      report.differingPage = trimming.outcome.differingPage
      report.trimmedThrough = trimming.outcome.trimmedThrough
      report.trimmedPages = trimming.outcome.trimmedPages
    }
    try trimming.run(epoch: status.epoch, kept: kept, gone: gone)
  }
}
