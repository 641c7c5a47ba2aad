import HeraldBluetooth
import Testing

/// Bytes from the Core Specification, Vol 3, Part A, 4 (signalling) and Part H, 3.5 (Security Manager).
@Suite("L2CAP: signalling and the Security Manager")
struct ControlChannelsTests {
  /// Connection Parameter Update Request: identifier 1, 30 to 50 ms, latency 0, timeout 4 s.
  private let update: [UInt8] = [0x12, 0x01, 0x08, 0x00, 0x18, 0x00, 0x28, 0x00, 0x00, 0x00, 0x90, 0x01]

  private func take(
    _ pdu: [UInt8], on channel: UInt16 = 5, role: ConnectionRole = .central,
    in channels: inout ControlChannels
  ) -> (outcome: ControlOutcome, isDropped: Bool) {
    var isDropped = false
    let outcome = channels.take(pdu.span, on: channel, role: role, isDropped: &isDropped)
    return (outcome, isDropped)
  }

  /// The frame of the pending response.
  private func frame(_ channels: ControlChannels) -> [UInt8] {
    var packet: [17 of UInt8] = .init(repeating: 0xEE)
    let count = Int(channels.write(into: &packet))
    return (5..<5 + count).map { packet[$0] }
  }

  @Test("A central accepts a valid timing, and rejects one that is not")
  func timing() {
    var channels = ControlChannels()
    var result = take(update, in: &channels)
    #expect(result.outcome == .update && !result.isDropped && channels.isOwed)
    #expect(frame(channels) == [0x06, 0x00, 0x05, 0x00, 0x13, 0x01, 0x02, 0x00, 0x00, 0x00])
    channels.sent()
    #expect(!channels.isOwed)

    var invalid = update
    invalid[10] = 0x09  // a timeout of 90 ms
    invalid[11] = 0x00
    result = take(invalid, in: &channels)
    #expect(result.outcome == .nothing)
    #expect(frame(channels) == [0x06, 0x00, 0x05, 0x00, 0x13, 0x01, 0x02, 0x00, 0x01, 0x00])
  }

  @Test("Other commands get Command Reject, and so does a peripheral's request to a peripheral")
  func rejected() {
    var channels = ControlChannels()
    var result = take(update, role: .peripheral, in: &channels)
    #expect(result.outcome == .rejected)
    #expect(frame(channels) == [0x06, 0x00, 0x05, 0x00, 0x01, 0x01, 0x02, 0x00, 0x00, 0x00])
    channels.sent()
    // 24 bytes: longer than MTUsig, 23.
    result = take([0x12, 0x07, 0x14, 0x00] + [UInt8](repeating: 0, count: 20), in: &channels)
    #expect(result.outcome == .rejected)
    #expect(frame(channels) == [0x08, 0x00, 0x05, 0x00, 0x01, 0x07, 0x04, 0x00, 0x01, 0x00, 0x17, 0x00])
  }

  @Test("Pairing Request and Security Request get Pairing Failed: Pairing Not Supported")
  func pairing() {
    for request: [UInt8] in [[0x01, 0x03, 0x00, 0x01, 0x10, 0x01, 0x01], [0x0B, 0x01]] {
      var channels = ControlChannels()
      let result = take(request, on: 6, in: &channels)
      #expect(result.outcome == .pairingRefused)
      #expect(frame(channels) == [0x02, 0x00, 0x06, 0x00, 0x05, 0x05])
    }
  }

  @Test("A request beside a pending response is dropped, and the response stays")
  func dropped() {
    var channels = ControlChannels()
    _ = take([0x0B, 0x01], on: 6, in: &channels)
    let result = take(update, in: &channels)
    #expect(result.outcome == .nothing && result.isDropped)
    #expect(frame(channels) == [0x02, 0x00, 0x06, 0x00, 0x05, 0x05])
  }

  @Test("Responses, commands without identifier, short PDUs and other channels get no response")
  func ignored() {
    var channels = ControlChannels()
    for pdu: [UInt8] in [[], [0x12], [0x13, 0x01, 0x02, 0x00, 0x00, 0x00], [0x12, 0x00, 0x00, 0x00]] {
      let result = take(pdu, in: &channels)
      #expect(result.outcome == .nothing && !channels.isOwed)
    }
    let pairingFailed = take([0x05, 0x05], on: 6, in: &channels)
    #expect(pairingFailed.outcome == .nothing)
    let other = take([0x01], on: 0x40, in: &channels)
    #expect(other.outcome == .unknownChannel && !channels.isOwed)
  }
}
