import HeraldDeviceLink

/// What became of pages that a host has on its disk.
public struct DeviceLogTrim: Equatable, Sendable, Codable {
  /// The oldest page that was still on the device when it answered; it erases them by and by.
  public let first: UInt32
  /// The last page that it may erase.
  public let through: UInt32
}

/// How long packets may be.
public struct DeviceParameters: Equatable, Sendable, Codable {
  /// Bytes of the longest packet, header included.
  public let packetSize: Int
  /// How many packets may wait in the device.
  public let packetCount: Int

  /// From the answer; `nil` if the numbers make no sense.
  init?(_ body: CBORValue) {
    guard let size = body[SMPKey.bufferSize]?.number32, let count = body[SMPKey.bufferCount]?.number32,
      size >= 32, count >= 1
    else { return nil }
    packetSize = Int(min(size, 0xFFFF))
    packetCount = Int(min(count, 256))
  }

  /// Bytes of the log that an answer to `logStream` has room for.
  var streamRoom: Int {
    // Header, map of one, "data", and the head of the bytes.
    let fixed = 8 + 1 + 5
    return packetSize - fixed - (packetSize - fixed <= 0xFF ? 2 : 3)
  }
}

extension DeviceClient {
  /// The question how long packets may be.
  static var parametersRequest: ManagementRequest {
    ManagementRequest("the size of its packets", .read, .os, OSCommand.parameters)
  }

  /// The question where the log stands.
  static var logStatusRequest: ManagementRequest {
    ManagementRequest("the status of the log", .read, .herald, HeraldCommand.logStatus)
  }

  /// The question for the log from a byte of a page on, across the ends of pages; `length` bytes at the most.
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

  /// Where the log stands, and how long packets may be; `nil` from a device that does not say. Both are asked at once where the link allows it.
  func logStatusAndParameters() throws(HostLinkError) -> (DeviceLogStatus, DeviceParameters?) {
    guard client.room > 1 else {
      let status = try logStatus()
      do {
        return (status, DeviceParameters(try client.ask(Self.parametersRequest)))
      } catch  where error.cause == .refused {
        return (status, nil)
      }
    }
    let parameters = try client.submit(Self.parametersRequest)
    let ticket = try client.submit(Self.logStatusRequest)
    var found: DeviceParameters?
    var status: DeviceLogStatus?
    while let (answered, result) = try client.next() {
      switch result {
      case .success(let body) where answered == parameters: found = DeviceParameters(body)
      case .success(let body) where answered == ticket:
        status = DeviceLogStatus(body)
        if status == nil { throw malformed(Self.logStatusRequest, "numbers that make no sense") }
      case .failure(let failure) where answered == ticket:
        throw failure.error(Self.logStatusRequest, at: client.location)
      default: continue
      }
    }
    guard let status else {
      throw ManagementFailure.noAnswer(attempts: 1).error(Self.logStatusRequest, at: client.location)
    }
    return (status, found)
  }

  /// How many pages its log has room for; `nil` from a device that does not say.
  func logCapacity() throws(HostLinkError) -> Int? {
    do {
      return try statistics(group: "log").counters.first { $0.name == "capacity" }.map {
        Int(clamping: $0.value)
      }
    } catch  where error.cause == .refused {
      return nil
    }
  }

  /// The newest page of the log and the one before it, the older first, as far as they can be read.
  func newestPages(_ status: DeviceLogStatus) throws(HostLinkError) -> [[UInt8]] {
    guard status.pageCount > 0 else { return [] }
    let hasTwo = status.pageCount > 1
    let size = Int(status.pageSize)
    let wanted = Int(status.openBytes) + (hasTwo ? size : 0)
    var bytes: [UInt8] = []
    while bytes.count < wanted {
      let place = bytes.count / size
      let request = Self.logStream(
        sequence: hasTwo ? status.last - 1 + UInt32(place) : status.last, offset: bytes.count - place * size,
        length: wanted - bytes.count)
      guard let data = try client.ask(request)[SMPKey.data]?.byteString, !data.isEmpty,
        data.count <= wanted - bytes.count
      else { throw malformed(request, "another number of bytes than was asked for") }
      bytes += data
    }
    return hasTwo ? [Array(bytes.prefix(size)), Array(bytes.dropFirst(size))] : [bytes]
  }

  /// Tells the device that every page of its log of this epoch up to and including `sequence` is on this computer's disk, and in whatever else it is
  /// to be kept in: it erases them. Telling it twice does no harm.
  public func acknowledge(epoch: UInt32, through sequence: UInt32) throws(HostLinkError) -> DeviceLogTrim {
    let request = ManagementRequest(
      "to erase what is here now", .write, .herald, HeraldCommand.acknowledge, isRepeatable: true
    ) { writer in
      writer.map(2)
      writer.key(.epoch)
      writer.unsigned(epoch)
      writer.key(.sequence)
      writer.unsigned(sequence)
    }
    let body = try client.ask(request)
    guard let first = body[SMPKey.first]?.number32, body[SMPKey.through]?.number32 == sequence else {
      throw malformed(request, "numbers that make no sense")
    }
    return DeviceLogTrim(first: first, through: sequence)
  }
}
