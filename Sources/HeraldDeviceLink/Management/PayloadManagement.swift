import HeraldEmbedded
import HeraldHAL

/// Group 72, command 7: the payload that the device offers, and until when. The response contains no secrets.
enum PayloadManagement {
  /// `{}` → `{"family", "until"?, "days"?, "data"?}`
  @inline(never)
  static func respond<Device: ManagedDevice & ~Copyable>(
    to request: inout SMPRequest, device: inout Device
  ) -> SMPOutcome {
    let status = device.payloadStatus(at: request.now)
    let showsData = status.until == nil && status.family != .none
    request.answer.map(
      1 &+ (status.until == nil ? 0 : 1) &+ (status.daysLeft == nil ? 0 : 1) &+ (showsData ? 1 : 0))
    request.answer.key(.family)
    request.answer.text(status.family.name)
    if let until = status.until {
      request.answer.key(.until)
      request.answer.unsigned(until)
    }
    if let days = status.daysLeft { request.answer.field(.days, UInt32(clamping: days)) }
    guard showsData else { return .answered }
    request.answer.key(.data)
    // Its length is not known in advance: it is written behind the longest head.
    let start = request.answer.count &+ CBORWriter.longestHead
    let now = request.now
    let count: Int
    do {
      guard var room = request.answer.rest(from: start) else { return .failure(.tooLong) }
      let size = room.count
      count = min(max(device.copyPayload(into: &room, at: now), 0), size)
    }
    request.answer.byteString(from: start, count: count)
    return .answered
  }
}
