import Foundation
import HeraldDeviceLink

/// Fetches from a device what an archive does not have yet.
///
/// Only new pages are asked for; several questions are in flight. A page counts once it is whole, is what its own header
/// and checksums say, and is on the disk, so the pull can be cut off anywhere and the next one goes on. The page the
/// device is still writing is fetched as far as it is committed, and again next time. Nothing is changed on the device.
///
/// The device is not trusted: numbers are bounded, contradictions end the page or the pull, and what was good is kept.
public struct LogDownload {
  /// How often a page that arrives wrong is fetched.
  static let attempts = 2
  /// Wrong pages after which it makes no sense to go on.
  static let mostProblems = 16

  private let device: DeviceClient
  private let archive: PageArchive
  private let inspect: ([UInt8], UInt32, UInt32) -> PageInspection
  private let now: () -> UInt64
  private let progress: (PullProgress) -> Void

  private var report = PullReport()
  /// Pages to be fetched; the next one last.
  private var waiting: [PageFetch] = []
  private var active: [PageFetch] = []
  private var questions: [SMPClient.Ticket: (sequence: UInt32, offset: Int, wanted: Int?)] = [:]
  private var chunk: Int?
  private var wanted = 0
  private var problemPages = 0
  private var remarkedLoss = false

  /// A pull from `device` into `archive`. `now` is this computer's date in milliseconds since 1970, for start-ups of the
  /// device whose date nothing else tells.
  public init(
    device: DeviceClient, archive: PageArchive,
    inspect: @escaping ([UInt8], UInt32, UInt32) -> PageInspection = PageInspection.inspect,
    now: @escaping () -> UInt64 = { UInt64(max(0, Date().timeIntervalSince1970 * 1000)) },
    progress: @escaping (PullProgress) -> Void = { _ in }
  ) {
    self.device = device
    self.archive = archive
    self.inspect = inspect
    self.now = now
    self.progress = progress
  }

  /// Pulls. Throws if nothing could be begun; what ends it later is in the report.
  public mutating func run() throws(HostLinkError) -> PullReport {
    let started = ContinuousClock.now
    archive.removeLeftovers()
    let status = try device.logStatus()
    let arrived = now()
    report.epoch = status.epoch
    try archive.updateDevice { record in
      record.note(epoch: status.epoch)
      record.note(Self.clockFix(status, hostNow: arrived))
    }
    try plan(status)
    do {
      try fetch(status)
    } catch {
      report.stoppedBy = error
      device.client.forgetAll()
    }
    let elapsed = started.duration(to: ContinuousClock.now).components
    report.seconds = Double(elapsed.seconds) + Double(elapsed.attoseconds) * 1e-18
    return report
  }

  private static func clockFix(_ status: DeviceLogStatus, hostNow: UInt64) -> DeviceRecord.ClockFix {
    DeviceRecord.ClockFix(
      epoch: status.epoch, boot: status.boot, uptimeMilliseconds: status.uptimeMilliseconds,
      unixMilliseconds: status.unixMilliseconds ?? hostNow,
      source: status.unixMilliseconds == nil ? .host : .device)
  }

  /// Decides which pages to fetch.
  private mutating func plan(_ status: DeviceLogStatus) throws(HostLinkError) {
    let here = try archive.pages().filter { $0.epoch == status.epoch }
    let closed = Set(here.filter { !$0.isOpen }.map(\.sequence))
    if let newest = here.last?.sequence {
      let isBehind = status.pageCount > 0 && status.last < newest
      if isBehind {
        report.problems.append(
          "the device says its newest page is \(status.last), but page \(newest) of the same log is here already"
        )
      } else if status.pageCount > 0, status.first > newest, status.first - newest > 1 {
        report.lostPages = Int(status.first - newest) - 1
        report.remarks.append(
          "pages \(newest + 1) to \(status.first - 1) were overwritten on the device before this pull")
      }
    }
    guard status.pageCount > 0 else { return }
    for sequence in (status.first...status.last).reversed() {
      if closed.contains(sequence) {
        report.knownPages += 1
      } else {
        waiting.append(PageFetch(sequence: sequence, isOpen: sequence == status.last))
      }
    }
    wanted = waiting.count
  }

  private mutating func fetch(_ status: DeviceLogStatus) throws(HostLinkError) {
    progress(PullProgress(pages: 0, ofPages: wanted, bytes: 0))
    while !waiting.isEmpty || !active.isEmpty {
      try askForMore()
      guard let (ticket, result) = try device.client.next() else {
        // Pages that are active with nothing on its way can only be complete.
        guard !active.isEmpty else { continue }
        throw HostLinkError(
          .protocolViolation, "\(device.client.location) left the pull without anything to do")
      }
      guard let question = questions.removeValue(forKey: ticket),
        let index = active.firstIndex(where: { $0.sequence == question.sequence })
      else { continue }
      switch result {
      case .success(let body):
        let offset = question.offset
        if let fault = active[index].take(
          body, offset: offset, wanted: question.wanted, pageSize: Int(status.pageSize))
        {
          try abandon(index, "answered page \(question.sequence) with \(fault)")
        } else {
          if question.wanted == nil, let data = body[SMPKey.data]?.byteString, !data.isEmpty {
            chunk = max(chunk ?? 0, data.count)
          }
          if active[index].isComplete { try finish(index, status) }
        }
      case .failure(.refused(group: 72, code: 2)), .failure(.refused(group: nil, code: 5)):
        active.remove(at: index)
        report.lostPages += 1
        if !remarkedLoss { report.remarks.append("pages were overwritten on the device during this pull") }
        remarkedLoss = true
      case .failure(.noAnswer(let attempts)):
        // The link is silent: asking for other pages would only take longer to find that out.
        throw ManagementFailure.noAnswer(attempts: attempts).error(
          DeviceClient.logRead(sequence: question.sequence, offset: question.offset, length: nil),
          at: device.client.location)
      case .failure(let failure):
        let request = DeviceClient.logRead(sequence: question.sequence, offset: question.offset, length: nil)
        try abandon(index, failure.error(request, at: device.client.location).what, isFinal: true)
      }
    }
  }

  private mutating func askForMore() throws(HostLinkError) {
    while device.client.room > 0 {
      var question: (sequence: UInt32, offset: Int, wanted: Int?)?
      for index in active.indices {
        if let range = active[index].nextRange(chunk: chunk) {
          question = (active[index].sequence, range.offset, range.length)
          break
        }
      }
      if question == nil, var fetch = waiting.popLast() {
        if let range = fetch.nextRange(chunk: chunk) {
          question = (fetch.sequence, range.offset, range.length)
        }
        active.append(fetch)
      }
      guard let question else { return }
      let ticket = try device.client.submit(
        DeviceClient.logRead(sequence: question.sequence, offset: question.offset, length: question.wanted))
      questions[ticket] = question
    }
  }

  private mutating func finish(_ index: Int, _ status: DeviceLogStatus) throws(HostLinkError) {
    let page = active[index]
    if page.bytes.isEmpty {
      active.remove(at: index)
      return
    }
    switch inspect(page.bytes, status.epoch, page.sequence) {
    case .wrong(let what): return try abandon(index, "what came as page \(page.sequence) \(what)")
    case .damaged(let what): report.remarks.append("page \(page.sequence) \(what)")
    case .good: break
    }
    active.remove(at: index)
    try archive.store(
      page.bytes, as: PageName(epoch: status.epoch, sequence: page.sequence, isOpen: page.isOpen))
    report.newPages += 1
    report.bytes += page.bytes.count
    progress(PullProgress(pages: report.newPages, ofPages: wanted, bytes: report.bytes))
  }

  /// Ends the fetching of a page that is of no use; it is tried once more unless that is pointless.
  private mutating func abandon(_ index: Int, _ what: String, isFinal: Bool = false) throws(HostLinkError) {
    let page = active.remove(at: index)
    // Answers to its other questions will find no page and be passed over.
    if !isFinal, page.attempt < Self.attempts {
      questions = questions.filter { $0.value.sequence != page.sequence }
      waiting.append(PageFetch(sequence: page.sequence, isOpen: page.isOpen, attempt: page.attempt + 1))
      return
    }
    report.problems.append(what)
    problemPages += 1
    guard problemPages < Self.mostProblems else {
      throw HostLinkError(
        .protocolViolation, "\(device.client.location) sent \(problemPages) pages that are wrong",
        advice: "the pages that were good are kept; update the device's firmware or report this")
    }
  }
}
