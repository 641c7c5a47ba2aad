import HeraldCrypto
import HeraldDeviceLink
import HeraldEmbedded

/// Compares the pages in a folder with those that a device has under the same numbers, by their SHA-256.
///
/// Serial number, identifier and epoch of a device are told to anybody. In a session a page that came without
/// one is compared, once, and kept aside if it is another. Pages that came in a session differ only if the
/// flash of the device was set back to an earlier state: the newest one shows it, as do all pages behind the
/// first that differs.
struct LogComparison {
  /// The files of pages that are not the device's, under the names with which they are kept aside.
  private(set) var replaced: [String] = []
  /// Why the log of the device is not that in the folder.
  private(set) var problems: [String] = []
  /// The closed pages that the device has as they are in the folder.
  private(set) var proved: Set<UInt32> = []
  /// The stored beginnings of incomplete pages, by number.
  private(set) var beginnings: [UInt32: [UInt8]] = [:]

  private let device: DeviceClient
  private let pageStore: PageStore
  private let status: DeviceLogStatus
  private var isInSession: Bool { device.client.isSealed }

  /// Creates a comparison with a device of this status.
  init(_ device: DeviceClient, _ pageStore: PageStore, _ status: DeviceLogStatus) {
    (self.device, self.pageStore, self.status) = (device, pageStore, status)
  }

  /// Whether pages of an earlier session are here that the device has only begun to write, or does not have:
  /// its flash was set back.
  private var isBehind = false

  /// Performs the comparison. Pages of a device without digests are read instead, in a session only.
  mutating func run() throws(HostLinkError) {
    let here = try pageStore.pages().filter { $0.epoch == status.epoch && !$0.isOpen }
    let common = here.filter {
      status.pageCount > 0 && status.first <= $0.sequence && $0.sequence < status.last
    }
    if isInSession {
      let record = pageStore.device
      try compare(common.filter { !record.isProved($0) })
      isBehind = here.contains { record.isProved($0) && $0.sequence >= status.last }
      // The device has no such page, or has only begun to write it.
      for page in here where !record.isProved(page) && page.sequence >= status.last {
        replaced.append(try pageStore.setAside(page))
      }
      try compareProved(common.filter(record.isProved))
    } else {
      try compareProved(common)
    }
    try compareBeginnings()
  }

  /// Compares each page, several requests at a time.
  private mutating func compare(_ pages: [PageName]) throws(HostLinkError) {
    var asked: [SMPClient.RequestHandle: PageName] = [:]
    var rest = pages[...]
    var withoutDigest: [PageName] = []
    while !rest.isEmpty || !asked.isEmpty {
      while device.client.room > 0, let page = rest.popFirst() {
        asked[try device.client.submit(Self.digestRequest(of: page))] = page
      }
      guard let (ticket, result) = try device.client.next() else { break }
      guard let page = asked.removeValue(forKey: ticket) else { continue }
      let bytes = try pageStore.read(page)
      switch try digest(result, of: page) {
      case .digest(let digest) where digest == Self.digest(bytes): proved.insert(page.sequence)
      case .digest: replaced.append(try pageStore.setAside(page))
      case .gone: break
      case .unsupported: withoutDigest.append(page)
      }
    }
    for page in withoutDigest {
      guard let bytes = try read(page) else { continue }
      let here = try pageStore.read(page)
      if bytes == here { proved.insert(page.sequence) } else { replaced.append(try pageStore.setAside(page)) }
    }
  }

  /// All bytes of a closed page of the device; `nil` if it does not have it any more.
  private func read(_ page: PageName) throws(HostLinkError) -> [UInt8]? {
    try LogErasure.page(page.sequence, size: Int(status.pageSize), of: device)
  }

  /// Finds the first of pages of one origin that differs from the device's.
  private mutating func compareProved(_ pages: [PageName]) throws(HostLinkError) {
    guard let newest = pages.last, try differs(newest) else { return }
    var (low, high) = (0, pages.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if try differs(pages[middle]) { high = middle } else { low = middle + 1 }
    }
    let first = pages[low].sequence
    let numbers = first == newest.sequence ? "page \(first) is" : "pages \(first) to \(newest.sequence) are"
    problems.append(
      isInSession
        ? "\(numbers) not the same as in this folder, although they came in a session: the device's flash was set back"
        : "\(numbers) not the same as in this folder: this is another device, or its flash was set back")
  }

  private func differs(_ page: PageName) throws(HostLinkError) -> Bool {
    let result = try device.client.result(of: Self.digestRequest(of: page))
    let bytes = try pageStore.read(page)
    switch try digest(result, of: page) {
    case .digest(let digest): return digest != Self.digest(bytes)
    case .gone: return false
    case .unsupported:
      guard isInSession, let there = try read(page) else { return false }
      return there != bytes
    }
  }

  /// In a session a pull goes on behind a beginning only if it is the device's.
  private mutating func compareBeginnings() throws(HostLinkError) {
    beginnings = try pageStore.beginnings(epoch: status.epoch)
    guard isInSession else { return }
    for (sequence, bytes) in beginnings.sorted(by: { $0.key < $1.key }) {
      let page = PageName(epoch: status.epoch, sequence: sequence, isOpen: true)
      let isLonger = status.pageCount > 0 && sequence == status.last && bytes.count > Int(status.openBytes)
      if !isLonger, status.pageCount > 0, status.first <= sequence, sequence <= status.last {
        let request = Self.digestRequest(of: page, length: bytes.count)
        switch try digest(try device.client.result(of: request), of: page) {
        case .digest(let digest) where digest == Self.digest(bytes): continue
        case .gone: continue
        case .digest: break
        case .unsupported:
          beginnings[sequence] = nil
          continue
        }
      } else if sequence < status.first {
        continue
      }
      beginnings[sequence] = nil
      // What was written before the flash was set back stays as it is.
      if isBehind, sequence > status.last { continue }
      if let path = try pageStore.discardBeginnings(of: page) { replaced.append(path) }
    }
  }

  /// The request for the SHA-256 of the first `length` bytes of a page, or of all of it: group 8, command 2,
  /// in which a page is a file.
  static func digestRequest(of page: PageName, length: Int? = nil) -> ManagementRequest {
    let file = PageName(epoch: page.epoch, sequence: page.sequence, isOpen: false).fileName
    return ManagementRequest("the digest of page \(page.sequence)", .read, .file, FileCommand.hash) {
      writer in
      writer.map(length == nil ? 2 : 3)
      writer.key(.name)
      writer.text(Array("/log/\(file)".utf8).span)
      writer.text(FileKey.type)
      writer.text(FileKey.sha256)
      if let length {
        writer.key(.length)
        writer.unsigned(UInt32(clamping: length))
      }
    }
  }

  private enum Answer {
    case digest([UInt8])
    /// The device does not have the page any more, or cannot read it.
    case gone
    /// The firmware has no digests of pages.
    case unsupported
  }

  private func digest(_ result: Result<CBORValue, ManagementFailure>, of page: PageName) throws(HostLinkError)
    -> Answer
  {
    let request = Self.digestRequest(of: page)
    switch result {
    case .success(let body):
      guard let digest = body[FileKey.output]?.byteString, digest.count == 32 else {
        throw device.malformed(request, "no digest")
      }
      return .digest(digest)
    case .failure(let failure) where failure.is(SMPFailure(.unsupported)): return .unsupported
    case .failure(.refused): return .gone
    case .failure(let failure): throw failure.error(request, at: device.client.location)
    }
  }

  private static func digest(_ bytes: [UInt8]) -> [UInt8] {
    let digest = SHA256.digest(of: bytes.span)
    return digest.indices.map { digest[$0] }
  }
}
