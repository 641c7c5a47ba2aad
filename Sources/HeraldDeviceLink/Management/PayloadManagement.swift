import HeraldEmbedded
import HeraldHAL

/// Group 72, command 7: the payload that the device offers, or the reason why it offers none, and the keys
/// that it has. The response contains no secrets.
enum PayloadManagement {
  /// `{}` → `{"family", "until"?, "keys"?, "days"?, "why"?, "data"?}`
  @inline(never)
  static func respond<Device: ManagedDevice & ~Copyable>(
    to request: inout SMPRequest, device: inout Device
  ) -> SMPOutcome {
    let status = device.payloadStatus(at: request.now)
    guard let keys = status.keyCount, let until = status.until else {
      return respond(to: &request, status.family, device: &device)
    }
    request.answer.map(4)
    request.answer.key(.family)
    request.answer.text(status.family.name)
    request.answer.key(.until)
    request.answer.unsigned(until)
    request.answer.field(.keys, UInt32(clamping: keys))
    // The days include today only if the payload is offered.
    let isOffered = status.state == .offered
    request.answer.field(
      isOffered ? .days : .why, isOffered ? UInt32(clamping: keys) : UInt32(status.state.rawValue))
    return .answered
  }

  private static func respond<Device: ManagedDevice & ~Copyable>(
    to request: inout SMPRequest, _ family: StoredPayloadFamily, device: inout Device
  ) -> SMPOutcome {
    request.answer.map(family == .none ? 1 : 2)
    request.answer.key(.family)
    request.answer.text(family.name)
    guard family != .none else { return .answered }
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
