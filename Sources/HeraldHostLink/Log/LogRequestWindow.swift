/// Tracks which bytes of a log are still to be requested, which are outstanding, and which were received.
///
/// Bytes are numbered consecutively through all pages, as in the device's stream: byte `offset` of page
/// `sequence` has the number `sequence * pageSize + offset`. A response may cross a page boundary, and a page
/// may start at the offset where an earlier pull stopped.
struct LogRequestWindow {
  /// A requested range.
  struct Request {
    /// The range of byte numbers.
    let range: Range<UInt64>
    /// The number of page restarts before it was sent.
    let generation: Int
  }

  /// A page that is being downloaded.
  struct Page {
    let sequence: UInt32
    /// Whether the device may still append to it.
    let isOpen: Bool
    /// The number of this attempt.
    let attempt: Int
    /// The bytes received by an earlier attempt, if they were invalid.
    let earlier: [UInt8]?
    /// The bytes received so far; missing ones are 0xFF.
    fileprivate(set) var bytes: [UInt8]
    /// The number of missing bytes.
    fileprivate(set) var missing: Int
    /// Responses to requests sent before this number of restarts are ignored.
    fileprivate let generation: Int
  }

  /// The size of a page in bytes.
  let pageSize: Int
  /// The page that is still being written, and the number of its bytes to be downloaded.
  let open: (sequence: UInt32, length: Int)
  /// The number of log bytes in one response; `nil` while unknown.
  private(set) var room: Int?

  private var wanted: [Range<UInt64>] = []
  private var requests: [SMPClient.RequestHandle: Request] = [:]
  private var pages: [UInt32: Page] = [:]
  /// Completed pages: bytes of them received later are ignored.
  private var over: Set<UInt32> = []
  private var generation = 0

  /// Creates an empty window for a log with this `status`.
  init(_ status: DeviceLogStatus, room: Int?) {
    pageSize = Int(status.pageSize)
    open = (status.last, Int(status.openBytes))
    self.room = room.map { max($0, 1) }
  }

  /// Whether every page is complete or dropped.
  var isOver: Bool { wanted.isEmpty && requests.isEmpty }

  private func start(of sequence: UInt32) -> UInt64 { UInt64(sequence) * UInt64(pageSize) }
  private func sequence(of byte: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: byte / UInt64(pageSize)) }
  private func length(of sequence: UInt32) -> Int { sequence == open.sequence ? open.length : pageSize }

  /// Adds a page, of which `beginning` is already stored. Pages are added in ascending order.
  mutating func want(_ sequence: UInt32, beginning: [UInt8]) {
    let length = length(of: sequence)
    guard length > 0 else { return }
    // At least one byte must be requested, so that the response can be checked.
    let known = Array(beginning.prefix(length - 1))
    want(start(of: sequence) + UInt64(known.count)..<start(of: sequence) + UInt64(length))
    guard !known.isEmpty else { return }
    pages[sequence] = makePage(sequence, attempt: 1, earlier: nil, known: known)
  }

  private mutating func want(_ range: Range<UInt64>) {
    if let last = wanted.last, last.upperBound == range.lowerBound {
      wanted[wanted.count - 1] = last.lowerBound..<range.upperBound
    } else {
      wanted.append(range)
    }
  }

  private func makePage(_ sequence: UInt32, attempt: Int, earlier: [UInt8]?, known: [UInt8] = []) -> Page {
    let length = length(of: sequence)
    return Page(
      sequence: sequence, isOpen: sequence == open.sequence, attempt: attempt, earlier: earlier,
      bytes: known + [UInt8](repeating: 0xFF, count: length - known.count), missing: length - known.count,
      generation: attempt > 1 ? generation : 0)
  }

  // MARK: Requests

  /// The next request; `nil` if none can be sent now. A length is only given if the response could otherwise
  /// exceed the range.
  func next() -> (sequence: UInt32, offset: Int, length: Int?, range: Range<UInt64>)? {
    guard let first = wanted.first, room != nil || requests.isEmpty else { return nil }
    let count = min(first.count, room ?? first.count)
    let sequence = sequence(of: first.lowerBound)
    return (
      sequence, Int(first.lowerBound - start(of: sequence)), count == room ? nil : count,
      first.lowerBound..<first.lowerBound + UInt64(count)
    )
  }

  /// Records that the request of `next` was sent.
  mutating func asked(_ range: Range<UInt64>, _ ticket: SMPClient.RequestHandle) {
    guard let first = wanted.first else { return }
    wanted[0] = range.upperBound..<first.upperBound
    if wanted[0].isEmpty { wanted.removeFirst() }
    requests[ticket] = Request(range: range, generation: generation)
  }

  /// Removes and returns the request, which has a response or has timed out.
  mutating func close(_ ticket: SMPClient.RequestHandle) -> Request? { requests.removeValue(forKey: ticket) }

  /// The page in which a request begins.
  func page(of request: Request) -> UInt32 { sequence(of: request.range.lowerBound) }

  // MARK: Responses

  /// Processes a response. Returns the pages that it completes, or its error: then the page in which it
  /// begins is discarded.
  mutating func take(_ data: [UInt8], to request: Request) -> Result<[Page], Fault> {
    guard data.count <= request.range.count else {
      return .failure(Fault(what: "more bytes than were requested"))
    }
    guard !data.isEmpty else {
      let offset = Int(request.range.lowerBound % UInt64(pageSize))
      return .failure(Fault(what: "no bytes at offset \(offset)"))
    }
    var complete: [Page] = []
    var position = request.range.lowerBound
    let end = position + UInt64(data.count)
    var rest = data[...]
    while position < end {
      let sequence = sequence(of: position)
      let offset = Int(position - start(of: sequence))
      let part = rest.prefix(pageSize - offset)
      rest = rest.dropFirst(part.count)
      position += UInt64(part.count)
      guard counts(request, for: sequence) else { continue }
      var page = page(sequence)
      guard offset + part.count <= page.bytes.count else { continue }
      // With a second reference the bytes of the page would be copied, with each response.
      pages[sequence] = nil
      page.bytes.replaceSubrange(offset..<offset + part.count, with: part)
      page.missing -= part.count
      pages[sequence] = page
      if page.missing <= 0 { complete.append(page) }
    }
    guard end < request.range.upperBound else { return .success(complete) }
    wantAgain(from: end, of: request)
    // A response that ends within a page ends because it is full.
    if end % UInt64(pageSize) != 0 { room = data.count }
    return .success(complete)
  }

  /// The rest of a request's range is requested again, except for pages for which it no longer counts.
  private mutating func wantAgain(from start: UInt64, of request: Request) {
    var again: [Range<UInt64>] = []
    var start = start
    while start < request.range.upperBound {
      let sequence = sequence(of: start)
      let end = min(self.start(of: sequence) + UInt64(pageSize), request.range.upperBound)
      if counts(request, for: sequence) {
        let isNext = again.last?.upperBound == start
        again.append((isNext ? again.removeLast().lowerBound : start)..<end)
      }
      start = end
    }
    wanted.insert(contentsOf: again, at: 0)
  }

  /// An error in a response.
  struct Fault: Error {
    let what: String
  }

  /// A page is finished. If that is because of `request`, its range in later pages is requested again.
  mutating func drop(_ sequence: UInt32, after request: Request? = nil) {
    let range = start(of: sequence)..<start(of: sequence) + UInt64(pageSize)
    pages[sequence] = nil
    over.insert(sequence)
    wanted = wanted.flatMap { stretch in
      [
        stretch.lowerBound..<max(stretch.lowerBound, min(stretch.upperBound, range.lowerBound)),
        min(stretch.upperBound, max(stretch.lowerBound, range.upperBound))..<stretch.upperBound,
      ]
    }.filter { !$0.isEmpty }
    if let request { wantAgain(from: max(request.range.lowerBound, range.upperBound), of: request) }
  }

  /// A request has ended that no longer counts for the page in which it begins: its range in later pages is
  /// requested again.
  mutating func drop(after request: Request) {
    wantAgain(from: start(of: page(of: request)) + UInt64(pageSize), of: request)
  }

  /// Downloads a page again from its start, keeping `earlier`, the bytes received; responses to outstanding
  /// requests are ignored for it.
  mutating func restart(_ page: Page, after request: Request? = nil, keeping earlier: [UInt8]? = nil) {
    drop(page.sequence, after: request)
    generation += 1
    over.remove(page.sequence)
    pages[page.sequence] = makePage(page.sequence, attempt: page.attempt + 1, earlier: earlier)
    wanted.append(start(of: page.sequence)..<start(of: page.sequence) + UInt64(length(of: page.sequence)))
  }

  /// The page as received so far.
  func page(_ sequence: UInt32) -> Page {
    pages[sequence] ?? makePage(sequence, attempt: 1, earlier: nil)
  }

  /// Whether responses to a request still count for the page in which it begins.
  func counts(_ request: Request) -> Bool { counts(request, for: page(of: request)) }

  private func counts(_ request: Request, for sequence: UInt32) -> Bool {
    !over.contains(sequence) && pages[sequence]?.generation ?? 0 <= request.generation
  }

  // MARK: Stopping

  /// The beginnings of incomplete pages: the bytes of each before the first missing byte.
  func beginnings() -> [(sequence: UInt32, isOpen: Bool, bytes: [UInt8])] {
    let outstanding = wanted + requests.values.map(\.range)
    return pages.values.compactMap { page in
      guard page.attempt == 1 else { return nil }
      guard page.missing > 0 else { return (page.sequence, page.isOpen, page.bytes) }
      let begin = start(of: page.sequence)
      let end = begin + UInt64(page.bytes.count)
      let missing = outstanding.filter { $0.overlaps(begin..<end) }.map { max($0.lowerBound, begin) }.min()
      guard let missing, missing > begin else { return nil }
      return (page.sequence, page.isOpen, Array(page.bytes.prefix(Int(missing - begin))))
    }
  }
}
