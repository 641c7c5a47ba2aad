import HeraldDeviceLink

/// The maximum packet length and count of a device.
public struct DeviceParameters: Equatable, Sendable, Codable {
  /// The maximum packet length in bytes, including the header.
  public let packetSize: Int
  /// The number of packets that the device can buffer.
  public let packetCount: Int

  /// Parses the response; `nil` if the numbers are invalid.
  init?(_ body: CBORValue) {
    guard let size = body[SMPKey.bufferSize]?.number32, let count = body[SMPKey.bufferCount]?.number32,
      size >= 32, count >= 1
    else { return nil }
    packetSize = Int(min(size, 0xFFFF))
    packetCount = Int(min(count, 256))
  }

  /// The number of log bytes that fit into a response to `logStream`, sealed or not.
  func streamRoom(isSealed: Bool) -> Int {
    // Header, map of one entry, "data", and the head of the byte string; in a session the tag.
    let fixed = 8 + 1 + 5 + (isSealed ? HostSession.responseOverhead : 0)
    return packetSize - fixed - (packetSize - fixed <= 0xFF ? 2 : 3)
  }
}

extension DeviceClient {
  /// The request for the maximum packet length.
  static var parametersRequest: ManagementRequest {
    ManagementRequest("the size of its packets", .read, .os, OSCommand.parameters)
  }

  /// The request for the status of the log; with `commits`, the log is committed first.
  static func logStatusRequest(commits: Bool) -> ManagementRequest {
    ManagementRequest(
      "the status of the log", commits ? .write : .read, .herald, HeraldCommand.logStatus, isRepeatable: true)
  }

  /// The request for at most `length` bytes of the log from an offset in a page on, across page boundaries.
  static func logStream(sequence: UInt32, offset: Int, length: Int?) -> ManagementRequest {
    ManagementRequest("page \(sequence) of the log", .read, .herald, HeraldCommand.logStream) { writer in
      writer.map(length == nil ? 2 : 3)
      writer.key(.sequence)
      writer.unsigned(sequence)
      writer.key(.offset)
      writer.unsigned(UInt32(clamping: offset))
      if let length {
        writer.key(.length)
        writer.unsigned(UInt32(clamping: length))
      }
    }
  }

  /// The status of the log after a commit, and the maximum length of packets; `nil` from a device that does
  /// not report it. Both are requested at once where the link allows it.
  func committedStatusAndParameters() throws(HostLinkError) -> (DeviceLogStatus, DeviceParameters?) {
    let request = Self.logStatusRequest(commits: true)
    guard client.room > 1 else {
      let status = try logStatus(commits: true)
      do {
        return (status, DeviceParameters(try client.ask(Self.parametersRequest)))
      } catch  where error.cause == .refused {
        return (status, nil)
      }
    }
    let parameters = try client.submit(Self.parametersRequest)
    let ticket = try client.submit(request)
    var found: DeviceParameters?
    var status: DeviceLogStatus?
    while let (answered, result) = try client.next() {
      switch result {
      case .success(let body) where answered == parameters: found = DeviceParameters(body)
      case .success(let body) where answered == ticket:
        status = DeviceLogStatus(body)
        if status == nil { throw malformed(request, "numbers that make no sense") }
      case .failure(let failure) where answered == ticket:
        throw failure.error(request, at: client.location)
      default: continue
      }
    }
    guard let status else {
      throw ManagementFailure.noAnswer(attempts: 1).error(request, at: client.location)
    }
    return (status, found)
  }

  /// The capacity of the log in pages, and how many were overwritten since the device started; `nil` from a
  /// device that does not report it.
  public func logRoom() throws(HostLinkError) -> (capacity: Int?, overwritten: Int?) {
    do {
      let counters = try statistics(group: "log").counters
      func counter(_ name: String) -> Int? {
        counters.first { $0.name == name }.map { Int(clamping: $0.value) }
      }
      return (counter("capacity"), counter("overwritten_pages"))
    } catch  where error.cause == .refused {
      return (nil, nil)
    }
  }

  /// Requests one byte of the log, to check whether the device permits access before any file is created on
  /// this computer.
  /// - Throws: `.refused`, with the device's reason, if it does not permit access, for example because it is
  ///   locked.
  public func checkLogAccess() throws(HostLinkError) {
    let status = try logStatus()
    guard status.pageCount > 0 else { return }
    let stream = Self.logStream(sequence: status.last, offset: 0, length: 1)
    let request = ManagementRequest("to tell its log", stream)
    guard case .failure(let failure) = try client.outcome(of: request) else { return }
    // A page may be erased in the meantime, or be unreadable, and older firmware has no streams.
    let others: [SMPFailure] = [
      .logUnreadable, .pageGone, .beyondPage, SMPFailure(.notFound), SMPFailure(.unsupported),
    ]
    guard others.contains(where: failure.is) else { throw failure.error(request, at: client.location) }
  }

  /// The two newest pages of the log, the older first, or the newest one, as far as they can be read.
  func newestPages(_ status: DeviceLogStatus, count: Int = 2) throws(HostLinkError) -> [[UInt8]] {
    guard status.pageCount > 0 else { return [] }
    let hasTwo = status.pageCount > 1 && count > 1
    let size = Int(status.pageSize)
    let wanted = Int(status.openBytes) + (hasTwo ? size : 0)
    var bytes: [UInt8] = []
    while bytes.count < wanted {
      let pageIndex = bytes.count / size
      let request = Self.logStream(
        sequence: hasTwo ? status.last - 1 + UInt32(pageIndex) : status.last,
        offset: bytes.count - pageIndex * size,
        length: wanted - bytes.count)
      // A device that sends one byte at a time would prolong this for hours.
      guard let data = try client.ask(request)[SMPKey.data]?.byteString,
        data.count >= min(16, wanted - bytes.count), data.count <= wanted - bytes.count
      else { throw malformed(request, "another number of bytes than requested") }
      bytes += data
    }
    return hasTwo ? [Array(bytes.prefix(size)), Array(bytes.dropFirst(size))] : [bytes]
  }
}
