import HeraldEmbedded

/// Group 72, command 7: which payload the device offers, and until when. Nothing that is secret is in the answer.
enum PayloadManagement {
  /// `{}` → `{"family", "until"?, "days"?, "data"?}`
  @inline(never)
  static func respond<Device: ManagedDevice & ~Copyable>(
    to request: SMPRequest, in buffer: inout MutableSpan<UInt8>, device: inout Device
  ) -> SMPOutcome {
    let status = device.payloadStatus(at: request.now)
    var writer = CBORWriter(buffer._mutatingExtracting(0...), from: SMPHeader.size)
    let showsData = status.until == nil && status.family != .none
    writer.map(1 &+ (status.until == nil ? 0 : 1) &+ (status.daysLeft == nil ? 0 : 1) &+ (showsData ? 1 : 0))
    writer.text(SMPKey.family)
    writer.text(status.family.name)
    if let until = status.until {
      writer.text(SMPKey.until)
      writer.unsigned(until)
    }
    if let days = status.daysLeft {
      writer.text(SMPKey.days)
      writer.unsigned(UInt32(clamping: days))
    }
    guard showsData else { return writer.outcome }
    writer.text(SMPKey.data)
    return data(behind: writer.count, in: &buffer, at: request.now, device: &device)
  }

  /// The payload's length is not known before the payload: it is written behind the longest head, and moved down.
  private static func data<Device: ManagedDevice & ~Copyable>(
    behind end: Int, in buffer: inout MutableSpan<UInt8>, at now: Instant, device: inout Device
  ) -> SMPOutcome {
    let longestHead = 3
    guard buffer.count >= end &+ longestHead else { return .failure(SMPFailure(.tooLong)) }
    var room = buffer._mutatingExtracting((end &+ longestHead)..<buffer.count)
    let count = min(max(device.copyPayload(into: &room, at: now), 0), buffer.count &- end &- longestHead)
    var writer = CBORWriter(buffer._mutatingExtracting(0...), from: end)
    writer.byteStringHead(count)
    let start = writer.count
    for index in 0..<count { buffer[start &+ index] = buffer[end &+ longestHead &+ index] }
    return .success(start &+ count)
  }
}
