import HeraldDeviceLink
import HeraldEmbedded
import HeraldHAL
import Testing

/// Group 72, command 10: how far a host is with the collection of the log, for the light.
@Suite("The signal of a collection")
struct SignalTests {
  /// A request to write `{"show": n}`.
  private func request(_ number: String) -> [UInt8] { hex("0A000007 0048 000A A1 64 73686F77 \(number)") }
  private let done = hex("A0")
  private let invalid = hex("A1 62 7263 03")
  private let busy = hex("A1 62 7263 0A")

  @Test("each number is shown; others, other types and a missing one are refused with 3")
  func numbers() {
    var device = LockedDevice()
    device.device.accessKey = []
    for number in ["01", "02", "03", "00"] { check(device.ask(request(number)) == done) }
    check(device.device.signals == [.collecting, .done, .failed, .none])
    check(device.ask(request("04")) == invalid)
    check(device.ask(hex("0A000008 0048 000A A1 64 73686F77 18 FF")) == invalid)
    check(device.ask(hex("0A000009 0048 000A A1 64 73686F77 19 0101")) == invalid, "not truncated to 1")
    check(device.ask(request("20")) == invalid, "a negative number")
    check(device.ask(hex("0A000001 0048 000A A0")) == invalid)
    check(device.ask(hex("0A000000 0048 000A")) == invalid)
    check(device.device.signals.count == 4)
    // To read there is nothing.
    check(device.ask(hex("08000001 0048 000A A0")) == hex("A1 62 7263 08"))
  }

  @Test("a light that shows something else is busy")
  func light() {
    var device = LockedDevice()
    device.device.accessKey = []
    device.device.takesSignals = false
    check(device.ask(request("01")) == busy)
  }

  @Test("with an access key it takes a session")
  func session() {
    var device = LockedDevice()
    check(device.ask(request("02")) == refusal(8) && device.device.signals == [])
    check(device.unlock().count == 41)
    check(device.exchange(request("02")) == done)
    check(device.ask(request("03")) == refusal(8), "and not beside one")
    check(device.device.signals == [.done])
  }

  @Test("over Bluetooth it takes a session, even without an access key")
  func remote() {
    var device = TestDevice()
    device.accessKey = []
    var server = SMPServer()
    let packet = request("01")
    var buffer = packet + [UInt8](repeating: 0, count: 100)
    var span = buffer.mutableSpan
    let count = server.respond(
      to: &span, count: packet.count, isRemote: true, at: .start + .seconds(10), device: &device)
    #expect(Array(buffer[8..<count]) == refusal(8) && device.signals == [])
  }

  private func refusal(_ code: UInt8) -> [UInt8] {
    hex("A1 63 657272 A2 65 67726F7570 18 48 62 7263") + [code]
  }

  /// `#expect` for calls on values that cannot leave their scope, which the macro would capture.
  private func check(
    _ condition: Bool, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(condition, comment, sourceLocation: sourceLocation)
  }
}
